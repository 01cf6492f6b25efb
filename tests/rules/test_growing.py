"""When units are added."""

import numpy as np
import pytest
from support.small import cascade, configured

from plasticity.rules.growing import Every, paper_K, segments


@pytest.mark.parametrize(
    ("N", "K", "added"),
    [(10_000, 6500, 1), (10_000, 4000, 2), (10_000, 3000, 3), (40_000, 24_000, 1), (40_000, 12_000, 3)],
)
def test_the_papers_K_add_one_two_or_three_units_a_task(N: int, K: int, added: int) -> None:
    assert len(segments(N, K)) - 1 == added


def test_growth_comes_after_samples_K_2K_and_so_on_below_N() -> None:
    assert [part.stop for part in segments(10_000, 3000)] == [3000, 6000, 9000, 10_000]


def test_a_multiple_of_K_that_is_N_itself_adds_nothing() -> None:
    assert [part.stop for part in segments(10_000, 5000)] == [5000, 10_000]


@pytest.mark.parametrize("K", [None, 10_000, 12_000])
def test_K_of_N_or_more_never_grows(K: int | None) -> None:
    assert segments(10_000, K) == [slice(0, 10_000)]


def test_the_papers_rule_adds_one_unit() -> None:
    assert Every(5)(cascade(0), np.ones(5, bool)) == 1


@pytest.mark.parametrize(
    ("N", "growth", "K"),
    [
        (10_000, "one", 6500), (10_000, "two", 4000), (10_000, "three", 3000),
        (40_000, "one", 24_000), (40_000, "three", 12_000), (1000, "one", 650), (2000, "three", 600),
    ],
)  # fmt: skip
def test_K_follows_N_and_growth(N: int, growth: str, K: int) -> None:
    assert paper_K(N, growth) == K
    assert configured("dataset=toy", f"N={N}", f"growth={growth}").K == K


def test_K_given_wins_over_growth() -> None:
    assert configured("growth=three", "K=77").K == 77
