"""Tasks depend on (seed, t) alone."""

import numpy as np
import pytest
from support.small import small_data, stream

from plasticity.ground.errors import Mistake
from plasticity.streams import Samples

DATA = small_data()


def test_task_t_is_the_same_whichever_tasks_came_before() -> None:
    late = [stream(DATA, seed=3).samples(task) for task in range(4)][3]
    np.testing.assert_array_equal(late.x, stream(DATA, seed=3).samples(3).x)


def test_every_task_has_a_permutation_and_an_order_of_its_own() -> None:
    first, second = stream(DATA).samples(0), stream(DATA).samples(1)
    assert (first.permutation != second.permutation).any()
    assert (first.rows != second.rows).any()


def test_another_seed_is_another_stream() -> None:
    assert (stream(DATA, seed=0).samples(0).permutation != stream(DATA, seed=1).samples(0).permutation).any()


def test_a_task_is_every_image_once_with_its_pixels_permuted() -> None:
    samples = stream(DATA).samples(5)
    assert sorted(samples.rows) == list(range(len(DATA.images)))
    assert sorted(samples.permutation) == list(range(20))
    row = samples.rows[7]
    np.testing.assert_array_equal(samples.x[7], DATA.images[row][samples.permutation])
    assert samples.y[7] == DATA.labels[row]


def test_a_part_is_drawn_without_repeats_whatever_the_order_learned() -> None:
    shuffled, fixed = stream(DATA).samples(0), stream(DATA, order="fixed").samples(0)
    parts = [samples.some(0.05, np.random.default_rng(1)) for samples in (shuffled, fixed)]
    assert len(parts[0]) == len(set(parts[0].rows)) == 15
    np.testing.assert_array_equal(parts[0].rows, parts[1].rows)


def test_a_part_has_at_least_one_sample() -> None:
    assert len(Samples.of(DATA.images[:3]).some(0.001, np.random.default_rng(0))) == 1


def test_fixed_order_is_file_order() -> None:
    assert stream(DATA, order="fixed").samples(4).rows.tolist() == list(range(300))


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(Mistake, match="order=backwards is not known"):
        stream(DATA, order="backwards")
