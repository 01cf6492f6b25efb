"""How long units live, and the size that follows from it: calculated by hand."""

import numpy as np
import pytest

from plasticity.results.lives.balance import balance, predicted, sizes
from plasticity.results.lives.history import History, Life
from plasticity.results.lives.survival import ages_at, doubling, hazard, lifetimes, survival
from plasticity.results.lives.thirds import by_age, thirds


def history(*lives: tuple[float, float | None], tasks: int = 10) -> History:
    """Of units that were born and died then, in tasks; N = 10."""

    def time(when: float) -> tuple[int, int]:
        return int(when), round(10 * (when % 1))

    made = [Life(number, time(born), None if died is None else time(died)) for number, (born, died) in enumerate(lives)]
    return History({"N": 10}, tasks, tuple(made), ())


def test_units_that_live_on_are_censored_at_the_age_that_they_have_reached() -> None:
    age, dead = lifetimes([history((0.5, 3), (2.5, None)), history((0, 1))])
    assert (age.tolist(), dead.tolist()) == ([2.5, 7.5, 1], [True, False, True])


def test_the_survival_curve_is_kaplan_meiers() -> None:
    """Deaths at 1, 2, 4, one unit censored at 3: 1 → 3/4 → 2/4 → 2/4 · (1 − 1/1) = 0."""
    curve = survival(np.array([1.0, 2, 3, 4]), np.array([True, True, False, True]))
    np.testing.assert_allclose(curve.at(np.array([0, 0.9, 1, 1.9, 2, 3.9, 4, 9])), [1, 1, 0.75, 0.75, 0.5, 0.5, 0, 0])
    assert curve.mean_up_to_longest == pytest.approx(1 + 0.75 + 0.5 * 2)
    assert (curve.lives, curve.deaths) == (4, 3)
    assert (curve.low[1], curve.high[1]) == (pytest.approx(0.1279, abs=2e-4), pytest.approx(0.9605, abs=2e-4))


def test_without_a_death_all_live() -> None:
    curve = survival(np.array([2.0, 5]), np.zeros(2, bool))
    assert (curve.at(np.array([0, 4, 99])).tolist(), curve.mean_up_to_longest) == ([1, 1, 1], 5)


def test_hazard_is_deaths_over_the_time_that_units_lived_at_that_age() -> None:
    found = hazard(np.array([0.5, 1.5, 3.0]), np.array([True, True, False]), np.array([0.0, 1, 2, 4]))
    np.testing.assert_allclose(found.rate, [1 / 2.5, 1 / 1.5, 0])
    assert found.low[2] == 0
    assert found.high[2] == pytest.approx(3.689, abs=1e-3)  # no death in one unit-task: −ln 0.025


def test_bins_of_ages_double() -> None:
    assert doubling(9).tolist() == [0, 1, 2, 4, 8, 16]


def test_ages_are_those_after_what_rules_do_when_the_task_begins() -> None:
    one = history((0.5, 3), (1.5, None), (3, None), (3.5, None))
    assert ages_at(one, 3).tolist() == [1.5, 0]
    assert sizes(one).tolist() == [0, 1, 2, 2, 3, 3, 3, 3, 3, 3]


def test_the_predicted_size_is_the_sum_of_what_is_left_of_each_birth() -> None:
    curve = survival(np.array([1.0, 2.0]), np.array([True, True]))  # 1, then ½ from age 1 on, then 0 from age 2 on
    assert predicted(history((0, None), (1, None), tasks=4), curve).tolist() == [1, 1.5, 0.5, 0]


def test_who_dies_at_an_age_is_gone_at_that_age_whenever_it_is_reached() -> None:
    """Born at 0.6, 1.6, …, and gone when the next task begins: 1 − 0.6 and 900 − 899.6 are not the same number."""
    one = history(*((task + 0.6, task + 1.0) for task in range(1000)), tasks=1000)
    assert predicted(one, survival(*lifetimes([one]))).max() == sizes(one).max() == 0


def test_births_and_lives_of_three_tasks_balance_at_three_units_a_birth() -> None:
    lives = [(float(task), None if task + 3 > 30 else task + 3.0) for task in range(31)]
    found = balance([history(*lives, tasks=30) for _ in range(3)])
    assert (found.births, found.life.mean, found.long_run) == (pytest.approx(1.1), pytest.approx(3), pytest.approx(3.3))
    assert found.measured.mean == found.predicted.mean == 3
    assert found.verdict == "agrees"


def test_where_nobody_dies_there_is_no_balance() -> None:
    found = balance([history((0.5, None), (8.5, None))])
    assert (found.long_run, found.seen) == (np.inf, 0)
    assert found.verdict == "too few seeds"


def test_deaths_and_time_lived_are_counted_by_age_between_two_times() -> None:
    """From 2 to 5. A unit born at 0 that dies at 4 is seen from age 2 to 4; one born at 3 and alive, from 0 to 2; one
    that died at 1, and one that is born at 6, never."""
    one = history((0, 4), (3, None), (0.5, 1), (6, None))
    died, lived = by_age(one, np.array([0.0, 1, 2, 4, 8]), 2, 5)
    assert lived.tolist() == [1, 1, 2, 0]
    assert died.tolist() == [0, 0, 1, 0]  # at 4, up to which it lived


def test_deaths_by_age_alone_are_as_expected_in_every_third() -> None:
    lives = [(float(task), None if task + 2 >= 300 else task + 2.0) for task in range(300)]
    found = thirds([history(*lives, tasks=300) for _ in range(3)])
    assert [each.mean for each in found] == pytest.approx([1, 1, 1], abs=0.02)


def test_units_that_die_sooner_later_in_a_run_show() -> None:
    """One unit after the other: for twenty tasks each lives for two tasks, then for one."""
    early = [(float(task), task + 2.0) for task in range(0, 20, 2)]
    late = [(float(task), task + 1.0) for task in range(20, 29)]
    first, middle, last = (each.mean for each in thirds([history(*early, *late, tasks=30) for _ in range(3)]))
    assert max(first, middle) < 1 < last


def test_where_nobody_dies_no_ratio_of_deaths_is_known() -> None:
    assert np.isnan([each.mean for each in thirds([history((0, None))])]).all()


def test_the_interval_of_expected_life_is_the_jackknifes() -> None:
    """Lives of 2, 3 and 4 tasks, one in each seed: 3 in all, and 3.5, 3 and 2.5 without one. So 3·3 − 2·others is 2, 3
    and 4, whose half interval is t(0.975, 2)/√3."""
    found = balance([history((0, float(life)), tasks=10) for life in (2, 3, 4)]).life
    assert (found.mean, found.half) == (pytest.approx(3), pytest.approx(4.3027 / 3**0.5, abs=1e-3))
