import numpy as np
from support.synthetic import SETTINGS, curve, family, trace, what

from plasticity.results.curves import Curve
from plasticity.results.drawing import draw
from plasticity.results.figures import Figure, Preset
from plasticity.results.panels import light, limits, lines
from plasticity.results.statistics import bands, quantile

TASKS = 400


def figure(*curves: Curve) -> Figure:
    return Figure(Preset("p", "A title", "mnist", 10_000, tuple(one.what for one in curves)), curves, (), SETTINGS)


def noisy(name: str, level: float, noise: float) -> Curve:
    rng = np.random.default_rng(len(name))
    return curve(what(name), [trace(seed, TASKS, accuracy=rng.normal(level, noise, TASKS)) for seed in range(5)])


TANGLED = figure(noisy("aen one", 0.800, 0.01), noisy("agn one", 0.804, 0.01))
APART = figure(noisy("aen one", 0.800, 0.001), noisy("agn one", 0.850, 0.001))


def test_lines_that_cannot_be_told_apart_are_lightly_smoothed_with_the_raw_line_behind() -> None:
    assert light(TANGLED, "accuracy") == 11
    (panel, *_) = draw(TANGLED).axes
    raw, smoothed = panel.lines[:2]
    assert (raw.get_alpha() or 1.0) < 0.5
    assert np.ptp(np.asarray(smoothed.get_ydata())) < 0.6 * np.ptp(np.asarray(raw.get_ydata()))
    assert "accuracy: moving mean of 11 tasks" in draw(TANGLED).legends[0].get_title().get_text()


def test_lines_that_can_be_told_apart_are_drawn_as_they_are() -> None:
    assert light(APART, "accuracy") == 1
    assert lines(APART, "accuracy", None)[0].raw is None


def test_the_band_of_a_smoothed_curve_is_the_interval_of_the_smoothed_mean() -> None:
    series = TANGLED.curves[0].series("accuracy")
    means = series[:, 45:56].mean(axis=1)  # task 50, eleven tasks
    half = quantile(4) * means.std(ddof=1) / np.sqrt(5)
    line = lines(TANGLED, "accuracy", 11)[0]
    np.testing.assert_allclose(line.high[50], 100 * (means.mean() + half))
    assert line.high[50] - line.mean[50] < 100 * bands(series).half[45:56].mean()


def test_a_network_without_units_has_its_place_on_a_logarithmic_axis() -> None:
    none = np.zeros(TASKS)
    shown = figure(
        family("aen one", tasks=TASKS, units=none), family("agn one", tasks=TASKS, units=1 + np.arange(TASKS))
    )
    assert shown.logarithmic("units")
    panel = draw(shown).axes[2]
    assert panel.get_ylim()[0] < 0
    texts = [label.get_text() for label in panel.get_yticklabels()]
    assert texts[:5] == ["0", "1", "2", "5", "10"]


def test_one_outlier_does_not_stretch_the_axis_and_is_said() -> None:
    accuracy = np.full(TASKS, 0.8) + 0.01 * np.sin(np.arange(TASKS))
    accuracy[200] = 0.1
    shown = figure(curve(what("aen one"), [trace(0, TASKS, accuracy=accuracy)]))
    low, high, outside = limits(lines(shown, "accuracy", 1))
    assert low > 75
    assert high < 85
    assert outside == 1
    assert [text.get_text() for text in draw(shown).axes[0].texts] == ["1 value outside"]


def test_the_few_tasks_in_which_a_line_is_not_zero_are_on_the_axis() -> None:
    dormancy = np.zeros(TASKS)
    dormancy[[100, 200]] = 0.3, 0.1
    shown = figure(curve(what("aen one"), [trace(0, TASKS, dormancy=dormancy)]))
    _, high, outside = limits(lines(shown, "dormancy", 1))
    assert high > 30
    assert outside == 0


def test_a_band_that_only_some_curves_have_is_said_to_be_of_enough_seeds() -> None:
    shown = figure(family("aen one", seeds=2), family("agn one", seeds=3))
    caption = draw(shown).legends[0].get_title().get_text()
    assert "Mean over 2 to 3 seeds; band: 95 % t interval of 3 seeds or more" in caption


def test_an_axis_reaches_over_all_values_where_none_strays() -> None:
    low, high, outside = limits(lines(APART, "accuracy", 1))
    assert low < 79.9
    assert high > 85.1
    assert outside == 0


def test_chosen_measures_are_the_panels() -> None:
    chosen = Figure(APART.preset, APART.curves, (), SETTINGS, ("dormancy",))
    assert [ax.get_title("left") for ax in draw(chosen).axes] == ["Dormancy (%)"]
    assert chosen.name == "p-mnist-N10000-dormancy"


def test_a_panel_of_zeros_has_an_axis_that_can_be_read() -> None:
    shown = figure(curve(what("aen one"), [trace(0, TASKS, dormancy=np.zeros(TASKS))]))
    assert limits(lines(shown, "dormancy", 1)) == (-0.05, 1, 0)
