"""One unreadable file stops nobody else: whatever is wrong with it is one sentence, and the other runs are there."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.small import record
from support.synthetic import what, write_run

from plasticity.grid import state
from plasticity.ground.errors import Mistake
from plasticity.results import curves
from plasticity.runs import checkpoint, rows
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.folder import Folder
from plasticity.runs.progress import Quiet
from plasticity.runs.run import Run
from plasticity.tracking import sync

Make = Callable[..., Config]
Damage = Callable[[Path], object]


def in_its_place(path: Path, make: Damage) -> None:
    path.unlink()
    make(path)


DAMAGES: dict[str, Damage] = {
    "a folder": lambda path: in_its_place(path, Path.mkdir),
    "a link to itself": lambda path: in_its_place(path, lambda place: place.symlink_to(place)),
    "bytes that are no text": lambda path: path.write_bytes(b"\xff\x00\xfe\n\n\n"),
    "a field of 200 kB": lambda path: path.write_text("task,accuracy\n0," + "1" * 200_000 + "\n"),
    "brackets without end": lambda path: path.write_text("[" * 100_000 + "\n\n"),
    "a list": lambda path: path.write_text("[1, 2]\n\n"),
}
FILES = ("config.yaml", "tasks.csv", "status.json")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs: one to damage, and one that must not suffer."""
    bad, good = (write_run(tmp_path, what(name), 0, [0.5, 0.6, 0.7]) for name in ("agn one", "aen one"))
    return bad, good


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_is_one_sentence_and_the_other_run_is_there(
    two: tuple[Path, Path], tmp_path: Path, file: str, damage: str
) -> None:
    bad, good = two
    DAMAGES[damage](bad / file)
    seen, problems = state.find(tmp_path)
    told(problems, bad, file)
    assert good in [each.folder for each in seen]
    found, problems = curves.read(tmp_path)
    told([problem for problem in problems if "no task is done yet" not in problem] or problems, bad, "")
    assert str(good.relative_to(tmp_path)) in [trace.folder for curve in found for trace in curve.traces]


@pytest.mark.parametrize("number", [errno.EACCES, errno.ESTALE, errno.EIO])
@pytest.mark.parametrize("file", FILES)
def test_a_disks_error_is_one_sentence_and_the_other_run_is_there(
    two: tuple[Path, Path], tmp_path: Path, file: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = two
    failing(monkeypatch, bad / file, number)
    seen, problems = state.find(tmp_path)
    told(problems, bad, file)
    assert os.strerror(number) in problems[0]
    assert good in [each.folder for each in seen]


def told(problems: list[str], folder: Path, file: str) -> None:
    (problem,) = problems
    assert str(folder) in problem
    assert file in problem
    assert "\n" not in problem


def failing(monkeypatch: pytest.MonkeyPatch, bad: Path, number: int) -> None:
    """From here on the disk answers with this error when the file is read."""
    opened = Path.open

    def open(path: Path, *arguments: Any, **more: Any) -> Any:
        if path == bad:
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", open)


def test_a_folder_that_cannot_be_listed_is_said(two: tuple[Path, Path], tmp_path: Path, monkeypatch) -> None:
    bad, good = two
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path) == bad:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    failing(monkeypatch, bad / "config.yaml", errno.EACCES)
    seen, problems = state.find(tmp_path)
    told(problems, bad, "Permission denied")
    assert [each.folder for each in seen] == [good]


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "a label that leaves its folder": lambda what: what.update(label="../../x"),
    "a data set that leaves its folder": lambda what: what["dataset"].update(name="/etc/x"),
    "a label that is a number": lambda what: what.update(label=3),
    "a label with an escape": lambda what: what.update(label="\x1b[2J"),
    "rules that are a word": lambda what: what["model"].update(rules="none"),
    "a rule without settings": lambda what: what["model"].update(rules=[["grow", None]]),
    "a K that is a word": lambda what: what["model"].update(rules=[["grow", {"kind": "Every", "K": "x"}]]),
    "a network that is a list": lambda what: what["model"].update(network=[]),
    "a width that is a word": lambda what: what["model"].update(network={"kind": "Layered", "layers": 1, "width": "x"}),
    "no update": lambda what: what.pop("update"),
    "an N that is a word": lambda what: what.update(N="many"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_configuration_that_is_not_a_runs_is_one_sentence(two: tuple[Path, Path], tmp_path: Path, wrong: str) -> None:
    bad, good = two
    config = yaml.safe_load((bad / "config.yaml").read_text())
    WRONG[wrong](config["identity"])
    (bad / "config.yaml").write_text(yaml.safe_dump(config))
    seen, problems = state.find(tmp_path)
    told(problems, bad, "config.yaml")
    assert [each.folder for each in seen] == [good]


STATUS: dict[str, str] = {
    "a state that is a list": '"state": []',
    "a process that is a word": '"pid": "x"',
    "tasks that are nothing": '"tasks_done": null',
}


@pytest.mark.parametrize("wrong", STATUS)
def test_a_status_that_is_not_a_runs_is_one_sentence(two: tuple[Path, Path], tmp_path: Path, wrong: str) -> None:
    bad, _ = two
    text = (bad / "status.json").read_text()
    (bad / "status.json").write_text(text[: text.rindex("}")] + f", {STATUS[wrong]}}}")
    seen, problems = state.find(tmp_path)
    told(problems, bad, "status.json")
    assert len(seen) == 2


def test_sync_publishes_the_others_and_says_what_cannot_be_read(two: tuple[Path, Path], tmp_path: Path) -> None:
    bad, good = two
    (bad / "config.yaml").write_text("{")
    folders, (unpublished,) = sync.runs(tmp_path)
    assert folders == [good]
    assert unpublished.folder == bad
    assert "config.yaml cannot be read" in unpublished.reason


@pytest.mark.parametrize("lost", ["all of it", "its last tasks"])
def test_rows_that_no_checkpoint_vouches_for_make_no_run_finished(run_config: Make, lost: str) -> None:
    config = run_config("tasks=3")
    execute(run_config("tasks=2"), Quiet())
    before = (Run(config).folder / "checkpoint").read_bytes()
    run = execute(config, Quiet())
    numbers = [{**row, "seconds": 0} for row in run.rows]
    assert run.finished
    path = run.folder / "checkpoint"
    path.unlink() if lost == "all of it" else path.write_bytes(before)
    assert not run.finished
    assert state.of(run).state == "waiting"
    (run.folder / "checkpoint.previous").unlink()
    assert [{**row, "seconds": 0} for row in execute(config, Quiet()).rows] == numbers
    assert run.finished


def test_rows_beyond_what_a_run_said_it_had_done_are_not_published(run_config: Make) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    rows.write(run.folder / "tasks.csv", [*run.rows, record(2)])
    assert len(Folder(run.folder).certain_rows) == 2


def test_a_checkpoint_that_the_disk_does_not_give_is_left_where_it_is(
    run_config: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    before = {path.name for path in run.folder.iterdir()}
    with monkeypatch.context() as patch:
        failing(patch, run.folder / "checkpoint", errno.EIO)
        with pytest.raises(Mistake, match=r"checkpoint cannot be read \(Input/output error\)"):
            execute(run_config("tasks=3"), Quiet())
    assert {path.name for path in run.folder.iterdir()} == before
    assert checkpoint.rows(run.folder) == 2
    assert len(execute(run_config("tasks=3"), Quiet()).rows) == 3


def test_a_folder_in_a_checkpoints_place_is_set_aside_and_the_run_goes_on(run_config: Make) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    in_its_place(run.folder / "checkpoint", Path.mkdir)
    assert len(execute(run_config("tasks=3"), Quiet()).rows) == 3
    assert (run.folder / "unusable-1-checkpoint").is_dir()


@pytest.mark.parametrize("file", ["tasks.csv", "status.json", "config.yaml", "run.log"])
def test_a_run_with_a_folder_in_a_files_place_fails_in_one_sentence(run_config: Make, file: str) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    in_its_place(run.folder / file, Path.mkdir)
    with pytest.raises(Mistake, match=file):
        execute(run_config("tasks=3"), Quiet())
    assert not Run(run_config("tasks=3")).finished
