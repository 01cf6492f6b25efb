import numpy as np
import pytest
from support.synthetic import family

from plasticity.results.curves import Curve
from plasticity.results.paper.claims import Above, Below, Claim, Far, Near, Part, Settles, Verdict, judge
from plasticity.results.paper.statements import BETTER, CHANGE, DECLINES, HOLDS, LAST, each
from plasticity.results.statistics import Interval

FALL = np.concatenate([np.linspace(0.8, 0.86, 30), np.linspace(0.86, 0.80, 90)])
SAG = np.concatenate([np.full(40, 0.8), np.linspace(0.8, 0.79, 80)])  # by about the bound, one point


def verdict(claim: Claim, **curves: Curve) -> Verdict:
    return judge(claim, "mnist", 10_000, {name.replace("_", " "): one for name, one in curves.items()}).verdict


SGN_DECLINES = Claim("SGN declines", each(["sgn one"], CHANGE, DECLINES))
SGN_HOLDS = Claim("SGN holds", each(["sgn one"], CHANGE, HOLDS))


def test_a_falling_curve_declines_and_does_not_hold() -> None:
    falling = family("sgn one", accuracy=FALL)
    assert verdict(SGN_DECLINES, sgn_one=falling) is Verdict.SUPPORTED
    assert verdict(SGN_HOLDS, sgn_one=falling) is Verdict.AGAINST


def test_a_flat_curve_holds_and_does_not_decline() -> None:
    flat = family("sgn one", accuracy=0.8)
    assert verdict(SGN_HOLDS, sgn_one=flat) is Verdict.SUPPORTED
    assert verdict(SGN_DECLINES, sgn_one=flat) is Verdict.AGAINST


def test_a_curve_too_noisy_to_tell_is_not_enough_runs_either_way() -> None:
    noisy = family("sgn one", accuracy=SAG, noise=0.05)
    assert verdict(SGN_HOLDS, sgn_one=noisy) is Verdict.OPEN
    assert verdict(SGN_DECLINES, sgn_one=noisy) is Verdict.OPEN


@pytest.mark.parametrize("seeds", [1, 2])
def test_fewer_than_three_seeds_are_not_enough_however_clear(seeds: int) -> None:
    assert verdict(SGN_DECLINES, sgn_one=family("sgn one", seeds=seeds, accuracy=FALL)) is Verdict.OPEN


def test_a_missing_curve_is_not_enough_runs_and_is_named() -> None:
    found = judge(SGN_DECLINES, "mnist", 10_000, {})
    assert found.verdict is Verdict.OPEN
    assert found.findings[0].missing == ("sgn one",)


def test_a_seed_with_nan_at_its_end_does_not_count() -> None:
    falling = family("sgn one", seeds=3, accuracy=FALL)
    falling.traces[1].values["accuracy"][-1] = np.nan
    found = judge(SGN_DECLINES, "mnist", 10_000, {"sgn one": falling})
    assert found.findings[0].found.n == 2
    assert found.verdict is Verdict.OPEN


THREE_BETTER = Claim("more", (Part(LAST, ("aen three", "aen one"), BETTER, (1.0, -1.0), words="three - one"),))


def shifted(name: str, by: float, seeds: range) -> Curve:
    """Seeds far apart from each other, which pairing takes out."""
    one = family(name, seeds=max(seeds) + 1, noise=0.0005)
    for trace in one.traces:
        trace.values["accuracy"][:] += by + 0.02 * trace.seed
    return Curve(one.what, tuple(trace for trace in one.traces if trace.seed in seeds))


def test_pairing_by_seed_finds_a_difference_smaller_than_that_between_seeds() -> None:
    one, three = shifted("aen one", 0.0, range(5)), shifted("aen three", 0.004, range(5))
    found = judge(THREE_BETTER, "mnist", 10_000, {"aen one": one, "aen three": three})
    assert found.verdict is Verdict.SUPPORTED
    assert found.findings[0].paired
    assert found.findings[0].found.mean == pytest.approx(0.004, abs=0.0005)


def test_sides_that_share_no_seed_are_compared_unpaired() -> None:
    one, three = shifted("aen one", 0.0, range(5)), shifted("aen three", 0.004, range(5, 10))
    found = judge(THREE_BETTER, "mnist", 10_000, {"aen one": one, "aen three": three})
    assert not found.findings[0].paired
    assert found.findings[0].found.half > 0.02


def test_unpaired_interval_is_welchs() -> None:
    one = family("aen one", seeds=4, noise=0.01)
    three = family("aen three", seeds=11, noise=0.001)
    apart = Curve(three.what, three.traces[4:])
    found = judge(THREE_BETTER, "mnist", 10_000, {"aen one": one, "aen three": apart}).findings[0].found
    a, b = LAST.of(apart), LAST.of(one)
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    from scipy.stats import t

    assert found.half == pytest.approx(t.ppf(0.975, freedom) * np.sqrt(va + vb), rel=1e-6)


def test_curves_of_unequal_length_are_compared_over_the_tasks_they_share() -> None:
    long = family("aen three", tasks=200, accuracy=np.concatenate([np.full(120, 0.8), np.full(80, 0.9)]), noise=0)
    short = family("aen one", tasks=120, accuracy=0.8, noise=0)
    found = judge(THREE_BETTER, "mnist", 10_000, {"aen one": short, "aen three": long})
    assert found.findings[0].found.mean == pytest.approx(0)
    assert found.verdict is Verdict.AGAINST


BOTH = each(["sgn one", "agn one"], CHANGE, DECLINES)


@pytest.mark.parametrize(
    ("second", "every", "one"),
    [
        (FALL, Verdict.SUPPORTED, Verdict.SUPPORTED),
        (0.8, Verdict.AGAINST, Verdict.SUPPORTED),
        (None, Verdict.OPEN, Verdict.SUPPORTED),
    ],
)
def test_a_claim_of_all_parts_and_a_claim_of_any_part(second: object, every: Verdict, one: Verdict) -> None:
    curves = {"sgn one": family("sgn one", accuracy=FALL)}
    if second is not None:
        curves["agn one"] = family("agn one", accuracy=second)
    assert judge(Claim("all", BOTH), "mnist", 10_000, curves).verdict is every
    assert judge(Claim("any", BOTH, enough=any), "mnist", 10_000, curves).verdict is one


YES, NO, OPEN = Verdict.SUPPORTED, Verdict.AGAINST, Verdict.OPEN


@pytest.mark.parametrize(
    ("expect", "verdicts"),
    [
        (Above(0.0, ""), (NO, OPEN, YES)),
        (Below(0.0, ""), (YES, OPEN, NO)),
        (Near(1.0, ""), (NO, YES, NO)),
        (Far(1.0, ""), (YES, NO, YES)),
    ],
)
def test_an_expectation_of_an_interval_below_across_and_above(expect: Above, verdicts: tuple[Verdict, ...]) -> None:
    assert tuple(expect(Interval(mean, 0.5, 5)) for mean in (-2.0, 0.0, 2.0)) == verdicts


def test_near_and_far_are_open_where_the_interval_crosses_the_margin() -> None:
    across = Interval(1.0, 0.5, 5)
    assert Near(1.0, "")(across) is Far(1.0, "")(across) is OPEN


def test_settling_is_open_where_the_drift_is_too_uncertain() -> None:
    drifts = [Interval(0.0, 0.1, 5), Interval(0.4, 0.1, 5), Interval(0.0, 0.5, 5)]
    assert [Settles("")(drift) for drift in drifts] == [YES, NO, OPEN]
