"""What a notebook or a script calls."""

import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from support.commands import run as command
from support.small import ROOT

import plasticity as p
from plasticity.ground.errors import Mistake
from plasticity.results.measures import MEASURES
from plasticity.runs import checkpoint

SMALL = ("model=aen_random", "dataset=toy", "tracker=none")
NOTEBOOK = ROOT / "launch" / "first_look.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook") / "outputs"


@pytest.fixture(scope="module")
def done(outputs: Path) -> p.Loaded:
    return [p.run(*SMALL, outputs=outputs, N=200, K=60, tasks=6, seed=seed) for seed in (1, 0)][-1]


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_run_is_the_command_lines_and_goes_on_where_it_was(done: p.Loaded, outputs: Path, tmp_path: Path) -> None:
    words = (*SMALL, "N=200", "K=60", "seed=0", "tasks=7")
    assert command("main", *words, f"outputs={tmp_path}").returncode == 0
    longer = p.run(*SMALL, outputs=outputs, N=200, K=60, tasks=7, seed=0)
    assert longer.folder == done.folder
    (other,) = tmp_path.glob("*/*/*/*/tasks.csv")
    assert other.parent.name == done.folder.name
    pd.testing.assert_frame_equal(longer.rows.drop(columns="seconds"), pd.read_csv(other).drop(columns="seconds"))


def test_runs_are_long_with_settings_and_every_measure(done: p.Loaded, outputs: Path) -> None:
    frame = p.runs(outputs)
    assert {"model", "dataset", "N", "K", "seed", "step_size", "init.outgoing", "task", "state"} <= {*frame}
    assert {*MEASURES} <= {*frame}
    one = frame[frame.seed == 0]
    assert list(one.task) == list(range(len(done.rows)))
    np.testing.assert_array_equal(one.accuracy, done.rows.accuracy)
    assert one.units.dtype == np.int64
    assert Path(one.folder.iloc[0]) == done.folder


def test_words_choose_runs(done: p.Loaded, outputs: Path) -> None:
    assert len(p.runs(outputs, "model=aen_random step_size=*")) == len(p.runs(outputs))
    with pytest.raises(Mistake, match="is of model=agn"):
        p.runs(outputs, "model=agn")


def test_curves_are_means_over_seeds(done: p.Loaded, outputs: Path) -> None:
    frame = p.curves(outputs)
    both = p.runs(outputs).groupby("task").accuracy
    assert set(frame.seeds) == {2}
    np.testing.assert_allclose(frame.accuracy, both.mean()[: len(frame)])
    np.testing.assert_allclose(frame.accuracy_std, both.std()[: len(frame)])


def test_committed_records_are_read_where_there_are_no_runs() -> None:
    frame = p.curves(ROOT / "outputs" / "paper", "dataset=mnist N=10000 model=sgn bias=true order=shuffled")
    assert {"accuracy", "accuracy_ci95", "units"} <= {*frame}


def test_the_network_of_a_task_is_the_one_that_its_row_describes(done: p.Loaded) -> None:
    before = content(done.folder)
    for task in (0, 3, len(done.rows) - 1):
        network = p.load(done.folder).network(task)
        assert (network.units, network.connections) == tuple(done.rows.loc[task, ["units", "connections"]])
    assert done.rows.pruned.sum() > 0  # not a network that only grows
    assert content(done.folder) == before


@pytest.mark.filterwarnings("error")
def test_the_network_at_the_end_is_the_checkpoints_and_the_same_without_it(done: p.Loaded, tmp_path: Path) -> None:
    kept = done.network().parameters()
    copy = tmp_path / "moved"
    copy.mkdir()
    for name in ("config.yaml", "tasks.csv"):
        (copy / name).write_bytes((done.folder / name).read_bytes())
    anew = p.load(copy).network().parameters()
    assert checkpoint.rows(done.folder) == len(done.rows)
    for one, other in zip(kept, anew, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_mistake_is_a_sentence(done: p.Loaded, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="task 99 is not one of"):
        done.network(99)
    with pytest.raises(Mistake, match="not the folder of a run"):
        p.load(tmp_path)
    with pytest.raises(Mistake, match="experiment=aen is many runs"):
        p.run("experiment=aen")
    with pytest.raises(Mistake, match=r"^setp_size is not a known key; did you mean step_size\?$"):
        p.run("setp_size=1")


@pytest.mark.slow
def test_the_export_has_everything_as_csv_and_parquet(done: p.Loaded, outputs: Path, tmp_path: Path) -> None:
    said = command("export", str(outputs), "--out", str(tmp_path))
    assert said.returncode == 0, said.stderr
    frame = p.runs(outputs)
    for name in ("runs", "curves", "measures"):
        assert (tmp_path / f"{name}.csv").is_file()
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "runs.parquet"), frame)
    csv = pd.read_csv(tmp_path / "runs.csv")
    np.testing.assert_array_equal(csv[list(MEASURES)].to_numpy(), frame[list(MEASURES)].to_numpy())


def test_importing_the_package_or_a_run_waits_for_no_pandas() -> None:
    script = (
        "import sys, plasticity, plasticity.runs.execution; sys.exit('pandas' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.slow
def test_the_example_notebook_runs(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    *_, picture, last = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "image/png" in picture.outputs[-1]["data"]
    units, in_csv, _ = eval(last.outputs[-1]["data"]["text/plain"])
    assert units == in_csv
