import csv
import sys
import zlib
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

from plasticity.lives import LOOKS, Event, Page
from plasticity.results.measures import MEASURES
from plasticity.results.statistics import bands, quantile, smooth
from plasticity.runs import pages
from plasticity.runs.folder import LIVES

pytestmark = pytest.mark.slow  # starts commands in processes of their own

ROOT = Path(__file__).parents[2]
TASKS = np.arange(60)
HOSTILE = "<!--<script> <b>[red]x[/] </script>"  # as an error may have it
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


def write_lives(run: Path) -> None:
    """Unit 0 comes in task 0 and goes when task 2 begins, unit 1 comes in task 1."""
    fired = [[], [0.5], [0.0, 1.0], *[[1.0]] * 57]
    happened = [[Event(5000, None, None, 0)], [Event(5000, None, None, 1)], [Event(0, 0, HOSTILE, None)], *[[]] * 57]
    looks = [{name: np.array(values, np.float32) for name in LOOKS} for values in fired]
    written = (pages.line(Page(task, looks[task], happened[task])) for task in range(60))
    (run / LIVES).write_text("".join(written))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with runs, figures and report, and what the command said."""
    folder = tmp_path_factory.mktemp("report")
    for place, name in enumerate(CURVES):
        for seed in range(3):
            accuracy = np.round(0.7 + 0.02 * place + 0.001 * seed + 0.0005 * TASKS, 4)
            size: dict[str, Any] = {"units": TASKS, "connections": 7840 + 794 * TASKS}
            run = write_run(folder / "outputs", what(name), seed, accuracy, **size)
            if name in ("aen one", "aen two"):
                write_lives(run)
    write_run(folder / "outputs", what("agn one", "fmnist"), 0, [0.5, 0.6], asked=9, state="interrupted")
    write_run(folder / "outputs", what("agn one", outgoing="</script>"), 0, [0.5, 0.6])
    write_run(folder / "outputs", what("ffcnn 2x77"), 0, [0.5, 0.6])
    write_run(folder / "outputs", what("sgn one"), 3, [0.5, 0.6], asked=80, state="failed", error=HOSTILE)
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


def test_what_is_missing_or_unfinished_is_said(made: tuple[Path, str]) -> None:
    said = made[1]
    assert "two_layer-mnist-N10000 is not drawn" in said
    assert "agn-fmnist-N10000: no runs of SGN" in said
    assert "AGN: seed 0 has 2 of 9 tasks (interrupted)" in said


def test_what_no_preset_has_is_drawn_too(made: tuple[Path, str]) -> None:
    drawn = {path.stem for path in (made[0] / "outputs" / "figures").glob("*.png")}
    assert {"others-mnist-N10000", "by-init.outgoing-mnist-N10000"} <= drawn


def test_chosen_curves_and_measures_are_drawn_and_the_report_left_alone(made: tuple[Path, str], tmp_path: Path) -> None:
    chosen = ("--curves", "model=aen growth=*", "--measure", "accuracy,effective_rank", "--out", str(tmp_path))
    done = command(made[0], "figures.py", *chosen)
    assert done.code == 0, done.error
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png"))
    assert files == ["figures/chosen-mnist-N10000-accuracy-effective_rank.png"]
    assert not (tmp_path / "report").exists()


def test_words_that_say_which_runs_choose_them_seed_by_seed(made: tuple[Path, str], tmp_path: Path) -> None:
    done = command(made[0], "figures.py", "model=sgn", "seed=3", "--out", str(tmp_path))
    assert done.code == 0, done.error
    assert [path.name for path in tmp_path.rglob("*.png")] == ["chosen-mnist-N10000.png"]
    assert "SGN: seed 3 has 2 of 80 tasks" in done.out  # what is too short beside other seeds is drawn alone
    assert not (tmp_path / "report").exists()


OWN_PRESET = """# @package _global_
hydra:
  mode: MULTIRUN
  sweeper:
    title: Mine
    curves: ["model=sgn,agn"]
"""


def test_a_preset_of_ones_own_is_a_figure(made: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    (tmp_path / "mine" / "experiment" / "two.yaml").write_text(OWN_PRESET)
    own = ("--config-dir", str(tmp_path / "mine"), "--figure", "two", "--dataset", "mnist", "--out", str(tmp_path))
    done = command(made[0], "figures.py", *own)
    assert done.code == 0, done.error
    assert (tmp_path / "figures" / "two-mnist-N10000.png").is_file()


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
    assert "AGN does not decline" in done.out
    assert "SGN declines" not in done.out  # there are no runs of SGN
    assert "more claims are about curves without runs" in done.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--figure", "nope"], "--figure nope is not known; choose abruptness"),
        (["--figure", "two_layer", "--dataset", "cifar"], "--dataset cifar has no runs in outputs"),
        (["--outputs", "nowhere"], "nowhere is not a folder"),
        (["--records", "nowhere"], "nowhere/records/curves.json is missing"),
        (["--smooth", "0"], "--smooth 0 is not possible"),
        (["--curves", "model=nope"], "no run of outputs is of model=nope"),
        (["--curves", "modle=aen"], "modle is no key of these runs; did you mean model?"),
        (["--by", "nope"], "nope is no key of these runs"),
        (["--measure", "acuracy"], "has the measure acuracy; did you mean accuracy?"),
        (["--config-dir", "nowhere"], "--config-dir nowhere is not a folder"),
        (["--figure", "aen", "--by", "N"], "give one or the other"),
        (["--against", "N", "--by", "N"], "give one or the other"),
        (["--against", "N", "--figure", "aen"], "give one or the other"),
        (["--against", "steps"], "steps is no key of these runs"),
        (["aen"], "aen is not a setting; write KEY=VALUE"),
        (["outputs"], "outputs is not a setting; --outputs outputs reads that folder"),
        (["experiment=aen"], "experiment=aen is given to a run; here it is --figure aen"),
        (["tasks=2"], "tasks=2 changes nothing in a figure"),
        (["seed=1", "--figure", "aen"], "leave out seed=1, or --figure"),
        (["seed=77"], "outputs has no run of these seeds"),
        (["model=nope", "step_size=1"], "no run of outputs is of model=nope step_size=1"),
        (["--figure", "paper"], "--figure paper is a grid"),
        (["setp_size=1"], "setp_size is not a known key"),
        (["bias=maybe"], "bias=maybe is not possible; it must be true or false"),
        (["bias=true,false"], "bias=true,false is more than one setting of a key"),
        (["--save-records", "--dataset", "mnist"], "--save-records is of every data set; leave out --dataset mnist"),
        (["--records", "outputs", "bias=false"], "would write over what outputs has; name another folder with --out"),
        (["--records", "outputs", "--outputs", "outputs"], "outputs and outputs are read together; say where"),
        (["--records", "outputs", "--smooth", "5"], "would write over what outputs has; name another folder"),
        (["step_size=0.5"], "no run of outputs has the settings step_size=0.5"),
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


FIRST = "document.querySelector('#plots .plot')"
PLOTTED = "document.querySelectorAll('#plots .js-plotly-plot').length"
ROWS = "[...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden)"
SGN = f"{FIRST}.data.find(t => t.name === 'SGN' && t.meta.panel === 'accuracy')"


@pytest.fixture(scope="module")
def browser(made: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Chromium]:
    if chromium.PATH is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as opened:
        opened.downloads(tmp_path_factory.mktemp("downloads"))
        opened.open(made[0] / "outputs" / "report" / "index.html")
        opened.wait(f"{PLOTTED} > 0")
        yield opened


def picked(browser: chromium.Chromium, name: str, value: str) -> None:
    select = f"document.getElementById('pick-{name}')"
    browser.evaluate(f"{select}.value = '{value}'; {select}.dispatchEvent(new Event('change'))")


@pytest.mark.browser
def test_the_page_opens_with_a_picture(browser: chromium.Chromium) -> None:
    assert browser.evaluate(f"{FIRST}.getBoundingClientRect().top") < 450
    assert browser.evaluate(f"{FIRST}.querySelectorAll('.scatterlayer .trace .js-line').length") >= 4 * 4


@pytest.mark.browser
def test_every_figure_of_the_cell_is_there(browser: chromium.Chromium) -> None:
    titles = browser.evaluate("[...document.querySelectorAll('#plots h3')].map(h => h.textContent)")
    assert titles == [
        "Fixed, growing and elastic networks",
        "SGN",
        "AGN against SGN and F-FCNN",
        "AEN against random pruning, AGN and F-FCNN",
        "Other networks",
        "By init.outgoing",
    ]


@pytest.mark.browser
def test_an_error_is_shown_as_text_and_leaves_the_pages_script_whole(browser: chromium.Chromium) -> None:
    notes = browser.evaluate("[...document.querySelectorAll('#plots .note')].map(p => p.textContent).join()")
    assert HOSTILE in notes
    assert browser.evaluate("document.querySelectorAll('footer').length") == 1


@pytest.mark.browser
def test_a_legend_is_text_to_plotly_too(browser: chromium.Chromium) -> None:
    own = "{...figures[0], curves: [{...figures[0].curves[0], legend: '<b>a</b> & <i>b'}]}"
    browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<div id=own></div>')")
    drawn = "(({data, layout}) => Plotly.newPlot('own', data, layout).then(() => 0))"
    browser.evaluate(f"{drawn}(printed({own}, ['accuracy'], 1, new Set()))")
    assert browser.evaluate("document.querySelector('#own .legendtext').textContent") == "<b>a</b> & <i>b"
    browser.evaluate("document.getElementById('own').remove()")


@pytest.mark.browser
def test_the_drawn_numbers_are_the_means_over_seeds(browser: chromium.Chromium) -> None:
    assert browser.evaluate(f"{SGN}.y[59]") == pytest.approx(100 * (0.72 + 0.001 + 0.0005 * 59), abs=1e-3)


@pytest.mark.browser
def test_markers_are_staggered(browser: chromium.Chromium) -> None:
    marks = f"{FIRST}.data.filter(t => t.meta && t.meta.marks && t.meta.panel === 'accuracy').map(t => t.x[0])"
    firsts = browser.evaluate(marks)
    assert len(set(firsts)) == len(firsts) == 4


@pytest.mark.browser
def test_a_cell_without_runs_has_no_column_of_verdicts(browser: chromium.Chromium) -> None:
    heads = browser.evaluate("[...document.querySelectorAll('#verdicts th')].map(head => head.textContent)")
    assert heads == ["The paper says", "MNIST, N = 10,000", "FMNIST, N = 10,000"]


@pytest.mark.browser
def test_another_data_set_shows_its_own_figures(browser: chromium.Chromium) -> None:
    picked(browser, "dataset", "fmnist")
    browser.wait(f"{PLOTTED} === 1")
    assert "no runs of SGN" in browser.evaluate("document.querySelector('#plots .note').textContent")
    picked(browser, "dataset", "mnist")
    browser.wait(f"{PLOTTED} > 0 && document.querySelectorAll('#plots .figure').length === 6")


@pytest.mark.browser
def test_smoothing_is_by_seed_and_the_band_is_that_of_the_smoothed_mean(browser: chromium.Chromium) -> None:
    before = browser.evaluate(f"{SGN}.y[0]")
    picked(browser, "smoothing", "11")
    assert browser.evaluate(f"{SGN}.y[0]") == pytest.approx(before + 100 * 0.0005 * 2.5, abs=1e-3)
    series = np.random.default_rng(0).normal(0.5, 0.1, (4, 30))
    line = bands(smooth(series, 5))
    rows = f"{series.tolist()}.map(row => Float32Array.from(row)).map(row => smooth(row, 5))"
    own = browser.evaluate(f"quantiles[4] = {float(quantile(3))}, band({rows})")
    np.testing.assert_allclose(own["mean"], line.mean, rtol=1e-5)
    np.testing.assert_allclose(own["half"], line.half, rtol=1e-4)
    picked(browser, "smoothing", "1")
    assert browser.evaluate(f"{SGN}.y[0]") == before


@pytest.mark.browser
def test_any_measure_can_be_picked(browser: chromium.Chromium) -> None:
    browser.evaluate("document.querySelector('#pick-measures input[value=effective_rank]').click()")
    browser.wait(f"{PLOTTED} > 0")
    titles = f"{FIRST}.layout.annotations.map(one => one.text)"
    assert "<b>Effective rank</b>" in browser.evaluate(titles)
    measures = browser.evaluate("[...document.querySelectorAll('#pick-measures input')].map(box => box.value)")
    assert {*MEASURES} <= {*measures}
    browser.evaluate("document.querySelector('#pick-measures button').click()")
    browser.wait(f"{PLOTTED} > 0 && {FIRST}.layout.annotations.length === 4")


@pytest.mark.browser
def test_curves_can_be_hidden_and_chosen(browser: chromium.Chromium) -> None:
    names = f"[...new Set({FIRST}.data.filter(t => t.name).map(t => t.name))]"
    button = "[...document.querySelectorAll('#plots .legend button')].find(one => one.textContent === 'SGN')"
    browser.evaluate(f"{button}.click()")
    assert "SGN" not in browser.evaluate(names)
    browser.evaluate(f"{button}.click()")
    assert "SGN" in browser.evaluate(names)
    picked(browser, "figure", "choice-mnist-N10000")
    browser.wait(f"{PLOTTED} === 1")
    assert browser.evaluate("document.querySelectorAll('#plots .legend button[data-key]').length") == 9
    picked(browser, "figure", "every figure")
    browser.wait(f"{PLOTTED} > 0 && document.querySelectorAll('#plots .figure').length === 6")


@pytest.mark.browser
def test_data_and_figures_are_downloaded_from_the_page(browser: chromium.Chromium) -> None:
    for kind in ("csv", "png", "pdf", "svg"):
        browser.evaluate(f"document.querySelector('.downloads button[data-kind={kind}]').click()")
    name = "overview-mnist-N10000"
    found = {kind: browser.downloaded(f"{name}.{kind}").read_bytes() for kind in ("csv", "png", "pdf", "svg")}
    assert found["png"].startswith(b"\x89PNG")
    assert b"<svg" in found["svg"][:200]
    assert found["pdf"].startswith(b"%PDF-1.4")
    assert found["pdf"].rstrip().endswith(b"%%EOF")
    drawn = zlib.decompress(found["pdf"].partition(b"stream\n")[2].partition(b"\nendstream")[0]).decode()
    assert "(SGN) Tj" in drawn
    assert drawn.count(" l\n") > 4 * 4 * 30  # lines, not pixels
    rows = list(csv.DictReader(found["csv"].decode().splitlines()))
    sgn = [row for row in rows if (row["curve"], row["measure"], row["task"]) == ("SGN", "accuracy", "59")]
    assert [float(row["seed1"]) for row in sgn] == [pytest.approx(0.72 + 0.001 + 0.0005 * 59, abs=1e-4)]


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
def test_tables_are_searched_filtered_and_downloaded(browser: chromium.Chromium) -> None:
    search = "document.querySelector('#table input[type=search]')"
    browser.evaluate(f"{search}.value = 'aen two'; {search}.dispatchEvent(new Event('input'))")
    assert browser.evaluate(f"{ROWS}.map(row => row.children[2].textContent)") == ["AEN, two new units per task"]
    browser.evaluate("document.querySelector('#table .tools button').click()")
    lines = browser.downloaded("table.csv").read_text().splitlines()
    assert len(lines) == 2
    browser.evaluate(f"{search}.value = ''; {search}.dispatchEvent(new Event('input'))")
    data = "document.querySelector('#table .tools select')"
    browser.evaluate(f"{data}.value = 'FMNIST'; {data}.dispatchEvent(new Event('change'))")
    assert len(browser.evaluate(f"{ROWS}.map(row => row.textContent)")) == 1
    browser.evaluate(f"{data}.value = ''; {data}.dispatchEvent(new Event('change'))")


@pytest.mark.browser
def test_a_claim_opens_to_its_numbers(browser: chromium.Chromium) -> None:
    claims = "[...document.querySelectorAll('#verdicts tr.claim')]"
    row = f"{claims}.find(claim => claim.textContent.includes('AGN does not decline'))"
    assert browser.evaluate(f"{row}.nextElementSibling.hidden")
    browser.evaluate(f"{row}.click()")
    assert not browser.evaluate(f"{row}.nextElementSibling.hidden")
    assert "3 seeds" in browser.evaluate(f"{row}.nextElementSibling.textContent")


@pytest.mark.browser
def test_the_page_is_dark_where_somebody_wants_it_dark(browser: chromium.Chromium) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    assert browser.evaluate(paper) == "rgb(255, 255, 255)"
    browser.prefers("dark")
    browser.wait(f"{paper} === 'rgb(20, 24, 29)'")
    browser.wait(f"{FIRST}.layout.paper_bgcolor === '#14181d'")
    black = f"{FIRST}.data.find(t => t.name && t.name.startsWith('F-FCNN')).line.color"
    assert browser.evaluate(black) == "#f0f2f4"
    browser.prefers("light")


@pytest.mark.browser
def test_panels_stack_on_a_phone_and_nothing_is_wider_than_it(browser: chromium.Chromium) -> None:
    columns = f"new Set({FIRST}.layout.annotations.map(one => one.x)).size"
    assert browser.evaluate(columns) == 2
    browser.resize(400)
    browser.wait(f"{columns} === 1")
    browser.wait("document.documentElement.scrollWidth <= 400")  # Plotly follows a moment later
    browser.resize(1280)
    browser.wait(f"{columns} === 2")


@pytest.mark.browser
def test_lifelines_of_a_run_are_drawn_and_can_be_picked(browser: chromium.Chromium) -> None:
    box = "document.getElementById('lifelines')"
    where = "MNIST, N = 10,000, seed 0"
    named = [f"AEN, {rate} per task, {where}" for rate in ("one new unit", "two new units")]
    assert browser.evaluate("[...pick('life').options].map(one => one.text)") == named
    browser.evaluate(f"{box}.scrollIntoView()")
    browser.wait(f"{box}.data?.length === 2")
    heat, dead = browser.evaluate(
        f"{box}.data.map(({{z, x, y, name}}) => ({{z, x: [...(x ?? [])], y: [...(y ?? [])], name}}))"
    )
    assert heat["z"] == [[None, 50, *[None] * 58], [None, None, *[100] * 58]]
    assert (dead["x"], dead["y"]) == ([1.5], [0])  # task 2 is drawn from 1.5 to 2.5
    shown = browser.evaluate(f"{box}.querySelector('.legendtext').textContent")
    assert shown == f"died: {HOSTILE}"
    browser.evaluate("pick('life').value = '1'; pick('life').onchange().then(() => 0)")
    browser.evaluate(f"Plotly.relayout({box}, {{'xaxis.range': [0, 5]}}).then(() => 0)")
    assert browser.evaluate(f"{box}._fullLayout.xaxis.range") == [0, 5]


@pytest.mark.browser
def test_the_page_said_no_error_and_asked_for_nothing_but_itself(browser: chromium.Chromium) -> None:
    assert browser.errors == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in browser.requests if url.startswith("file:")]) == 1
