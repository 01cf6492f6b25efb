"""What a run looks like on wandb, and who is told what when a setting is wrong."""

import importlib.util
import math
from pathlib import Path

import pytest
from support.small import configured

from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.results.measures import COMPARED, MEASURES
from plasticity.runs.build import learner
from plasticity.runs.parts import make
from plasticity.runs.tracker import Nothing
from plasticity.tracking import Wandb
from plasticity.tracking.page import LONGEST, Page, summary

CONFIG = """
hydra: {run: {dir: .}}
defaults: [_self_]
model: {name: agn, label: agn-K6500}
dataset: {name: mnist}
engine: {name: torch}
measures: {}
N: 10000
tasks: 200
seed: 4
identity:
  label: agn-K6500
  model: {name: agn, network: {kind: Cascade, outgoing: torch}, rules: [[grow, {kind: Every, K: 6500}]]}
  dataset: {name: mnist, kind: MNIST}
  N: 10000
  stream: {kind: Permuted, order: shuffled}
  probe: 0.05
  update: {kind: SGD, step_size: 0.001}
  engine: {kind: Reference}
  seed: 4
"""
COLUMNS = ("task", *(name for name in MEASURES if name != "us_per_sample"))


def row(task: int, **values: float) -> Record:
    return Record(dict.fromkeys(COLUMNS, 0.0) | {"task": task, "units": task, "connections": 10 * task} | values)


def page(folder: Path, config: str = CONFIG) -> Page:
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(config)
    return Page.of(folder)


def group(arguments: list[str]) -> str | None:
    spec = importlib.util.spec_from_file_location("main", Path(__file__).parents[2] / "launch" / "main.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.group(arguments)


def test_every_column_of_a_run_is_a_measure_in_a_section():
    columns = learner(configured("dataset=toy", "N=20", "K=15", "engine=torch")).columns
    assert sorted([*MEASURES, "task"]) == sorted([*columns, "us_per_sample"])
    assert {measure.section for measure in MEASURES.values()} == {"accuracy", "dormancy", "size", "plasticity", "cost"}


def test_a_point_has_the_row_by_section_and_by_data_set_and_N(tmp_path: Path):
    point = page(tmp_path / "seed4-12345678").point(row(7, accuracy=0.5, seconds=0.2))
    assert point["task"] == 7
    assert point["accuracy/accuracy"] == point["mnist-N10000/accuracy"] == 0.5
    assert point["size/connections"] == 70
    assert point["cost/seconds"] == 0.2
    assert point["cost/us_per_sample"] == pytest.approx(20.0)
    assert {f"mnist-N10000/{name}" for name in COMPARED} <= point.keys()


def test_every_key_of_a_point_has_its_axis(tmp_path: Path):
    made = page(tmp_path / "seed4-12345678")
    assert {"task", *made.keys} == made.point(row(0)).keys()


def test_every_column_of_a_layer_has_its_axis(tmp_path: Path):
    field = "measures: {dormancy_layer: {_target_: plasticity.metrics.dormancy, per_layer: true}}"
    layered = CONFIG.replace("kind: Cascade", "kind: Layered, layers: 2").replace("measures: {}", field)
    keys = page(tmp_path / "seed4-12345678", layered).keys
    assert [key for key in keys if "layer" in key] == ["dormancy/dormancy_layer1", "dormancy/dormancy_layer2"]


def test_a_measure_of_ones_own_is_in_a_section_of_its_own_with_its_axis(tmp_path: Path):
    made = page(tmp_path / "seed4-1", CONFIG.replace("measures: {}", "measures: {churn: {_target_: mine.churn}}"))
    point = made.point(row(0, churn=0.25))
    assert point["own/churn"] == 0.25
    assert {"task", *made.keys} == point.keys()


def test_what_a_row_lacks_or_is_no_number_is_left_out_of_its_point(tmp_path: Path):
    made = page(tmp_path / "seed4-1")
    whole = row(3, dormancy=math.nan)
    point = made.point(Record({name: value for name, value in whole.items() if name != "effective_rank"}))
    gone = {f"{place}/{name}" for place, name in (("dormancy", "dormancy"), ("plasticity", "effective_rank"))}
    gone |= {f"mnist-N10000/{name}" for name in ("dormancy", "effective_rank")}
    assert made.point(row(3)).keys() - point.keys() == gone
    assert point.items() <= made.point(row(3)).items()


def test_a_page_is_named_after_its_folder(tmp_path: Path):
    made = page(tmp_path / "seed4-12345678")
    assert (made.id, made.name, made.model) == ("12345678", "mnist/N10000/agn-K6500/seed4-12345678", "agn")
    assert made.tags == ("mnist", "N10000", "K6500", "torch")
    assert not {"defaults", "hydra", "identity"} & made.config.keys()


def test_runs_are_one_curve_if_they_differ_in_seed_and_length_alone(tmp_path: Path):
    usual = page(tmp_path / "seed4-1").config["curve"]
    assert usual.startswith("agn-K6500 ")
    longer = CONFIG.replace("seed: 4", "seed: 5").replace("tasks: 200", "tasks: 400")
    assert page(tmp_path / "seed5-2", longer).config["curve"] == usual
    assert page(tmp_path / "seed4-3", CONFIG.replace("shuffled", "fixed")).config["curve"] != usual
    outgoing = CONFIG.replace("outgoing: torch", "outgoing: zero")
    assert page(tmp_path / "seed4-4", outgoing).config["curve"] != usual


def test_a_model_that_does_not_grow_has_no_K_among_its_tags(tmp_path: Path):
    fixed = CONFIG.replace("[[grow, {kind: Every, K: 6500}]]", "[]")
    assert page(tmp_path / "seed4-1", fixed).tags == ("mnist", "N10000", "torch")


def test_names_are_no_longer_than_wandb_takes(tmp_path: Path):
    made = page(tmp_path / "seed4-12345678", CONFIG.replace("label: agn", f"label: {'a' * 200}"))
    assert len(made.name) == LONGEST["name"]
    assert made.name.endswith("/seed4-12345678")


def test_the_summary_is_of_the_first_and_last_ten_tasks():
    rows = [row(task, accuracy=task / 100, dormancy=task / 1000) for task in range(50)]
    made = summary(rows)
    assert made["accuracy_first"] == pytest.approx(0.045)
    assert made["accuracy_last"] == pytest.approx(0.445)
    assert made["accuracy_change"] == pytest.approx(0.4)
    assert made["dormancy_final"] == 0.049
    assert (made["units_final"], made["connections_final"]) == (49, 490)
    assert (made["units_settled"], made["connections_settled"]) == (44.5, 445)
    assert made["tasks_done"] == 50


@pytest.mark.parametrize("content", ["", "model: [", "model: {name: agn}", "- 1"])
def test_a_folder_without_a_runs_configuration_is_refused(tmp_path: Path, content: str):
    with pytest.raises(Mistake, match=r"config\.yaml cannot be read"):
        page(tmp_path / "seed4-1", content)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"mode": "live"}, "tracker.mode=live is not known; choose offline, online, disabled"),
        ({"project": ""}, "tracker.project= is not a name"),
        ({"project": None}, "tracker.project=None is not a name"),
        ({"project": "a/b"}, "tracker.project=a/b is not a name"),
        ({"project": "a" * 129}, "is not a name"),
        ({"entity": "a:b"}, "tracker.entity=a:b is not a name"),
        ({"group": 3}, "tracker.group=3 is not a name"),
    ],
)
def test_a_wrong_setting_is_one_sentence(settings: dict, sentence: str):
    with pytest.raises(Mistake) as mistake:
        Wandb(**({"mode": "offline", "project": "plasticity"} | settings))
    assert sentence in str(mistake.value)
    assert "\n" not in str(mistake.value)


def test_no_tracker_follows_nothing(tmp_path: Path):
    with Nothing().follow(tmp_path, pytest.fail):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["model=aen", "N=100"], None),
        (
            ["model=aen,agn", "seed=range(0,3)", "-m", "tasks=300", "tracker.mode=online"],
            "model=aen,agn seed=range(0,3)",
        ),
        (["model=aen", "seeds=ten", "hydra/launcher=slurm"], "model=aen seeds=ten"),
        (["experiment=growth", "dataset=fmnist", "--multirun"], "growth"),
        (["-m"], None),
    ],
)
def test_runs_are_grouped_by_experiment_or_by_sweep(arguments: list[str], name: str | None):
    assert group(arguments) == name


def test_wandbs_own_variables_are_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MODE": "online", "PROJECT": "mine", "ENTITY": "us"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    tracker = configured("dataset=toy", "tracker=wandb").tracker
    assert (tracker["mode"], tracker["project"], tracker["entity"]) == ("online", "mine", "us")


def test_where_wandb_is_disabled_nothing_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WANDB_MODE", "disabled")
    monkeypatch.setattr("plasticity.tracking.tracker._Follower", lambda *_: pytest.fail("it is followed"))
    said: list[str] = []
    with make(configured("dataset=toy", "tracker=wandb").tracker).follow(tmp_path, said.append):
        pass
    assert (said, list(tmp_path.iterdir())) == ([], [])
