import pytest
from support.synthetic import SETTINGS, family, trace, what

from plasticity.ground.errors import Mistake
from plasticity.results import choosing
from plasticity.results.choosing import Seeds, chosen
from plasticity.results.curves import Curve, curve
from plasticity.results.figures import figures
from plasticity.results.grouping import MANY, MOST, rest, together
from plasticity.results.words import legend
from plasticity.runs.identity import What
from plasticity.runs.keys import meets


def stepping(name: str, step_size: float, **more: object) -> Curve:
    changed: What = {**what(name), "update": {"kind": "SGD", "step_size": step_size}, **more}
    return curve(changed, [trace(0, 20)])


SWEPT = [stepping(name, step) for name in ("aen one", "sgn one") for step in (0.01, 0.0001, 0.001)]


def labels(curves: list[Curve]) -> list[tuple[str, float]]:
    return [(one.what["model"]["name"], one.what["update"]["step_size"]) for one in curves]


def test_a_star_stands_for_any_value() -> None:
    assert labels(chosen(SWEPT, ["model=aen step_size=*"])) == [("aen", 0.01), ("aen", 0.0001), ("aen", 0.001)]


def test_values_are_lists_and_numbers_whatever_their_form() -> None:
    assert labels(chosen(SWEPT, ["model=aen,sgn step_size=1e-2"])) == [("aen", 0.01), ("sgn", 0.01)]


def test_lines_are_added_up() -> None:
    found = chosen(SWEPT, ["model=aen step_size=0.01", "model=sgn growth=one step_size=0.001"])
    assert labels(found) == [("aen", 0.01), ("sgn", 0.001)]


@pytest.mark.parametrize(
    ("line", "seeds"),
    [
        ("seed=1", (1,)),
        ("seed=0,2", (0, 2)),
        ("seed=range(1,3)", (1, 2)),
        ("seed=*", (0, 1, 2)),
        ("model=aen", (0, 1, 2)),
    ],
)
def test_seeds_are_chosen_too(line: str, seeds: tuple[int, ...]) -> None:
    (found,) = chosen([family("aen one", seeds=3)], [line])
    assert found.seeds == seeds
    assert [seed for seed in range(3) if seed in Seeds([line])] == list(seeds)


def test_a_curve_without_a_seed_that_is_meant_is_left_out() -> None:
    assert chosen([family("aen one", seeds=3)], ["model=aen seed=7"]) == []


def test_each_line_has_its_own_seeds() -> None:
    (found,) = chosen([family("aen one", seeds=3)], ["model=aen seed=0", "model=sgn,aen seed=2"])
    assert found.seeds == (0, 2)


def test_a_key_at_its_neutral_value_is_null() -> None:
    odd = curve(what("ffcnn 3x200", output_weights="linear"), [trace(0, 20)])
    both = [family("ffcnn 3x200", seeds=1), odd]
    assert chosen(both, ["init.outputs=null"]) == both[:1]
    assert chosen(both, ["init.outputs=linear"]) == [odd]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [("setp_size=*", "setp_size is no key of these runs; did you mean step_size?"), ("aen", "aen does not choose")],
)
def test_a_mistake_is_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(Mistake, match=sentence.replace("?", r"\?")):
        chosen(SWEPT, [line])


def test_curves_are_compared_by_a_key_where_they_are_alike_in_everything_else() -> None:
    found = together(SWEPT, ["step_size"])
    assert [preset.name for preset in found] == ["by-step_size-aen-K6500", "by-step_size-sgn-K6500"]
    (aen, _) = figures(found, SWEPT, SETTINGS)
    assert [aen.legend(one) for one in aen.curves] == [
        f"AEN, one new unit per task (step_size={step})" for step in ("0.0001", "0.001", "0.01")
    ]
    assert aen.title == "By step_size (MNIST, N = 10,000)"


def test_curves_are_compared_across_N() -> None:
    curves = [family("aen one", seeds=1, N=N) for N in (40_000, 10_000)]
    (found,) = figures(together(curves, ["N"]), curves, SETTINGS)
    assert found.name == "by-N-mnist"
    assert [found.legend(one) for one in found.curves] == [
        "AEN, one new unit per task (N=10000, K=6500)",
        "AEN, one new unit per task (N=40000, K=24000)",
    ]


def test_models_are_compared_whatever_they_bring_along() -> None:
    curves = [family(name, seeds=1) for name in ("aen one", "sgn one", "ffcnn 3x200")]
    (found,) = together(curves, ["model"])
    assert len(found.whats) == 3


def test_what_no_preset_has_is_drawn_beside_the_same_network_in_the_default_settings() -> None:
    found = rest(SWEPT, {one.key for one in SWEPT if one.what["update"]["step_size"] == 0.001}, SETTINGS)
    (both,) = figures(found, SWEPT, SETTINGS)
    assert both.name == "by-step_size-mnist-N10000"
    assert labels(list(both.curves)) == labels([SWEPT[place] for place in (1, 2, 0, 4, 5, 3)])
    assert len({both.style(one) for one in both.curves}) == 6


def test_a_network_beside_which_all_others_are_drawn_has_no_figure_of_its_own() -> None:
    (found,) = rest([one for one in SWEPT if one.label == SWEPT[0].label], (), SETTINGS)
    assert (found.name, len(found.whats)) == ("by-step_size", 3)


def test_other_networks_are_drawn_too_each_data_set_and_N_by_itself() -> None:
    curves = [family("ffcnn 2x77", seeds=1), family("ffcnn 2x78", seeds=1), family("ffcnn 2x77", seeds=1, N=40_000)]
    found = rest(curves, (), SETTINGS)
    assert [(one.name, one.N, len(one.whats)) for one in found] == [("others", 10_000, 2), ("others", 40_000, 1)]


def test_more_curves_than_one_figure_can_show_are_drawn_in_several() -> None:
    curves = [stepping("aen one", step / 1000) for step in range(2, 40)]
    found = rest(curves, (), SETTINGS)
    assert max(len(one.whats) for one in found) == MOST
    assert sum(len(one.whats) for one in found) == 38
    assert len({one.name for one in found}) == len(found)
    assert not any(one.notes for one in found)


def test_of_very_many_curves_some_are_drawn_and_a_note_says_how_to_see_all() -> None:
    curves = [stepping("aen one", step / 1000) for step in range(2, 102)]
    found = rest(curves, (), SETTINGS)
    steps = [what["update"]["step_size"] for one in found for what in one.whats]
    assert (len(steps), len({*steps}), min(steps), max(steps)) == (MANY, MANY, 0.002, 0.101)
    (note,) = [note for one in figures(found, curves, SETTINGS) for note in one.notes]
    assert note.startswith("48 of 100 curves are drawn, from the first to the last; --against step_size has all")


def test_growing_networks_have_the_keys_that_no_identity_says_at_their_neutral_value() -> None:
    plain, flat, fixed = (family(name, seeds=1) for name in ("aen one", "aen_two_layer one", "ffcnn 3x200"))
    own = what("aen one")
    own["model"]["network"] = {**own["model"]["network"], "column": 3, "depth": 4, "shortcut": False}
    other = curve(own, plain.traces)
    keys = ("model.column", "model.depth", "model.shortcut")
    found = [[choosing.settings(one).get(key) for key in keys] for one in (plain, flat, fixed, other)]
    assert found == [["1", "null", "true"], ["1", "1", "true"], [None] * 3, ["3", "4", "false"]]
    assert legend(other.what, SETTINGS) == "AEN, K = 6500 (model.column=3, model.depth=4, model.shortcut=false)"
    assert [meets("true", [word]) for word in ("true", "True", "False")] == [True, True, False]
