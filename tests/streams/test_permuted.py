"""Tasks depend on (seed, t) alone."""

import numpy as np
from support.small import small_data

from plasticity.streams.permuted import Stream

DATA = small_data()


def test_task_t_is_the_same_whichever_tasks_came_before() -> None:
    late, early = list(Stream(DATA, seed=3).tasks(0, 4))[3], Stream(DATA, seed=3).task(3)
    for part in ("samples", "probe", "gauge"):
        np.testing.assert_array_equal(getattr(late, part).x, getattr(early, part).x)


def test_every_task_has_a_permutation_and_an_order_of_its_own() -> None:
    first, second = Stream(DATA, seed=0).tasks(0, 2)
    assert (first.samples.permutation != second.samples.permutation).any()
    assert (first.samples.rows != second.samples.rows).any()


def test_another_seed_is_another_stream() -> None:
    a, b = Stream(DATA, seed=0).task(0), Stream(DATA, seed=1).task(0)
    assert (a.samples.permutation != b.samples.permutation).any()


def test_a_task_is_every_image_once_with_its_pixels_permuted() -> None:
    task = Stream(DATA, seed=0).task(5)
    assert sorted(task.samples.rows) == list(range(len(DATA.images)))
    assert sorted(task.samples.permutation) == list(range(20))
    row = task.samples.rows[7]
    np.testing.assert_array_equal(task.samples.x[7], DATA.images[row][task.samples.permutation])
    assert task.samples.y[7] == DATA.labels[row]


def test_probe_and_gauge_are_different_draws_of_five_percent() -> None:
    task = Stream(DATA, seed=0).task(0)
    assert len(task.probe) == len(task.gauge) == 15
    assert set(task.probe.rows) != set(task.gauge.rows)
    assert len(set(task.probe.rows)) == 15


def test_the_probe_does_not_change_the_task() -> None:
    a, b = Stream(DATA, seed=0, probe=0.05).task(2), Stream(DATA, seed=0, probe=0.5).task(2)
    np.testing.assert_array_equal(a.samples.x, b.samples.x)


def test_fixed_order_is_file_order() -> None:
    assert Stream(DATA, seed=0, shuffled=False).task(4).samples.rows.tolist() == list(range(300))
