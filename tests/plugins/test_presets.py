"""The presets of conf/experiment: exactly the runs that they should mean."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from hydra.core.object_type import ObjectType
from hydra.types import RunMode
from omegaconf.errors import OmegaConfBaseException
from support import commands
from support.synthetic import SETTINGS, trace, what

from hydra_plugins.plasticity.presets import Presets, anywhere, presets
from hydra_plugins.plasticity.sentences import sentence
from plasticity.ground.errors import Mistake
from plasticity.results import choosing
from plasticity.results import curves as made
from plasticity.results.curves import Curve
from plasticity.results.field import published
from plasticity.results.sweeps import making
from plasticity.runs.identity import curve_key, identity
from plasticity.runs.keys import differences

pytestmark = pytest.mark.slow  # composes hundreds of configurations

ROOT = Path(__file__).parents[2]
GROWING = {"sgn", "agn", "aen_random", "agn_two_layer"}
SIZES = {f"ffcnn model.layers={layers} model.width={width}" for layers in (1, 2, 3) for width in (50, 100, 200, 500)}


thorough = partial(pytest.param, marks=pytest.mark.thorough)  # most time is taken by composing


@pytest.fixture(scope="module")
def found() -> Presets:
    return presets(ROOT / "conf", [])


def jobs(found: Presets, *arguments: str) -> list[tuple[str, ...]]:
    return found.expansion.jobs(arguments)


def without(jobs: Sequence[tuple[str, ...]], *drop: str) -> list[str]:
    """Each run's overrides as text, but for those whose key is dropped."""
    return [" ".join(word for word in job if word.partition("=")[0] not in drop) for job in jobs]


@pytest.mark.parametrize(
    ("preset", "curves"),
    [
        ("ffcnn", {f"model={size}" for size in SIZES}),
        ("overview", {"model=ffcnn", "model=sgn", "model=agn", "model=aen"}),
        ("sgn", {"model=sgn"}),
        ("agn", {"model=agn", "model=sgn", "model=ffcnn"}),
        (
            "aen",
            {*(f"model=aen growth={word}" for word in ("one", "two", "three"))}
            | {"model=aen_random", "model=agn", "model=ffcnn"},
        ),
        (
            "two_layer",
            {f"model={model} growth={word}" for model in ("aen", "aen_two_layer") for word in ("one", "two", "three")}
            | {"model=agn", "model=agn_two_layer"},
        ),
    ],
)
def test_a_preset_is_exactly_its_curves(found: Presets, preset: str, curves: set[str]) -> None:
    runs = without(jobs(found, f"experiment={preset}"), "experiment")
    assert set(runs) == curves
    assert len(runs) == len(curves)


@pytest.mark.parametrize("size", ["samples=40k", "N=40000"])
@pytest.mark.parametrize("preset", ["aen", "two_layer"])
def test_40k_has_no_two(found: Presets, preset: str, size: str) -> None:
    runs = without(jobs(found, f"experiment={preset}", size), "experiment")
    assert runs
    assert not [run for run in runs if "growth=two" in run]


def test_the_command_line_may_ask_for_two_at_40k(found: Presets) -> None:
    runs = without(jobs(found, "experiment=aen", "samples=40k", "growth=two"), "experiment")
    assert "model=aen growth=two samples=40k" in runs


def test_the_command_line_wins_and_runs_that_become_the_same_are_run_once(found: Presets) -> None:
    runs = without(jobs(found, "experiment=aen", "K=5000", "dataset=fmnist", "model.name=any"), "experiment", "growth")
    assert len(runs) == len(set(runs)) == 4
    assert all("K=5000 dataset=fmnist" in run for run in runs)


def test_the_command_line_may_sweep_a_preset_further(found: Presets) -> None:
    assert len(jobs(found, "experiment=agn", "dataset=mnist,fmnist", "samples=10k,40k")) == 3 * 4


def test_seeds_multiply_a_preset_and_come_round_by_round(found: Presets) -> None:
    runs = jobs(found, "experiment=agn", "seeds=ten")
    assert len(runs) == len(set(runs)) == 30
    assert [next(word for word in run if word.startswith("seed=")) for run in runs[:4]] == ["seed=0"] * 3 + ["seed=1"]


def test_a_seed_on_the_command_line_wins_over_the_group(found: Presets) -> None:
    runs = jobs(found, "experiment=sgn", "seeds=ten", "seed=3,3,4")
    assert [run[-1] for run in runs] == ["seed=3", "seed=4"]


def test_two_presets_are_their_union(found: Presets) -> None:
    runs = without(jobs(found, "experiment=agn,aen", "seeds=five"), "experiment", "seeds")
    assert len(runs) == len(set(runs)) == 7 * 5


def test_a_grid_without_a_preset_is_the_product_of_its_axes(found: Presets) -> None:
    assert len(jobs(found, "model=agn,aen", "growth=one,three", "seed=range(0,3)")) == 12


@pytest.mark.thorough
def test_abruptness_is_seven_networks_over_five_changes(found: Presets) -> None:
    curves = found.expansion.combinations(["experiment=abruptness"])
    assert sum(len(curve.seeds) for curve in curves) == 7 * 5 * 2 * 5
    changes = {curve.config.stream["change"] for curve in curves}
    assert (min(changes), max(changes)) == (0.01, 1)
    assert {curve.config.N for curve in curves} == {10_000}


def test_one_share_of_abruptness_may_be_asked_for_where_the_stream_has_no_such_key_by_default(tmp_path: Path) -> None:
    words = ("experiment=abruptness", "stream.change=0.3", "model=agn", "dataset=toy", "N=20", "tasks=1", "seed=0")
    done = commands.run("main", *words, "hydra/launcher=basic", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len([*tmp_path.glob("outputs/toy/N20/agn-K13/seed0-*/tasks.csv")]) == 1


@pytest.mark.thorough
def test_kinds_is_the_same_networks_over_every_stream_of_the_suite(found: Presets) -> None:
    curves = found.expansion.combinations(["experiment=kinds"])
    assert sum(len(curve.seeds) for curve in curves) == 7 * 7 * 2 * 5
    kinds = {curve.config.stream["name"] for curve in curves}
    assert kinds == set(found.expansion.loader.get_group_options("stream", ObjectType.CONFIG))
    spread = [curve.config for curve in curves if curve.config.stream.get("every")]
    every = [rule["every"] for config in spread for rule in config.model["rules"].values() if rule and "every" in rule]
    assert len(spread) == 7 * 2
    assert every == [10_000] * (4 * 2)


@pytest.mark.parametrize("words", [("N=500", "dataset=toy"), ("samples=40k",)])
def test_what_stands_for_N_in_a_line_of_a_preset_is_that_of_the_run(found: Presets, words: tuple[str, ...]) -> None:
    curves = found.expansion.combinations(["experiment=kinds", "model=aen", "stream=gradual", *words])
    every = {(one.config.N, one.config.model["rules"]["prune"]["every"]) for one in curves}
    N = {"N=500": 500, "samples=40k": 40_000}[words[0]]
    assert every == {(N, "task"), (N, N)}


@pytest.mark.parametrize(
    ("words", "curves"),
    [
        (("experiment=kinds", "model=aen"), 2 * 7 * 2),
        (("experiment=kinds", "stream=relabelled"), 7 * 2),
        (("experiment=depth", "model=agn"), 6 * 2),
        (("experiment=depth", "growth=three"), 6 * 2),
        (("experiment=depth", "model=agn,aen", "growth=one", "model.depth=1,null"), 4 * 2),
    ],
)
def test_a_value_that_a_preset_has_chooses_the_lines_that_have_it(
    found: Presets, words: tuple[str, ...], curves: int
) -> None:
    assert len(found.expansion.combinations(words)) == curves


def test_a_value_that_a_preset_does_not_have_comes_into_all_its_lines(found: Presets) -> None:
    curves = found.expansion.combinations(["experiment=depth", "model.depth=3", "step_size=0.01"])
    assert {(one.config.model["name"], one.config.model["depth"], one.config.step_size) for one in curves} == {
        ("agn", 3, 0.01),
        ("aen", 3, 0.01),
    }


@pytest.mark.parametrize(
    "words",
    [
        ("experiment=abruptness", "dataset=fmnist", "stream=gradual", "stream.change=0.3", "model=ffcnn", "method=cbp"),
        ("samples=40k", "N=500", "growth=three", "model=aen", "stream=gradual", "model.rules.prune.every=${N}"),
        ("model=ffcnn", "method=l2", "update.decay=0.1", "step_size=0.01", "tasks=3", "init.outputs=zero"),
        ("stream=mixed", "stream.turns.relabelled=null", "+model.rules.own={_target_: a.B, c: 1}", "bias=false"),
    ],
)
def test_groups_composed_once_and_values_set_after_are_what_hydra_composes(
    found: Presets, words: tuple[str, ...]
) -> None:
    expansion = found.expansion
    for _ in range(2):  # what one run was given is not in the next
        assert expansion._run(*words) == expansion._groups(*words)
    assert expansion._run(*words[:1]) == expansion._groups(*words[:1])


def test_a_preset_against_a_setting_has_its_curves_of_those_that_there_are(found: Presets) -> None:
    def at(name: str, change: float, dataset: str = "mnist", N: int = 10_000) -> Curve:
        stream = {"kind": "Gradual", "order": "shuffled", "change": change}
        return made.curve({**what(name, dataset, N), "stream": stream}, [trace(0, 20)])

    own = [at("agn one", 0.03), at("aen three", 1.0, "fmnist"), at("aen one", 0.3, "toy", 40_000)]
    others = [
        at("agn one", 0.5),
        at("sgn one", 0.3),
        at("ffcnn 2x50", 0.3),
        made.curve(what("agn one"), [trace(0, 20)]),
    ]
    (swept,) = found.sweeps(["abruptness", "aen"], [*others, *own])
    assert (swept.name, swept.key) == ("abruptness", "stream.change")
    assert {one.key for one in swept.curves} == {one.key for one in own}
    assert found.sweeps(["abruptness", "kinds"], others[:3]) == []
    assert presets(ROOT / "conf", ["stream=relabelled"]).sweeps(["abruptness", "kinds"], own) == []


def test_a_growth_that_a_model_does_not_have_makes_no_second_run(found: Presets) -> None:
    assert len(jobs(found, "experiment=sgn", "model=ffcnn", "growth=one,two,three")) == 1


@pytest.mark.thorough
def test_the_paper_is_every_distinct_run_once(found: Presets) -> None:
    runs = jobs(found, "experiment=paper", "seeds=five")
    curves = set(without(runs, "experiment", "seeds", "seed"))
    expected = {f"model={size} dataset=mnist samples=10k" for size in SIZES}
    for dataset in ("mnist", "fmnist"):
        for size, words in (("10k", ("one", "two", "three")), ("40k", ("one", "three"))):
            models = {
                *GROWING,
                *(f"{model} growth={word}" for model in ("aen", "aen_two_layer") for word in words),
            }
            # 3 × 200 on MNIST at 10k is among the sizes above.
            models |= set() if (dataset, size) == ("mnist", "10k") else {"ffcnn"}
            expected |= {f"model={model} dataset={dataset} samples={size}" for model in models}
    assert curves == expected
    assert len(runs) == 5 * len(expected) == 255


@pytest.mark.thorough
def test_the_paper_at_40k_leaves_out_the_sizes_of_ffcnn_that_it_has_at_10k_alone(found: Presets) -> None:
    runs = jobs(found, "experiment=paper", "samples=40k")
    assert len(runs) == len(set(runs)) == 18
    assert not [run for run in runs if any("model.width" in word for word in run)]


@pytest.mark.thorough
def test_the_choices_are_one_at_a_time_around_the_default_settings(found: Presets) -> None:
    curves = found.expansion.combinations(["experiment=choices"])
    assert sum(len(curve.seeds) for curve in curves) == len(jobs(found, "experiment=choices")) == 408
    places, unlike = Counter(), Counter()
    for curve in curves:
        config = asdict(curve.config)
        places[config["dataset"]["name"], config["N"], config["tasks"], curve.seeds] += 1
        unlike[", ".join(differences(identity(curve.config), SETTINGS))] += 1
    seeds = ("seed=0", "seed=1", "seed=2")
    assert places == {(name, 10_000, 150, seeds): 68 for name in ("mnist", "fmnist")}
    growing = {f"init.outgoing={way}" for way in ("kaiming", "kaiming_layer", "zero")}
    growing |= {f"init.incoming={way}" for way in ("kaiming_split", "torch")}
    of_all = {"": 18, "bias=false": 18, "order=fixed": 18}
    assert unlike == {**of_all, **dict.fromkeys(growing, 16), "init.layers=torch": 2}


def test_an_impossible_value_is_refused_before_anything_runs(found: Presets) -> None:
    with pytest.raises(Mistake, match="N=105 is not a positive multiple"):
        jobs(found, "experiment=aen", "N=100,105", "dataset=toy")


def test_a_sweep_that_is_no_list_is_refused(found: Presets) -> None:
    with pytest.raises(Mistake, match=r"step_size=interval\(0,1\) is no list"):
        jobs(found, "step_size=interval(0,1)")


def test_a_figure_has_the_curves_of_its_preset_at_any_data_set_and_N(found: Presets) -> None:
    made = {(one.dataset, one.N): one for one in found.figures(["aen"], [("fmnist", 10_000), ("mnist", 40_000)])}
    names = ("aen one", "aen two", "aen three", "aen_random one", "agn one", "ffcnn 3x200")
    small = made["fmnist", 10_000].whats
    assert [curve_key(one) for one in small] == [curve_key(what(name, "fmnist")) for name in names]
    large = made["mnist", 40_000].whats
    assert [curve_key(one) for one in large] == [curve_key(what(name, N=40_000)) for name in names if "two" not in name]


def test_the_paper_is_a_grid_and_not_a_figure(found: Presets) -> None:
    assert found.figures(["paper"], [("mnist", 10_000)]) == []


def test_the_usual_settings_are_those_of_conf(found: Presets) -> None:
    assert found.settings() == SETTINGS


def test_settings_given_to_the_figures_are_usual_there() -> None:
    made = presets(ROOT / "conf", ["init.outgoing=zero"])
    assert made.settings() == SETTINGS | {"init.outgoing": "zero"}
    figure = made.figures(["sgn"], [("mnist", 10_000)])[0]
    assert curve_key(figure.whats[0]) == curve_key(what("sgn one", outgoing="zero"))
    assert figure.title.endswith(", init.outgoing=zero")


NEW = """# @package _global_
hydra:
  mode: MULTIRUN
  sweeper:
    title: How fast to grow
    curves:
      - model=agn K=500,1000
      - curves_of=sgn
      - model=aen dataset=fmnist
"""


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "conf", tmp_path / "conf"))


def test_a_new_figure_is_a_few_lines_of_yaml(conf: Path) -> None:
    (conf / "experiment" / "pace.yaml").write_text(NEW)
    made = presets(conf, [])
    runs = without(jobs(made, "experiment=pace"), "experiment")
    drawn = made.figures(["pace"], [("mnist", 10_000), ("fmnist", 10_000)])
    assert runs == ["model=agn K=500", "model=agn K=1000", "model=sgn", "model=aen dataset=fmnist"]
    assert [len(one.whats) for one in drawn] == [3, 4]


def test_a_preset_that_takes_its_own_curves_is_one_sentence(conf: Path) -> None:
    (conf / "experiment" / "loop.yaml").write_text(NEW.replace("curves_of=sgn", "curves_of=loop"))
    with pytest.raises(Mistake, match="curves_of=loop, its own"):
        jobs(presets(conf, []), "experiment=loop")


def test_a_preset_alone_launches_its_grid_and_leaves_run_folders_only(tmp_path: Path) -> None:
    done = commands.run(
        "main", "experiment=agn", "dataset=toy", "N=20", "tasks=1", "hydra/launcher=basic", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    folders = sorted(path.parent.parent.name for path in tmp_path.glob("outputs/toy/N20/*/seed0-*/tasks.csv"))
    assert folders == ["agn-K13", "ffcnn-3x200", "sgn-K13"]
    assert [path.name for path in tmp_path.iterdir()] == ["outputs"]


def test_an_unknown_preset_names_those_that_there_are(tmp_path: Path) -> None:
    done = commands.run("main", "experiment=nope", cwd=tmp_path)
    assert done.returncode == 1
    assert "two_layer" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_published_curve_has_a_preset_that_runs_it(found: Presets) -> None:
    names = ("published", "published_1000", "published_2000")
    whats = [what for preset in found.figures(names, [("mnist", 60_000)]) for what in preset.whats]
    there = [one for what in whats for one in published.of(what)]
    assert all(one in there for one in published.known())


@pytest.mark.parametrize(
    ("preset", "curves", "key", "values"),
    [
        thorough("probe", 3 * 8, "probe", {"0.001", "0.003", "0.01", "0.02", "0.05", "0.1", "0.3", "1", "1.0"}),
        thorough("columns", 2 * 4 + 2 * 2, "model.column", {"1", "2", "3", "6"}),
        thorough("depth", 3 * 6, "model.depth", {"1", "2", "4", "8", "16", "null"}),
        thorough("shortcut", 5 * 2, "model.shortcut", {"true", "false"}),
        ("timing", 8, "timing", {"paper", "at", "steady", "stall", "silent", "boundary_free", "end", "often"}),
        ("long", 2, "model", {"agn_two_layer", "aen_two_layer"}),
    ],
)
def test_the_papers_future_work_is_five_seeds_on_both_data_sets(
    found: Presets, preset: str, curves: int, key: str, values: set[str]
) -> None:
    composed = found.expansion.combinations([f"experiment={preset}"])
    assert len(composed) == 2 * curves
    assert {len(one.seeds) for one in composed} == {5}
    assert {one.config.N for one in composed} == {10_000}
    made_of = [made.curve(identity(one.config), [trace(0, 20)]) for one in composed]
    assert len({one.key for one in made_of}) == 2 * curves
    possible = [choosing.Possible([curve]) for curve in made_of]
    assert all(may(anywhere(one.overrides)) for may, one in zip(possible, composed, strict=True))
    assert {choosing.settings(one)[key] for one in made_of} <= values
    assert {one.config.tasks for one in composed} == {2000 if preset == "long" else 200}
    against = [] if preset == "long" else [key]
    assert [each.key for each in found.sweeps([preset], made_of)] == against
    for each in found.sweeps([preset], made_of):
        assert len(each.curves) == 2 * curves
        (picture,) = making.sweeps(each.name, each.title, each.key, each.curves, SETTINGS, ())
        assert len(picture.curves) == 2 * curves
        assert picture.default in picture.values


@pytest.mark.parametrize("choices", [["experiment=timing"], ["experiment=published"], ["experiment=aen", "seeds=ten"]])
def test_a_preset_that_is_one_file_is_what_hydra_composes_of_it(found: Presets, choices: list[str]) -> None:
    composed = found.expansion.loader.load_configuration("config", choices, run_mode=RunMode.MULTIRUN)
    assert found.expansion.preset(*choices) == composed.hydra.sweeper
    assert found.expansion._whole(*choices).tasks == composed.tasks


def test_a_preset_that_takes_other_files_along_is_composed(conf: Path) -> None:
    (conf / "experiment" / "pace.yaml").write_text(NEW + "defaults: [/experiment/timing, _self_]\n")
    sweeper = presets(conf, []).expansion.preset("experiment=pace")
    assert (sweeper.title, sweeper.against) == ("How fast to grow", "timing")


@pytest.mark.parametrize(
    ("line", "said"),
    [("tusks: 3", "tusks is not a known key; did you mean tasks?"), ("tasks: many", "tasks=many is not possible")],
)
def test_a_wrong_line_of_a_preset_is_one_sentence(conf: Path, line: str, said: str) -> None:
    (conf / "experiment" / "mine.yaml").write_text(f"{NEW}{line}\n")
    with pytest.raises(OmegaConfBaseException) as wrong:
        presets(conf, []).expansion.preset("experiment=mine")
    assert sentence(wrong.value).startswith(said)


@pytest.mark.parametrize("name", [pytest.param("choices", marks=pytest.mark.thorough), "published"])
def test_no_curve_of_a_preset_is_passed_over_before_it_is_composed(found: Presets, name: str) -> None:
    for one in found.expansion.combinations([f"experiment={name}"]):
        curve = made.curve(identity(one.config), [trace(0, 20)])
        assert choosing.Possible([curve])(anywhere(one.overrides)), one.overrides


def test_a_preset_without_possible_curves_is_no_figure(found: Presets) -> None:
    there = choosing.Possible([made.curve(what("sgn one"), [trace(0, 20)])])
    names = [one.name for one in found.figures(["sgn", "two_layer"], [("mnist", 10_000)], there)]
    assert names == ["sgn"]


def test_a_preset_may_be_drawn_against_a_setting_and_over_tasks(found: Presets) -> None:
    assert [one.name for one in found.figures(["timing", "probe"], [("mnist", 10_000)])] == ["timing"]
