import numpy as np
import pytest

from plasticity.results import statistics
from plasticity.results.statistics import Interval, bands, change_from_peak, interval, settled, settling, smooth


def ar(rng: np.random.Generator, seeds: int, tasks: int, memory: float, spread: float) -> np.ndarray:
    """Noise that remembers, as the size of an elastic network does."""
    steps = rng.normal(0, spread * np.sqrt(1 - memory**2), (seeds, tasks))
    values = np.zeros((seeds, tasks))
    values[:, 0] = rng.normal(0, spread, seeds)
    for task in range(1, tasks):
        values[:, task] = memory * values[:, task - 1] + steps[:, task]
    return values


def test_interval_of_one_two_three_is_t_times_the_standard_error() -> None:
    found = interval(np.array([1.0, 2.0, 3.0]))
    assert found.mean == 2
    assert found.half == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)


def test_two_seeds_have_a_mean_but_no_interval() -> None:
    found = interval(np.array([1.0, 2.0]))
    assert (found.mean, found.n, found.known) == (1.5, 2, False)


def test_nan_is_left_out_of_the_interval_and_of_n() -> None:
    assert interval(np.array([1.0, np.nan, 2.0, 3.0])) == interval(np.array([1.0, 2.0, 3.0]))


def test_no_values_have_no_mean() -> None:
    found = interval(np.zeros(0))
    assert np.isnan(found.mean)
    assert found.n == 0


def test_bands_are_the_interval_of_every_task() -> None:
    series = np.random.default_rng(0).normal(size=(6, 9))
    series[2, 4] = np.nan
    found = bands(series)
    each = [interval(column) for column in series.T]
    np.testing.assert_allclose(found.mean, [one.mean for one in each])
    np.testing.assert_allclose(found.half, [one.half for one in each])
    assert found.n.tolist() == [6, 6, 6, 6, 5, 6, 6, 6, 6]


def test_bands_of_a_task_without_any_number_are_nan_without_a_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    found = bands(np.full((3, 2), np.nan))
    assert np.isnan(found.mean).all()
    assert not recwarn.list


def test_interval_holds_the_truth_in_about_95_of_100_draws() -> None:
    rng = np.random.default_rng(0)
    hits = [abs((found := interval(rng.normal(0, 1, 5))).mean) <= found.half for _ in range(2000)]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.015)


def test_smoothing_over_one_task_changes_nothing_and_over_three_averages_neighbours() -> None:
    values = np.array([0.0, 3.0, 6.0, 0.0])
    assert smooth(values, 1) is values
    np.testing.assert_allclose(smooth(values, 3), [1.5, 3, 3, 3])


def test_smoothing_keeps_a_gap_and_does_not_spread_it() -> None:
    np.testing.assert_allclose(smooth(np.array([1.0, np.nan, 3.0]), 3), [1, np.nan, 3])


def test_change_from_peak_of_a_rise_and_fall_is_the_fall() -> None:
    course = np.concatenate([np.linspace(0.7, 0.9, 50), np.full(20, 0.9), np.linspace(0.9, 0.8, 50), np.full(20, 0.8)])
    np.testing.assert_allclose(change_from_peak(np.tile(course, (4, 1))), -0.1)


def test_noise_alone_has_no_peak_to_fall_from() -> None:
    rng = np.random.default_rng(1)
    changes = [change_from_peak(rng.normal(0.8, 0.01, (5, 200))).mean() for _ in range(200)]
    assert abs(np.mean(changes)) < 0.0005  # a seed's own peak would give about -0.006


def test_change_from_peak_of_one_seed_is_against_its_own_peak() -> None:
    course = np.concatenate([np.full(50, 0.9), np.full(50, 0.8)])
    np.testing.assert_allclose(change_from_peak(course[None]), [-0.1])


def test_short_runs_have_short_windows() -> None:
    assert [statistics.window(tasks) for tasks in (1, 4, 20, 40, 400)] == [1, 1, 5, 10, 10]


TASKS = np.arange(300)


@pytest.mark.parametrize(
    ("course", "state"),
    [
        (np.full(300, 20.0), "settled"),
        (20 * (1 - np.exp(-TASKS / 20)), "settled"),  # an approach, long over
        (1.0 * TASKS, "rising"),  # AGN
        (20 * (1 - np.exp(-TASKS / 200)), "rising"),  # an approach, not over
        (60 - 0.1 * TASKS, "falling"),
    ],
)
@pytest.mark.parametrize("seeds", [1, 5])
def test_settling_of_known_courses_under_noise_that_remembers(course: np.ndarray, state: str, seeds: int) -> None:
    found = settling(course + ar(np.random.default_rng(seeds), seeds, 300, memory=0.8, spread=0.8))
    assert found.trend == state
    assert found.level.mean == pytest.approx(course[200:].mean(), rel=0.05)


def test_settled_level_is_the_mean_of_the_last_third() -> None:
    series = np.concatenate([np.zeros(200), np.full(100, 30.0)])
    assert settling(np.tile(series, (3, 1))).level.mean == 30


def test_settling_is_undecided_when_the_scatter_could_hide_steady_growth() -> None:
    rng = np.random.default_rng(0)
    slopes = np.array([-0.5, 0.0, 0.6])[:, None] * (TASKS - 250) / 100
    assert settling(20 * (1 + slopes) + rng.normal(0, 0.1, (3, 300))).trend == "undecided"


@pytest.mark.parametrize(
    ("mean", "half", "state"),
    [
        (0.04, 0.25, "settled"),
        (0.06, 0.005, "rising"),
        (-0.3, 0.2, "falling"),
        (0.14, 0.29, "undecided"),  # steady growth is not ruled out
        (-0.14, 0.29, "undecided"),
        (0.0, 0.31, "undecided"),
    ],
)
def test_a_size_has_settled_if_its_drift_may_be_small_and_is_surely_not_large(
    mean: float, half: float, state: str
) -> None:
    assert settled(Interval(mean, half, 5)) == state


def test_settling_of_a_run_of_few_tasks_is_undecided() -> None:
    assert settling(np.full((1, 12), 5.0)).trend == "undecided"


def test_a_network_without_units_has_settled_at_none() -> None:
    found = settling(np.zeros((3, 60)))
    assert (found.trend, found.level.mean) == ("settled", 0)


def test_settling_is_wrong_about_a_flat_size_in_few_of_a_hundred() -> None:
    rng = np.random.default_rng(3)
    states = [settling(20 + ar(rng, 5, 300, memory=0.85, spread=2.0)).trend for _ in range(200)]
    assert sum(state in ("rising", "falling") for state in states) <= 8
