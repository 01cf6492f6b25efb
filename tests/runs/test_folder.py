"""A run's folder: found, read, written and cleared; and what a run ran on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.small import record

from plasticity.ground.errors import Mistake
from plasticity.runs import checkpoint, folder, rows
from plasticity.runs.checkpoint import Checkpoint
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.folder import Folder
from plasticity.runs.progress import Quiet
from plasticity.runs.resolve import read_config
from plasticity.runs.run import Run

Make = Callable[..., Config]


def ran_on(run: Run) -> list[dict[str, Any]]:
    return yaml.safe_load((run.folder / "config.yaml").read_text())["ran_on"]


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """From here on, another version of numpy."""
    own = folder.versions()
    return lambda version: monkeypatch.setattr(folder, "versions", lambda: {**own, "numpy": version})


def test_a_run_that_goes_on_with_the_same_versions_ran_on_one_thing(run_config: Make) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    (before,) = ran_on(run)
    execute(run_config("tasks=4"), Quiet())
    assert ran_on(run) == [before]
    assert before == {"from_task": 0, **folder.versions()}


def test_a_run_that_goes_on_with_other_versions_says_from_which_task(
    run_config: Make, newer: Callable[[str], None]
) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    (before,) = ran_on(run)
    newer("99.0")
    execute(run_config("tasks=4"), Quiet())
    assert ran_on(run) == [before, {**before, "from_task": 2, "numpy": "99.0"}]
    execute(run_config("tasks=5"), Quiet())
    assert len(ran_on(run)) == 2
    newer("100.0")
    execute(run_config("tasks=6"), Quiet())
    assert [(each["from_task"], each["numpy"]) for each in ran_on(run)][1:] == [(2, "99.0"), (5, "100.0")]


def test_a_finished_run_that_is_only_looked_at_ran_on_nothing_more(
    run_config: Make, newer: Callable[[str], None]
) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    newer("99.0")
    execute(run_config("tasks=2"), Quiet())
    assert len(ran_on(run)) == 1


def test_a_run_that_starts_over_forgets_what_it_ran_on(run_config: Make, newer: Callable[[str], None]) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    newer("99.0")
    execute(run_config("tasks=2", "force=true"), Quiet())
    assert [(each["from_task"], each["numpy"]) for each in ran_on(run)] == [(0, "99.0")]


def test_rows_that_no_checkpoint_holds_are_made_by_what_goes_on(run_config: Make, newer: Callable[[str], None]) -> None:
    run = Run(run_config())
    run.folder.mkdir(parents=True)
    Folder(run.folder).write_config(run.config)
    rows.write(run.folder / "tasks.csv", [record(task) for task in range(4)])
    newer("99.0")
    Folder(run.folder).write_config(run.config)
    assert [each["from_task"] for each in ran_on(run)] == [0, 0]


def test_the_configuration_that_is_read_is_the_one_that_was_written(run_config: Make) -> None:
    config = run_config("model=aen_random", "seed=3")
    run = execute(config, Quiet())
    assert read_config(run.folder / "config.yaml") == config
    assert Folder(run.folder).what == run.what


def test_force_is_not_written_down(run_config: Make) -> None:
    run = execute(run_config("tasks=1", "force=true"), Quiet())
    assert read_config(run.folder / "config.yaml").force is False


def test_folders_are_found_in_order_and_nothing_below_a_run_or_in_hidden_places_is_one(tmp_path: Path) -> None:
    for name in ("b/one", "a/two", "a/two/inside", ".launches/x"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "config.yaml").touch()
    assert [found.path for found in folder.find(tmp_path)] == [tmp_path / "a/two", tmp_path / "b/one"]


@pytest.mark.parametrize(
    "text", ["", "3", "[", "seed: 0\ntasks: 5\nN: 10\n", "seed: x\ntasks: 5\nN: 10\n", "identity: {}", b"\xff\xfe\x00"]
)
def test_a_config_that_is_no_runs_is_one_sentence(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "config.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(Mistake, match=r"config\.yaml cannot be read"):
        _ = Folder(tmp_path).what
    with pytest.raises(Mistake, match=r"config\.yaml is not the configuration of a run"):
        read_config(tmp_path / "config.yaml")


def test_a_config_that_is_damaged_does_not_stop_its_run(run_config: Make) -> None:
    run = execute(run_config("tasks=1"), Quiet())
    for text in (b"3", b"[", b"ran_on: 3", b"ran_on: [1]", b"\xff\xfe"):
        (run.folder / "config.yaml").write_bytes(text)
        Folder(run.folder).write_config(run.config)
        assert Folder(run.folder).what == run.what


def test_certain_rows_are_those_that_a_checkpoint_holds_until_the_run_is_finished(run_config: Make) -> None:
    run = execute(run_config(), Quiet())
    assert len(Folder(run.folder).certain_rows) == Folder(run.folder).certain == 5
    (run.folder / "status.json").unlink()
    checkpoint.save(run.folder, Checkpoint(run.digest, tuple(run.rows[:3]), {}))
    assert Folder(run.folder).certain_rows == run.rows[:3]
    assert Folder(run.folder).certain == 3
    checkpoint.remove(run.folder)
    assert Folder(run.folder).certain_rows == []
    assert Folder(run.folder).certain == 0


def test_clearing_leaves_nothing_of_what_the_run_did(run_config: Make) -> None:
    run = execute(run_config("checkpoint_seconds=0"), Quiet())
    Folder(run.folder).clear()
    assert {path.name for path in run.folder.iterdir()} <= {".lock", "run.log"}
