"""Kinds of change: each task is a function of (seed, t), and changes what it says, no more."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support.small import small_data

from plasticity.data import Toy
from plasticity.ground.errors import Mistake
from plasticity.streams import (
    Gradual,
    Mixed,
    Permuted,
    RandomLabels,
    Relabelled,
    RotatingClasses,
    Samples,
    Stream,
    has_boundaries,
)

DATA = small_data(300, 40)
ODD = Toy(inputs=13, classes=7).load(70)  # neither 10 classes nor 784 inputs, and an odd number of them


def mixed(data: Any, seed: int, **more: Any) -> Mixed:
    parts = {"one": Permuted(data, seed, "shuffled"), "none": None, "two": Relabelled(data, seed, "shuffled")}
    return Mixed(data, seed, parts, **more)


KINDS: dict[str, Callable[[Any, int], Stream]] = {
    "permuted": lambda data, seed: Permuted(data, seed, "shuffled"),
    "gradual": lambda data, seed: Gradual(data, seed, "shuffled", 0.3),
    "gradual within tasks": lambda data, seed: Gradual(data, seed, "shuffled", 0.6, 9),
    "relabelled": lambda data, seed: Relabelled(data, seed, "shuffled"),
    "random labels": lambda data, seed: RandomLabels(data, seed, "shuffled", 4),
    "rotating classes": lambda data, seed: RotatingClasses(data, seed, "shuffled", 3),
    "mixed": lambda data, seed: mixed(data, seed, tasks=2),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def same(one: Samples, other: Samples) -> bool:
    return np.array_equal(one.x, other.x) and np.array_equal(one.y, other.y)


@kinds
def test_task_t_is_the_same_whichever_tasks_came_before(kind: str) -> None:
    stream = KINDS[kind](DATA, 3)
    in_turn = [stream.samples(task) for task in range(6)]
    assert same(in_turn[5], KINDS[kind](DATA, 3).samples(5))
    assert same(in_turn[2], stream.samples(2))  # and whichever came after


@kinds
def test_another_seed_and_another_task_are_other_samples(kind: str) -> None:
    first = KINDS[kind](DATA, 0).samples(4)
    assert not same(first, KINDS[kind](DATA, 1).samples(4))
    assert not same(first, KINDS[kind](DATA, 0).samples(5))


@kinds
@pytest.mark.parametrize("data", [DATA, ODD])
def test_every_task_has_N_samples_with_labels_of_the_data_set(kind: str, data: Any) -> None:
    for task in range(8):
        samples = KINDS[kind](data, 0).samples(task)
        assert len(samples) == len(data.images)
        assert samples.x.shape == data.images.shape
        assert 0 <= samples.y.min() <= samples.y.max() < data.classes


@pytest.mark.parametrize("task", [0, 1, 2, 17])
def test_gradual_with_a_change_of_1_is_the_papers_stream_to_the_bit(task: int) -> None:
    gradual, papers = Gradual(DATA, 5, "shuffled", 1).samples(task), Permuted(DATA, 5, "shuffled").samples(task)
    for name in ("images", "labels", "rows", "permutation"):
        np.testing.assert_array_equal(getattr(gradual, name), getattr(papers, name))


@pytest.mark.parametrize(("change", "most"), [(0.01, 2), (0.1, 4), (0.5, 20), (0.9, 36)])
def test_gradual_moves_at_most_its_share_of_the_places_and_mostly_as_many(change: float, most: int) -> None:
    stream = Gradual(DATA, 0, "shuffled", change)
    permutations = [stream.samples(task).permutation for task in range(60)]
    moved = [int((one != other).sum()) for one, other in pairwise(permutations)]
    assert max(moved) == most
    assert np.mean(moved) == pytest.approx(most - 1, abs=0.5)  # of a random rearrangement one place stays, on average
    assert all(sorted(permutation) == list(range(40)) for permutation in permutations)


@pytest.mark.parametrize(("change", "every", "N"), [(0.2, 50, 300), (1, 7, 300), (0.05, 300, 300), (1, 1, 300)])
def test_within_tasks_gradual_moves_its_share_evenly_and_a_boundary_is_like_any_other_moment(
    change: float, every: int, N: int
) -> None:
    stream, pairs = Gradual(DATA, 0, "shuffled", change, every), round(change * 40 / 2)
    seen = np.concatenate([tasks.permutation[tasks.view] for tasks in map(stream.samples, range(3))])
    moved = (seen[1:] != seen[:-1]).sum(axis=1)
    assert (seen[N] != seen[0]).sum() == 2 * pairs == (seen[2 * N] != seen[N]).sum()
    moments = np.flatnonzero(moved) + 1
    assert set(moments % every) <= {0}  # counted on from task to task
    assert set(moved[moved > 0]) <= {2 * (pairs * every // N), 2 * (pairs * every // N) + 2}


def test_labels_are_permuted_and_pixels_stay_in_a_relabelled_stream() -> None:
    samples = Relabelled(DATA, 0, "shuffled").samples(3)
    np.testing.assert_array_equal(samples.x, DATA.images[samples.rows])
    pairs = set(zip(DATA.labels.tolist(), samples.labels.tolist(), strict=True))
    assert len(pairs) == len({new for _, new in pairs}) == 10
    assert any(old != new for old, new in pairs)


def test_random_labels_have_nothing_to_do_with_classes_and_stay_for_the_task() -> None:
    samples = RandomLabels(DATA, 0, "shuffled", 5).samples(2)
    assert len({*zip(DATA.labels.tolist(), samples.labels.tolist(), strict=True)}) > 80  # of 100 possible pairs
    by_image = {*zip(samples.rows.tolist(), samples.y.tolist(), strict=True)}
    assert len(by_image) == len(set(samples.rows)) == 60  # the same label in every pass
    passes = samples.rows.reshape(5, 60)
    assert all(sorted(each) == sorted(passes[0]) for each in passes)
    assert (passes[0] != passes[1]).any()


def test_random_labels_are_for_the_same_images_in_every_task_and_in_one_pass_for_all() -> None:
    stream = RandomLabels(DATA, 0, "shuffled", 5)
    assert set(stream.samples(0).rows) == set(stream.samples(1).rows)
    assert sorted(RandomLabels(DATA, 0, "shuffled").samples(0).rows) == list(range(300))


def test_rotating_classes_come_in_turn_and_each_as_often() -> None:
    stream = RotatingClasses(DATA, 0, "shuffled", 4)
    tasks = [set(stream.samples(task).y.tolist()) for task in range(5)]
    assert [len(classes) for classes in tasks] == [4] * 5
    assert [sum(label in classes for classes in tasks) for label in range(10)] == [2] * 10
    assert len(tasks[0] | tasks[1]) == 8
    samples = stream.samples(0)
    np.testing.assert_array_equal(samples.y, DATA.labels[samples.rows])
    assert np.unique(samples.rows, return_counts=True)[1].max() == 3  # 120 images, 300 samples


def test_mixed_streams_take_turns_by_task() -> None:
    stream = mixed(DATA, 0, tasks=2)
    permuted, relabelled = Permuted(DATA, 0, "shuffled"), Relabelled(DATA, 0, "shuffled")
    turns = [*((permuted, task) for task in (0, 1)), *((relabelled, task) for task in (2, 3)), (permuted, 2)]
    assert all(same(stream.samples(task), turn.samples(own)) for task, (turn, own) in enumerate(turns))


def test_a_stream_goes_on_where_its_last_turn_ended() -> None:
    """So that a fifth stream that rotates classes comes to all of them, and gradual change is as large as it says."""
    rotating, gradual = RotatingClasses(DATA, 0, "shuffled", 2), Gradual(DATA, 0, "shuffled", 0.5)
    others = {str(place): Permuted(DATA, 0, "shuffled") for place in range(3)}
    stream = Mixed(DATA, 0, {**others, "gradual": gradual, "rotating": rotating})
    assert {label for task in range(4, 25, 5) for label in np.unique(stream.samples(task).y)} == set(range(10))
    for task in (8, 13):
        now, before = (stream.samples(each).permutation for each in (task, task - 5))
        assert 0 < np.mean(now != before) <= 0.5


def test_only_what_changes_within_tasks_has_no_boundaries() -> None:
    without = {kind for kind, made in KINDS.items() if not has_boundaries(made(DATA, 0))}
    assert without == {"gradual within tasks"}
    assert not has_boundaries(Mixed(DATA, 0, {"one": KINDS["gradual within tasks"](DATA, 0)}))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: Gradual(DATA, 0, "shuffled", 0), "stream.change=0 is not possible"),
        (lambda: Gradual(DATA, 0, "shuffled", 1.5), "stream.change=1.5 is not possible; .* above 0 and at most 1"),
        (lambda: Gradual(DATA, 0, "shuffled", float("nan")), "stream.change=nan is not possible"),
        (lambda: Gradual(DATA, 0, "shuffled", "abc"), "stream.change=abc is not possible"),  # type: ignore[arg-type]
        (lambda: Gradual(DATA, 0, "shuffled", 0.5, 0), "stream.every=0 is not possible; .* from 1 to 300, or null"),
        (lambda: Gradual(DATA, 0, "shuffled", 0.5, 301), "stream.every=301 is not possible"),
        (lambda: RandomLabels(DATA, 0, "shuffled", 301), "stream.passes=301 is not possible"),
        (lambda: RotatingClasses(DATA, 0, "shuffled", 11), "stream.classes=11 is not possible; .* from 1 to 10"),
        (lambda: Mixed(DATA, 0, {"one": None}), "stream.turns has no stream"),
        (lambda: Mixed(DATA, 0, None), "stream.turns=None is not possible"),  # type: ignore[arg-type]
        (lambda: Mixed(DATA, 0, {"one": "permuted"}), "stream.turns.one=permuted is no stream"),  # type: ignore[dict-item]
        (lambda: mixed(DATA, 0, tasks=0), "stream.tasks=0 is not possible"),
        (lambda: Relabelled(DATA, 0, "backwards"), "order=backwards is not known"),
    ],
)
def test_impossible_settings_are_refused(made: Callable[[], Stream], says: str) -> None:
    with pytest.raises(Mistake, match=says):
        made()
