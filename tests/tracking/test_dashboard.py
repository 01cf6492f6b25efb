"""The dashboard, panel by panel, and saving it twice."""

import json
import warnings
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np
import pytest
from support import commands
from support.small import configured
from support.synthetic import what, write_run
from support.wandb_server import KEY, serving, silent_address

from plasticity.ground.errors import Mistake
from plasticity.results.measures import COMPARED, measure
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet
from plasticity.tracking import dashboard, picture

pytestmark = pytest.mark.slow  # loads wandb's workspaces

launch = partial(commands.run, "dashboard", WANDB_API_KEY="")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict:
    empty, home = tmp_path_factory.mktemp("outputs"), tmp_path_factory.mktemp("home")
    done = launch(str(empty), "--print", HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def sections(specification: dict) -> list[dict]:
    return specification["section"]["panelBankConfig"]["sections"]


def test_there_is_one_section_for_each_data_set_and_N_of_the_paper(printed: dict):
    names = [section["name"] for section in sections(printed["spec"])]
    assert names == ["mnist, N = 10,000", "mnist, N = 40,000", "fmnist, N = 10,000", "fmnist, N = 40,000"]
    assert all(section["isOpen"] for section in sections(printed["spec"]))


@pytest.mark.parametrize("section", range(4))
def test_every_panel_draws_mean_and_spread_over_seeds_by_model_against_the_task(printed: dict, section: int):
    dataset, N = dashboard.PAPER[section]
    configs = [panel["config"] for panel in sections(printed["spec"])[section]["panels"]]
    assert [config["metrics"] for config in configs] == [[f"{dataset}-N{N}/{name}"] for name in COMPARED]
    for config in configs:
        assert config["xAxis"] == "task"
        assert config["groupBy"] == "curve.value"
        assert (config["groupAgg"], config["groupArea"], config["aggregate"]) == ("mean", "stddev", True)
        assert config["limit"] == 100


def test_accuracy_dormancy_size_and_cost_have_a_panel(printed: dict):
    titles = [panel["config"]["chartTitle"] for panel in sections(printed["spec"])[0]["panels"]]
    wanted = ["Accuracy (share)", "Dormancy (share)", "Hidden units", "Connections", "Effective rank"]
    assert titles == [*wanted, "Time per sample (µs)"]


def test_runs_are_listed_with_their_summary(printed: dict):
    (runs,) = printed["spec"]["section"]["runSets"]
    assert "summary:accuracy_change" in runs["runFeed"]["columnOrder"]
    assert "summary:units_settled" in runs["runFeed"]["columnOrder"]


def test_sections_are_those_of_the_runs_there_are(tmp_path: Path):
    for dataset, N in (("toy", 1000), ("toy", 200), ("mnist", 500)):
        write_run(tmp_path / "below", what("agn one", dataset, N), seed=0, accuracy=[0.5])
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "config.yaml").write_text("model: [")
    assert dashboard.settings_in(tmp_path) == [("mnist", 500), ("toy", 200), ("toy", 1000)]


def test_it_is_created_once_and_then_updated(tmp_path: Path):
    with serving() as server:
        first = launch(str(tmp_path), **server.environment)
        assert (first.returncode, first.stderr) == (0, "")
        assert first.stdout == f"{server.url}/me/plasticity?nw=plasticity\n"
        assert launch(str(tmp_path), "--entity", "me", **server.environment).stdout == first.stdout
        (view,) = server.views.values()
        assert view["displayName"] == "plasticity"
        assert view["id"] == "dg=="
        assert len(sections(json.loads(view["spec"]))) == 4
        assert server.unknown == []


def test_without_an_account_it_says_so_in_one_sentence(tmp_path: Path):
    done = launch(str(tmp_path), HOME=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "error: wandb: No API key configured. Use `wandb login` to log in\n"


@pytest.mark.parametrize("script", ["dashboard", "sync"])
def test_a_server_that_says_nothing_is_given_up_in_one_sentence(tmp_path: Path, script: str):
    write_run(tmp_path, what("agn one"), 0, [0.5, 0.6])
    asked: list[float] = []  # from then on it waits for the server, and not for a busy machine
    with silent_address(asked) as address:
        done = commands.run(script, str(tmp_path), WANDB_BASE_URL=address, WANDB_API_KEY=KEY)
        took = monotonic() - asked[0]
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"error: {address} does not answer; nothing is ")
    assert took < 15  # 20 to 120 before


def test_a_server_that_stops_answering_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch):
    never = Event()
    monkeypatch.setattr(dashboard, "SECONDS", 0.1)
    monkeypatch.setattr(dashboard, "unreachable", lambda: None)
    monkeypatch.setattr(dashboard, "_save", lambda *_: never.wait())
    with pytest.raises(Mistake, match="does not answer in time; give the same command again later"):
        dashboard.save("me", "plasticity", dashboard.PAPER)
    never.set()


def test_an_impossible_project_is_refused_in_one_sentence():
    done = launch("--project", "a/b", "--print")
    assert done.returncode == 1
    assert done.stderr.startswith("error: tracker.project=a/b is not a name")
    assert done.stderr.count("\n") == 1


def test_the_picture_draws_the_mean_over_seeds_of_every_panel(tmp_path: Path):
    overrides = ("dataset=toy", "N=100", "K=40", "tasks=3", "tracker=none", f"outputs={tmp_path}")
    seeds = [execute(configured(*overrides, f"seed={seed}"), Quiet()) for seed in range(2)]
    figure = picture.draw(tmp_path, "toy", 100)
    accuracy, *others = figure.axes
    assert [panel.get_title(loc="left") for panel in figure.axes] == [measure(name).stored_axis for name in COMPARED]
    (line,) = accuracy.lines
    mean = [sum(pair) / 2 for pair in zip(*([row["accuracy"] for row in run.rows] for run in seeds), strict=True)]
    assert line.get_ydata() == pytest.approx(mean)
    assert all(len(panel.lines) == 1 for panel in others)


def test_the_picture_leaves_out_what_a_csv_lacks_and_draws_the_rest(tmp_path: Path):
    write_run(tmp_path, what("agn one", "toy", 100), 0, [0.5, 0.6], lacking=("effective_rank",))
    write_run(tmp_path, what("sgn one", "toy", 100), 0, [0.6, 0.7])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = picture.draw(tmp_path, "toy", 100)
    accuracy, rank = figure.axes[COMPARED.index("accuracy")], figure.axes[COMPARED.index("effective_rank")]
    np.testing.assert_array_equal([line.get_ydata() for line in accuracy.lines], [[0.5, 0.6], [0.6, 0.7]])
    missing, there = (np.asarray(line.get_ydata(), float) for line in rank.lines)
    assert np.isnan(missing).all()
    assert list(there) == [1.0, 1.0]


def test_a_picture_of_no_runs_is_one_sentence(tmp_path: Path):
    done = launch(str(tmp_path), "--picture", str(tmp_path / "x.png"))
    assert done.returncode == 1
    assert done.stderr == f"error: there are no runs of mnist with N=10000 in {tmp_path}\n"
