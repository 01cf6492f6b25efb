import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from support import chromium
from support.synthetic import what, write_run

pytestmark = pytest.mark.slow  # starts commands in processes of their own

ROOT = Path(__file__).parents[2]
TASKS = np.arange(60)
CURVES = ("agn one", "sgn one", "ffcnn 3x200", "aen one", "aen two", "aen three", "aen_random one")


@dataclass
class Said:
    code: int
    out: str
    error: str


def command(folder: Path, script: str, *arguments: str) -> Said:
    """As in a shell, but in this process: a fresh one would spend seconds on imports."""
    out, error, code = StringIO(), "", 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        patch.setattr(sys, "argv", [script, *arguments])
        patch.chdir(folder)
        try:
            run_path(str(ROOT / "launch" / script), run_name="__main__")
        except SystemExit as exit:
            error, code = str(exit.code), 1
    return Said(code, out.getvalue(), error)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with runs, figures and report, and what the command said."""
    folder = tmp_path_factory.mktemp("report")
    for place, name in enumerate(CURVES):
        for seed in range(3):
            accuracy = np.round(0.7 + 0.02 * place + 0.001 * seed + 0.0005 * TASKS, 4)
            size: dict[str, Any] = {"units": TASKS, "connections": 7840 + 794 * TASKS}
            write_run(folder / "outputs", what(name), seed, accuracy, **size)
    write_run(folder / "outputs", what("agn one", "fmnist"), 0, [0.5, 0.6], asked=9, state="interrupted")
    write_run(folder / "outputs", what("agn one", outgoing="</script>"), 0, [0.5, 0.6])
    write_run(folder / "outputs", what("ffcnn 2x77"), 0, [0.5, 0.6])
    done = command(folder, "figures.py", "--save-records")
    assert done.code == 0, done.error
    return folder, done.out


def test_one_command_leaves_figures_table_claims_records_and_report(made: tuple[Path, str]) -> None:
    outputs = made[0] / "outputs"
    names = (
        "table.csv",
        "table.md",
        "claims.csv",
        "claims.md",
        "choices.csv",
        "choices.md",
        "aen-mnist-N10000.png",
        "aen-mnist-N10000.pdf",
    )
    assert [name for name in names if not (outputs / "figures" / name).is_file()] == []
    assert (outputs / "report" / "index.html").is_file()
    assert (outputs / "records" / "curves.json").is_file()


def test_what_is_missing_unfinished_or_in_no_preset_is_said(made: tuple[Path, str]) -> None:
    said = made[1]
    assert "two_layer-mnist-N10000 is not drawn" in said
    assert "agn-fmnist-N10000: no runs of SGN" in said
    assert "AGN: seed 0 has 2 of 9 tasks (interrupted)" in said
    assert "in no preset: mnist/N10000/ffcnn-2x77 (1 runs)" in said
    assert "in no figure, but in the table: 1 with settings other than the defaults" in said


@pytest.mark.thorough
def test_records_alone_redraw_every_figure(made: tuple[Path, str], tmp_path: Path) -> None:
    before = made[0] / "outputs"
    (before / "records").rename(tmp_path / "records")
    try:
        done = command(tmp_path, "figures.py", "--records", ".")
    finally:
        (tmp_path / "records").rename(before / "records")
    assert done.code == 0, done.error
    for path in (before / "figures").iterdir():
        if path.suffix == ".png":
            assert (tmp_path / "figures" / path.name).read_bytes() == path.read_bytes()
    for name in ("choices.csv", "claims.csv", "table.csv"):
        assert (tmp_path / "figures" / name).read_text() == (before / "figures" / name).read_text()


def test_a_selection_draws_that_figure_and_leaves_the_report_alone(made: tuple[Path, str], tmp_path: Path) -> None:
    chosen = ("--figure", "aen", "--dataset", "mnist", "--out", str(tmp_path), "--smooth", "5")
    done = command(made[0], "figures.py", *chosen)
    assert done.code == 0, done.error
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["figures/aen-mnist-N10000.pdf", "figures/aen-mnist-N10000.png"]


def test_claims_are_said_with_their_numbers(made: tuple[Path, str]) -> None:
    done = command(made[0], "claims.py")
    assert done.code == 0, done.error
    assert "AGN: accuracy, last minus peak +0.00 [+0.00, +0.00] points, 3 seeds" in done.out
    assert "not enough runs" in done.out


def test_claims_of_one_data_set_are_said_and_the_files_of_all_left_alone(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    done = command(made[0], "claims.py", "--dataset", "fmnist", "--out", str(tmp_path))
    assert done.code == 0, done.error
    assert "FMNIST, N = 10,000" in done.out
    assert "\nMNIST" not in done.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--figure", "nope"], "--figure nope is not known; choose aen"),
        (["--figure", "two_layer", "--dataset", "cifar"], "--dataset cifar has no runs in outputs"),
        (["--outputs", "nowhere"], "nowhere is not a folder"),
        (["--records", "nowhere"], "nowhere/records/curves.json is missing"),
        (["--smooth", "0"], "--smooth 0 is not possible"),
        (["aen"], "aen is not a setting"),
        (["experiment=aen"], "--figure chooses what is drawn"),
        (["--figure", "paper"], "--figure paper is a grid"),
        (["setp_size=1"], "setp_size is not a known key"),
        (["bias=maybe"], "bias=maybe is not possible; it must be true or false"),
        (["bias=true,false"], "bias=true,false is more than one setting of a key"),
        (["--save-records", "--dataset", "mnist"], "--save-records is of every data set; leave out --dataset mnist"),
        (["--records", "outputs", "bias=false"], "would write over what outputs has; name another folder with --out"),
        (["--records", "outputs", "--smooth", "5"], "would write over what outputs has; name another folder"),
        (["step_size=0.5"], "is a curve of"),
        (["--out", "/dev/null/x"], "/dev/null"),
    ],
)
def test_a_mistake_is_one_sentence(made: tuple[Path, str], arguments: list[str], sentence: str) -> None:
    said_in_one_sentence(command(made[0], "figures.py", *arguments), sentence)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["N=40000"], "N=40000 is no setting to judge claims under; there are init.…, bias=…, order=…"),
        (["model=aen"], "model=aen is no setting"),
        (["bias=true,false"], "bias=true,false is more than one setting of a key"),
        (["step_size=0.5"], "no run of outputs has the settings step_size=0.5"),
        (["--records", "outputs", "bias=false"], "would write over what outputs has; name another folder with --out"),
        (["bias=false", "--dataset", "cifar", "order=fixed"], "--dataset cifar has no runs"),
    ],
)
def test_a_mistake_about_claims_is_one_sentence(made: tuple[Path, str], arguments: list[str], sentence: str) -> None:
    said_in_one_sentence(command(made[0], "claims.py", *arguments), sentence)


def said_in_one_sentence(said: Said, sentence: str) -> None:
    assert said.code == 1
    assert said.error.startswith("error: ")
    assert sentence in said.error
    assert "\n" not in said.error


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if tag == "a" and name == "href" and value and not value.startswith("#"):
                self.found.append(value)
            if name in ("src", "href") and value and value.startswith(("http:", "https:", "//")):
                self.outside.append(value)


def test_every_run_is_linked_and_nothing_comes_from_outside(made: tuple[Path, str]) -> None:
    page = made[0] / "outputs" / "report" / "index.html"
    links = Links()
    links.feed(page.read_text())
    folders = {(page.parent / unquote(link)).resolve() for link in links.found}
    assert folders == {path.parent.resolve() for path in made[0].glob("outputs/*/N*/*/*/config.yaml")}
    assert links.outside == []


def test_plotly_is_embedded_once(made: tuple[Path, str]) -> None:
    text = (made[0] / "outputs" / "report" / "index.html").read_text()
    assert text.count("* plotly.js v") == 1


PLOTS = "document.querySelectorAll('#plots .plot')"
PLOTTED = "document.querySelectorAll('#plots .js-plotly-plot').length"
ROWS = "[...document.querySelectorAll('#table tbody tr')]"


@pytest.fixture(scope="module")
def browser(made: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Chromium]:
    if chromium.PATH is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as opened:
        opened.open(made[0] / "outputs" / "report" / "index.html")
        opened.wait(f"{PLOTTED} === figures.filter(figure => figure.cell === cells[0]).length")
        yield opened


@pytest.mark.browser
def test_the_page_draws_every_figure_of_its_first_cell(browser: chromium.Chromium) -> None:
    titles = browser.evaluate("[...document.querySelectorAll('#plots h3')].map(h => h.textContent)")
    alone = ["SGN", "AGN against SGN and F-FCNN", "AEN against random pruning, AGN and F-FCNN"]
    assert titles == ["Fixed, growing and elastic networks", *alone]
    # Every curve's line in each of the four panels.
    lines = browser.evaluate(f"{PLOTS}[3].querySelectorAll('.scatterlayer .trace .js-line').length")
    assert lines >= 4 * 6


@pytest.mark.browser
def test_the_drawn_numbers_are_the_means_over_seeds(browser: chromium.Chromium) -> None:
    assert browser.evaluate(f"{PLOTS}[0].data.find(t => t.name === 'SGN' && t.y.length > 1).y[59]") == pytest.approx(
        100 * (0.72 + 0.001 + 0.0005 * 59), abs=1e-3
    )


@pytest.mark.browser
def test_another_cell_shows_its_own_figures(browser: chromium.Chromium) -> None:
    browser.evaluate("document.querySelectorAll('.tabs button')[1].click()")
    browser.wait(f"{PLOTTED} === 1")
    assert "no runs of SGN" in browser.evaluate("document.querySelector('#plots .note').textContent")
    browser.evaluate("document.querySelectorAll('.tabs button')[0].click()")
    browser.wait(f"{PLOTTED} === 4")


@pytest.mark.browser
def test_smoothing_redraws(browser: chromium.Chromium) -> None:
    first = f"{PLOTS}[0].data.find(t => t.name === 'SGN' && t.y.length > 1).y[0]"
    before = browser.evaluate(first)
    select = "document.querySelector('.tabs select')"
    browser.evaluate(f"{select}.value = '11'; {select}.dispatchEvent(new Event('change'))")
    assert browser.evaluate(first) == pytest.approx(before + 100 * 0.0005 * 2.5, abs=1e-3)
    browser.evaluate(f"{select}.value = '1'; {select}.dispatchEvent(new Event('change'))")
    assert browser.evaluate(first) == before


@pytest.mark.browser
def test_the_table_sorts_by_number_up_and_down(browser: chromium.Chromium) -> None:
    column = f"{ROWS}.map(row => Number(row.children[7].dataset.value))"
    click = "document.querySelectorAll('#table th')[7].click()"
    browser.evaluate(click)
    up = browser.evaluate(column)
    browser.evaluate(click)
    down = browser.evaluate(column)
    assert up == sorted(up)
    assert down == sorted(up, reverse=True)
    assert len(set(up)) > 5


@pytest.mark.browser
def test_the_table_sorts_by_text(browser: chromium.Chromium) -> None:
    browser.evaluate("document.querySelectorAll('#table th')[2].click()")
    names = browser.evaluate(f"{ROWS}.map(row => row.children[2].textContent)")
    assert names[0].startswith("AEN")
    assert names[-1] == "SGN"


@pytest.mark.browser
def test_a_claim_opens_to_its_numbers(browser: chromium.Chromium) -> None:
    claims = "[...document.querySelectorAll('#verdicts tr.claim')]"
    row = f"{claims}.find(claim => claim.textContent.includes('AGN does not decline'))"
    assert browser.evaluate(f"{row}.nextElementSibling.hidden")
    browser.evaluate(f"{row}.click()")
    assert not browser.evaluate(f"{row}.nextElementSibling.hidden")
    assert "3 seeds" in browser.evaluate(f"{row}.nextElementSibling.textContent")


@pytest.mark.browser
def test_the_page_said_no_error_and_asked_for_nothing_but_itself(browser: chromium.Chromium) -> None:
    assert browser.errors == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in browser.requests if url.startswith("file:")]) == 1
