"""When units are added."""

import pytest
from support.small import cascade, configured, moment, small_data

from plasticity.ground.errors import Mistake
from plasticity.rules import Every
from plasticity.runs.growth import paper_K
from plasticity.streams import Samples


def moments(N: int, K: int) -> list[int]:
    """Before which samples the rule is asked, as the learner finds out."""
    found, sample = [], 0
    while (due := Every(K).due(cascade(0), sample, N)) is not None:
        found.append(due)
        sample = due + 1
    return found


@pytest.mark.parametrize(
    ("N", "K", "added"),
    [(10_000, 6500, 1), (10_000, 4000, 2), (10_000, 3000, 3), (40_000, 24_000, 1), (40_000, 12_000, 3)],
)
def test_the_papers_K_add_one_two_or_three_units_per_task(N: int, K: int, added: int) -> None:
    assert len(moments(N, K)) == added


def test_growth_comes_after_samples_K_2K_and_so_on_below_N() -> None:
    assert moments(10_000, 3000) == [3000, 6000, 9000]


def test_a_multiple_of_K_that_is_N_itself_adds_nothing() -> None:
    assert moments(10_000, 5000) == [5000]


@pytest.mark.parametrize("K", [10_000, 12_000])
def test_K_of_N_or_more_never_grows(K: int) -> None:
    assert moments(10_000, K) == []


def test_the_papers_rule_adds_one_unit() -> None:
    network = cascade(0)
    assert Every(5)(network, moment(network, Samples.of(small_data().images))).add == 1


@pytest.mark.parametrize("K", [0, -5, 2.5, True])
def test_an_impossible_K_is_refused(K: int) -> None:
    with pytest.raises(Mistake, match=f"K={K} is not possible"):
        Every(K)


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
