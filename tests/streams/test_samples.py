"""Samples that are seen through several permutations."""

import numpy as np
from support.small import small_data

from plasticity.streams import Samples

DATA = small_data(100)


def drifting(view: np.ndarray) -> Samples:
    rng = np.random.default_rng(0)
    permutations = np.stack([rng.permutation(20) for _ in range(4)])
    return Samples(DATA.images, DATA.labels, rng.permutation(100)[: len(view)], permutations, view)


SAMPLES = drifting(np.repeat([0, 1, 3], [33, 1, 40]))


def test_each_sample_is_seen_through_its_own_permutation() -> None:
    for sample in (0, 32, 33, 34, 73):
        permutation = SAMPLES.permutation_of(sample)
        np.testing.assert_array_equal(SAMPLES.x[sample], DATA.images[SAMPLES.rows[sample]][permutation])


def test_pieces_end_where_the_permutation_changes_and_when_they_are_long_enough() -> None:
    pieces = list(SAMPLES.pieces(30))
    assert [(part.start, part.stop) for part, _ in pieces] == [(0, 30), (30, 33), (33, 34), (34, 64), (64, 74)]
    assert all(piece.view is None for _, piece in pieces)
    np.testing.assert_array_equal(np.concatenate([piece.x for _, piece in pieces]), SAMPLES.x)


def test_pieces_of_one_permutation_end_only_when_they_are_long_enough() -> None:
    assert [part.stop for part, _ in Samples.of(DATA.images).pieces(40)] == [40, 80, 100]


def test_a_part_keeps_which_sample_is_seen_through_what() -> None:
    np.testing.assert_array_equal(SAMPLES[20:50].x, SAMPLES.x[20:50])
    part = SAMPLES.some(0.5, np.random.default_rng(1))
    own = {int(row): x.tolist() for row, x in zip(SAMPLES.rows, SAMPLES.x, strict=True)}
    assert [own[int(row)] for row in part.rows] == part.x.tolist()


def test_what_is_seen_through_one_permutation_is_the_same_as_images_of_their_own() -> None:
    assert SAMPLES.alike.view is None
    np.testing.assert_array_equal(SAMPLES.alike.x, SAMPLES.x)
    np.testing.assert_array_equal(SAMPLES.alike.y, SAMPLES.y)
    assert SAMPLES[:10].alike is not SAMPLES
    plain = Samples.of(DATA.images)
    assert plain.alike is plain
