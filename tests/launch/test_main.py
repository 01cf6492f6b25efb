"""`launch/main.py` as a person meets it: what it prints, what it refuses, how it ends."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.commands import TOY, csv_of, run

pytestmark = pytest.mark.slow  # starts commands in processes of their own

SMALL = (*TOY, "N=100", "K=40", "tasks=3")


def test_a_run_writes_its_folder_and_ends_with_two_lines_and_the_folder(tmp_path: Path) -> None:
    done = run("main", *SMALL, "model=aen", f"outputs={tmp_path}")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "toy" / "N100" / "aen-K40").iterdir()
    first, *summary, last = done.stdout.strip().splitlines()
    assert first.startswith(f"toy/N100/aen-K40/{folder.name}")
    assert last == str(folder)
    assert re.match(r"accuracy 0\.\d+ → 0\.\d+ ", summary[0])
    assert re.match(r"dormancy .* units, .* connections, ", summary[1])
    assert len(summary) == 2
    assert len(csv_of(tmp_path)) == 4


def test_the_command_of_the_first_issue_writes_five_rows(tmp_path: Path) -> None:
    done = run("main", *TOY, "model=aen", "N=1000", "K=650", "tasks=5", "engine=torch", f"outputs={tmp_path}")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "toy" / "N1000" / "aen-K650").glob("seed0-*/tasks.csv"))) == 1
    assert len(csv_of(tmp_path)) == 6


def test_the_same_command_again_is_skipped_in_one_line(tmp_path: Path) -> None:
    run("main", *SMALL, f"outputs={tmp_path}")
    again = run("main", *SMALL, f"outputs={tmp_path}")
    assert again.returncode == 0
    (line,) = again.stdout.strip().splitlines()
    assert "is finished (3 tasks); force=true starts it over" in line


def test_a_runs_config_yaml_runs_it_again_after_its_folder_was_moved(tmp_path: Path) -> None:
    run("main", *SMALL, "seed=3", f"outputs={tmp_path}/my runs=1")
    (tmp_path / "my runs=1").rename(tmp_path / "else where")
    (config,) = tmp_path.rglob("config.yaml")
    words = shlex.split(config.read_text().splitlines()[0].removeprefix("# Again: python launch/main.py "))
    again = run("main", *words)
    assert again.returncode == 0, again.stderr
    assert "is finished (3 tasks)" in again.stdout
    first = csv_of(tmp_path)
    over = run("main", *words, "force=true")
    assert over.returncode == 0, over.stderr
    assert csv_of(tmp_path) == first


@pytest.mark.thorough
def test_a_grid_ends_with_one_table_of_its_runs(tmp_path: Path) -> None:
    done = run("main", "-m", *SMALL, "model=agn,aen", "seed=0,1", f"outputs={tmp_path}")
    assert done.returncode == 0, done.stderr
    header, *rows, last, following = done.stdout.strip().splitlines()[-7:]
    assert last == "4 finished"
    assert following == f"next: python launch/figures.py --outputs {tmp_path}"
    for column in ("model", "dataset", "N", "K", "seed", "first", "last", "units", "folder"):
        assert column in header
    assert len(rows) == 4
    assert all("toy" in row and str(tmp_path) in row for row in rows)


def test_a_grid_leaves_figures_and_a_report_and_says_where(tmp_path: Path) -> None:
    words = ("hydra/launcher=serial", "seed=0,1", "report=true", f"outputs={tmp_path}")
    done = run("main", "-m", *SMALL, *words)
    assert done.returncode == 0, done.stderr
    *before, figures, report, following = done.stdout.strip().splitlines()
    assert (figures, report) == (f"figures: {tmp_path}/figures", f"report:  {tmp_path}/report/index.html")
    assert following.startswith("next: open the report in a browser")
    assert not any(line.startswith("next:") for line in before)
    assert list(tmp_path.glob("figures/*-toy-N100.png"))
    assert (tmp_path / "report" / "index.html").is_file()


WRONG = {
    "modle=aen": "did you mean model",
    "model=ean": "model=ean is not known; choose",
    "dataset=cifar": "dataset=cifar is not known; choose",
    "engine=jax": "engine=jax is not known; choose",
    "N=105": "N=105 is not a positive multiple of the 10 classes",
    "N=60010": "N=60010 is more than the toy data has",
    "N=many": "N=many is not possible; it must be a whole number, or all for every image",
    "N=1.5": "N=1.5 is not possible; it must be a whole number, or all for every image",
    "N=true": "N=True is not possible; it must be a whole number, or all for every image",
    "K=0": "K=0 is not possible",
    "K=1.5": "K=1.5",
    "step_size=-1": "step_size=-1.0 is not possible",
    "tasks=-2": "tasks=-2 is not possible",
    "model.layers=0": "layers",
    "init.outgoing=big": "init.outgoing=big is not known; choose",
    "model=aen,agn": "-m",
    "growth=four": "growth=four is not known; choose",
    "order=": "order",
    "-m --cfg job": "-m runs a grid, and another flag only shows something; leave out -m",
    "tracker=null": "a group cannot be null; choose one of its files, as tracker=none",
    "hydra.launcher=null -m": "hydra.launcher cannot be null; choose hydra/launcher=local",
    "seed=range(0,0) -m": "there is nothing to run: a sweep has no values",
    "model.rules.grow.K=-5": "K=-5 is not possible; K must be a positive integer",
    "model.rules.grow.K=2.5": "K=2.5 is not possible; K must be a positive integer",
    "model.rules.prune=3": "model.rules.prune=3 is not possible; it needs a _target_",
    "model.rules=null": "model.rules=None is not possible; it is a mapping of rules",
    "~model.rules": "model.rules=None is not possible; it is a mapping of rules",
    "~model.network": "model.network=None is not possible; it needs a _target_",
    "model.rules.prune._target_=numpy.zeros": "zeros takes no every=task; it takes shape",
    "update=adam": "engine=fused cannot do the update Adam exactly; use engine=torch",
    "model=agn method=crelu": "Cascade takes no activation=crelu: units of a cascade feed z⁺ alone; use model=ffcnn",
    "model=agn method=crelu engine=torch": "Cascade takes no activation=crelu: units of a cascade feed z⁺ alone",
    "model=aen method=layer_norm": "there is no layer to normalise over; use model=ffcnn",
}
LATE = {
    "model=ffcnn +model.rules.grow._target_=plasticity.rules.Every +model.rules.grow.K=5": (
        "a layered network has a fixed size"
    ),
}
NO_PRUNING = ("model.rules.prune=null", "~model.rules.prune")


@pytest.mark.parametrize("left_out", NO_PRUNING)
def test_a_rule_can_be_left_out(tmp_path: Path, left_out: str) -> None:
    done = run("main", *SMALL, "model=aen", left_out, f"outputs={tmp_path}")
    assert done.returncode == 0, done.stderr
    header, *rows = csv_of(tmp_path)
    pruned = header.split(",").index("pruned")
    assert {row.split(",")[pruned] for row in rows} == {"0"}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_input_is_one_sentence_before_anything_is_written(tmp_path: Path, wrong: str) -> None:
    outputs = tmp_path / "outputs"
    done = run("main", *SMALL, f"outputs={outputs}", *wrong.split())
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert sentence.startswith("error: ")
    assert WRONG[wrong] in sentence
    assert not outputs.exists()


@pytest.mark.parametrize("wrong", LATE)
def test_what_cannot_be_made_or_does_not_fit_together_is_one_sentence(tmp_path: Path, wrong: str) -> None:
    done = run("main", *SMALL, f"outputs={tmp_path}", *wrong.split())
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert sentence.startswith("error: ")
    assert LATE[wrong] in sentence


def test_K_of_N_or_more_runs_with_a_warning(tmp_path: Path) -> None:
    done = run("main", *SMALL, "K=100", f"outputs={tmp_path}")
    assert done.returncode == 0
    assert "warning: K=100 is not below N=100: the network will not grow" in done.stdout


def test_a_diverging_run_names_its_task_and_sample_and_ends_with_1(tmp_path: Path) -> None:
    done = run("main", *SMALL, "step_size=1e30", f"outputs={tmp_path}")
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert re.match(r"error: the loss is not finite at sample \d+ in task \d+; a smaller step_size may help", sentence)
    (status,) = tmp_path.rglob("status.json")
    assert json.loads(status.read_text())["state"] == "failed"


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/x"])
def test_an_output_folder_that_cannot_be_written_is_one_sentence(place: str) -> None:
    done = run("main", *SMALL, f"outputs={place}")
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert sentence.startswith(f"error: cannot write {place.rpartition('/')[0]}")


@pytest.mark.thorough
def test_data_that_cannot_be_fetched_are_one_sentence(tmp_path: Path) -> None:
    nobody = "http://127.0.0.1:9"
    done = run(
        "main", "dataset=mnist", "tracker=none", "tasks=1", f"outputs={tmp_path}",
        PATH="/nowhere", PLASTICITY_DATA=str(tmp_path / "data"), http_proxy=nobody, https_proxy=nobody, no_proxy="",
    )  # fmt: skip
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert "no source of MNIST could be reached" in sentence
    assert str(tmp_path / "data" / "MNIST" / "raw") in sentence
