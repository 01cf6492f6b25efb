"""Every command in every README runs, word for word but for a smaller size, one after the other in one folder."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from support.readme import SET_UP, commands, do, documents, files, lay_out
from support.small import ROOT
from support.wandb_server import KEY, Server, serving

README = ROOT / "README.md"
COMPLETION = 'eval "$(python launch/main.py -sc install=bash)"'
# Have tests of their own, or are what .ci/run does.
ELSEWHERE = (
    *("pytest", "pyright", "'.[test]'", "launcher=slurm", "launch/benchmark", "launch/scaling.py", "launch/cost.py"),
    *("outputs/published", "experiment=field", "launch/field.py", COMPLETION),
)
EXPORT = "export "
LONG = ("seed=range(0,10)", "model.layers=2")  # of the README's, those that show nothing that others do not
HERE = {
    document: [command for command in commands(document) if not any(word in command for word in ELSEWHERE)]
    for document in documents()
}
EACH = [
    pytest.param(
        document,
        command,
        id=f"{document.relative_to(ROOT)}: {command}",
        marks=pytest.mark.thorough  # those of the rooms are many
        if document != README or any(word in command for word in LONG)
        else pytest.mark.slow,
    )
    for document, there in HERE.items()
    for command in there
    if not command.startswith(EXPORT)
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    return {document: lay_out(tmp_path_factory.mktemp("readme"), document) for document in HERE}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.mark.parametrize(("document", "command"), EACH)
def test_the_command_runs(document: Path, command: str, places: dict[Path, Path], server: Server) -> None:
    place = places[document]
    exported = dict(line.removeprefix(EXPORT).split("=") for line in HERE[document] if line.startswith(EXPORT))
    done = do(command, place, WANDB_BASE_URL=server.url, WANDB_API_KEY=KEY, **exported)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.strip() or "python -c" in command
    states = {json.loads(path.read_text())["state"] for path in (place / "outputs").rglob("status.json")}
    assert states <= {"finished"}


@pytest.mark.slow
def test_keys_complete_in_a_shell_after_the_command_for_it() -> None:
    assert any(COMPLETION in there for there in map(commands, documents()))
    words = COMPLETION.replace("python ", f"{sys.executable} ") + "; complete -p"
    done = subprocess.run(["bash", "-c", words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "hydra_bash_completion python" in done.stdout, done.stderr


@pytest.mark.slow
def test_what_the_readme_adds_leaves_rows_and_columns(places: dict[Path, Path]) -> None:
    """After the commands above, in the same folder."""
    outputs = places[README] / "outputs"
    if not outputs.exists():
        pytest.skip("the README's commands have not run in this process")
    (shapes,) = outputs.glob("shapes/N300/aen-K*/*/tasks.csv")
    with shapes.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2
    assert float(rows[1]["sparsity"]) >= 0
    configs = [yaml.safe_load(path.read_text()) for path in outputs.rglob("config.yaml")]
    kinds = {config["identity"][part]["kind"] for config in configs for part in ("update", "stream")}
    assert {"Momentum", "Rolling"} <= kinds
    assert any(path.is_dir() for path in outputs.glob("*/*/lean-50-*"))
    assert (outputs / "rolling" / "figures" / "by-stream-order-toy-N50.png").exists()


def test_every_part_that_the_readme_adds_is_one_file_and_one_yaml() -> None:
    there = files(README)
    assert sorted(name for name in there if name.endswith(".yaml")) == [
        "mine/dataset/shapes.yaml",
        "mine/measures/sparsity.yaml",
        "mine/model/lean.yaml",
        "mine/stream/rolling.yaml",
        "mine/update/momentum.yaml",
    ]
    assert sorted(name for name in there if name.endswith(".py")) == [
        "mine/momentum.py",
        "mine/rolling.py",
        "mine/smallest.py",
        "mine/sparsity.py",
    ]  # the data set's other file is its images


def test_the_readme_opens_with_the_two_commands() -> None:
    first, second = (command for command in commands(README) if command.startswith(SET_UP))
    assert commands(README)[:2] == [first, second]
    assert first.endswith("launch/main.py -m model=agn,aen,sgn dataset=mnist,fmnist")
    assert second.endswith("pytest")


def test_the_readme_has_at_most_170_lines() -> None:
    assert len(README.read_text().splitlines()) <= 170


def test_every_link_of_a_readme_leads_somewhere() -> None:
    for document in documents():
        for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", document.read_text()):
            assert link.startswith("http") or (document.parent / link).exists(), f"{document}: {link}"


def test_no_command_hides_in_an_unnamed_block() -> None:
    for document in documents():
        openings = re.findall(r"^```(.*)$", document.read_text(), re.M)[::2]
        assert all(openings), f"{document} has a block without a language"
