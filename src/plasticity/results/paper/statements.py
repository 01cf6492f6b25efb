"""What the paper says, as data: its statements, the curves each speaks of, and what is measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plasticity.results import statistics
from plasticity.results.curves import Curve
from plasticity.results.paper.claims import (
    Above,
    Below,
    Claim,
    Far,
    Judgement,
    Near,
    Part,
    Settles,
    Statistic,
    Verdict,
    judge,
)
from plasticity.results.words import ACROSS, MODELS, UNITS_PER_TASK, placed, spoken
from plasticity.runs.growth import PAPER_K
from plasticity.runs.identity import growth, name
from plasticity.runs.keys import differences

FIGURES = ("overview", "ffcnn", "sgn", "agn", "aen", "two_layer")
CELLS = (("mnist", 10_000), ("fmnist", 10_000), ("mnist", 40_000), ("fmnist", 40_000))

# Statistics
CHANGE = Statistic("accuracy, last minus peak", lambda curve: statistics.change_from_peak(curve.series("accuracy")))
LAST = Statistic("last accuracy", lambda curve: statistics.last(curve.series("accuracy")))
RISE = Statistic(
    "dormancy, last minus first",
    lambda curve: statistics.last(curve.series("dormancy")) - statistics.first(curve.series("dormancy")),
)
DORMANCY = Statistic(
    "dormancy over the last third",
    lambda curve: statistics.level(curve.series("dormancy")),
    unit=" %",
    sign="",
)
DRIFT = Statistic("units, drift over the last third", lambda curve: statistics.drift(curve.series("units")), unit=" %")
PEAK = Statistic(
    "peak of accuracy, place among the tasks",
    lambda curve: statistics.peak_place(curve.series("accuracy")),
    unit=" %",
    sign="",
)
UNITS = Statistic("settled units", lambda curve: statistics.level(curve.series("units")), 1.0, " units")
SHARE_OF_UNITS = Statistic("settled units", lambda curve: statistics.level(curve.series("units")), unit=" %")
CONNECTIONS = Statistic("settled connections", lambda curve: statistics.level(curve.series("connections")), unit=" %")

# Expectations; a point is a hundredth of the samples.
POINT = 0.01
DECLINES = Below(-POINT, "falls by more than 1 point")
HOLDS = Above(-POINT, "does not fall by more than 1 point")
RISES = Above(POINT, "rises by more than 1 point")
HIGH = Above(0.10, "above 10 %")
NEAR_ZERO = Below(0.02, "below 2 %")
EARLY = Below(0.25, "in the first quarter of the tasks")
BETTER = Above(POINT / 10, "better by more than 0.1 points")
LARGER = Above(0.0, "larger")
SMALLER = Below(0.0, "smaller, in at least two cases")
SETTLES = Settles("a drift that could be within ±5 % and is certainly within ±30 %")
LINEAR = Near(0.15, "within 15 % of the range of the straight line")
BENT = Far(0.15, "more than 15 % of the range off the straight line")
ALIKE = Near(0.15, "within 15 %")
UNLIKE = Far(0.15, "more than 15 % apart")

FFCNN = "ffcnn 3x200"
SIZES = tuple(f"ffcnn {layers}x{width}" for layers in (1, 2, 3) for width in (50, 100, 200, 500))
AENS = ("aen one", "aen two", "aen three")
ELASTIC = ("aen", "aen_two_layer")
TWO_LAYER = ("aen_two_layer one", "aen_two_layer two", "aen_two_layer three")


def each(curves: Iterable[str], statistic: Statistic, expect: Any) -> tuple[Part, ...]:
    return tuple(Part(statistic, (curve,), expect) for curve in curves)


def against(statistic: Statistic, one: str, other: str, expect: Any, words: str) -> Part:
    return Part(statistic, (one, other), expect, (1.0, -1.0), words=words)


def bend(one: str, two: str, three: str, expect: Any) -> Part:
    words = "two new units per task, off the line from one to three, as a share of their range"
    return Part(SHARE_OF_UNITS, (one, two, three), expect, (-0.5, 1.0, -0.5), (-1.0, 0.0, 1.0), words)


def all_against(statistic: Statistic, ones: Sequence[str], others: Sequence[str], expect: Any, words: str) -> Part:
    n, m = len(ones), len(others)
    return Part(statistic, (*ones, *others), expect, (1.0,) * n + (-1.0,) * m, (0.0,) * n + (1.0,) * m, words)


def with_N(dataset: str, expect: Any) -> Part:
    """Of the settled size at one new unit per task, what N = 40,000 adds, as a share of that at N = 10,000."""
    curves = tuple(placed("aen one", dataset, N) for N in (40_000, 10_000))
    return Part(SHARE_OF_UNITS, curves, expect, (1.0, -1.0), (0.0, 1.0), "N = 40,000 more than N = 10,000")


def by_dataset() -> tuple[Part, ...]:
    """Every elastic network that the paper has on both data sets."""
    cases = [(f"{model} {rate}", N) for N, rates in PAPER_K.items() for model in ELASTIC for rate in rates]
    return tuple(
        against(
            UNITS,
            placed(curve, "fmnist", N),
            placed(curve, "mnist", N),
            SMALLER,
            f"{spoken(curve)}, N = {N:,}: FMNIST minus MNIST",
        )
        for curve, N in cases
    )


def several(true: Iterable[bool]) -> bool:
    return sum(true) >= 2


CLAIMS = (
    Claim("F-FCNN declines", each([FFCNN], CHANGE, DECLINES)),
    Claim("F-FCNN peaks early", each([FFCNN], PEAK, EARLY)),
    Claim(
        "F-FCNN declines at every depth and width",
        each(SIZES, CHANGE, DECLINES),
        datasets=("mnist",),
        sizes=(10_000,),
    ),
    Claim(
        "F-FCNN's dormancy rises or saturates high",
        (*each([FFCNN], RISE, RISES), *each([FFCNN], DORMANCY, HIGH)),
        enough=any,
    ),
    Claim("SGN declines", each(["sgn one"], CHANGE, DECLINES)),
    Claim("SGN's dormancy rises", each(["sgn one"], RISE, RISES)),
    Claim("AGN does not decline", each(["agn one"], CHANGE, HOLDS)),
    Claim("AGN's dormancy rises nevertheless", each(["agn one"], RISE, RISES)),
    Claim("AENs do not decline", each(AENS, CHANGE, HOLDS)),
    Claim(
        "AEN: more new units per task are better",
        (against(LAST, "aen three", "aen one", BETTER, "three minus one new units per task"),),
    ),
    Claim("AEN: dormancy stays near 0", each(AENS, DORMANCY, NEAR_ZERO)),
    Claim("AEN: size settles", each(AENS, DRIFT, SETTLES)),
    Claim(
        "AEN: settled size rises with new units per task",
        (against(UNITS, "aen three", "aen one", LARGER, "three minus one new units per task"),),
    ),
    Claim("AEN: settled size rises about linearly", (bend(*AENS, LINEAR),), datasets=("mnist",), sizes=(10_000,)),
    Claim(
        "AEN: settled size does not rise linearly",
        (bend(*AENS, BENT),),
        datasets=("fmnist",),
        sizes=(10_000,),
    ),
    Claim(
        "AEN-random is worse than AEN",
        (against(LAST, "aen one", "aen_random one", BETTER, "AEN minus AEN-random"),),
    ),
    Claim("Two-layer AGN does not decline", each(["agn_two_layer one"], CHANGE, HOLDS)),
    Claim("Two-layer AGN's dormancy rises", each(["agn_two_layer one"], RISE, RISES)),
    Claim("Two-layer AENs do not decline", each(TWO_LAYER, CHANGE, HOLDS)),
    Claim("Two-layer AEN: dormancy stays near 0", each(TWO_LAYER, DORMANCY, NEAR_ZERO)),
    Claim("Two-layer AEN: size settles", each(TWO_LAYER, DRIFT, SETTLES)),
    Claim(
        "Two-layer AENs settle at more connections than AENs",
        (all_against(CONNECTIONS, TWO_LAYER, AENS, LARGER, "two-layer more than cascade, all rates together"),),
        datasets=("mnist",),
    ),
    Claim(
        "Two-layer AENs settle at about as many connections as AENs",
        (all_against(CONNECTIONS, TWO_LAYER, AENS, ALIKE, "two-layer more than cascade, all rates together"),),
        datasets=("fmnist",),
    ),
    Claim(
        "AEN: settled size at one new unit per task hardly changes with N on MNIST",
        (with_N("mnist", ALIKE),),
        across=True,
    ),
    Claim(
        "AEN: settled size at one new unit per task changes with N on FMNIST", (with_N("fmnist", UNLIKE),), across=True
    ),
    Claim("Settled size is smaller on FMNIST than on MNIST in several cases", by_dataset(), several, across=True),
)


def place(item: Any, order: Sequence[Any]) -> tuple[int, Any]:
    """The paper's order, and then any other."""
    return (order.index(item) if item in order else len(order), item)


def in_order(curves: Iterable[Curve]) -> list[Curve]:
    def key(curve: Curve) -> tuple[Any, ...]:
        model, growths = curve.what["model"], list(UNITS_PER_TASK)
        network = model["network"]
        size = (network.get("layers", 0), network.get("width", 0), place(growth(curve.what), growths))
        return (
            place((curve.dataset, curve.N), CELLS),
            place(model["name"], list(MODELS)),
            size,
            curve.label,
            curve.key,
        )

    return sorted(curves, key=key)


def judgements(curves: Sequence[Curve], settings: Mapping[str, Any]) -> list[Judgement]:
    """Every claim in the paper's four cells, in any other N of its data sets that has runs, and across the cells."""
    default = [curve for curve in curves if not differences(curve.what, settings)]
    others = {(curve.dataset, curve.N) for curve in default} - set(CELLS)
    judged = []
    for dataset, N in (*CELLS, *sorted(others)):
        there = {name(curve.what): curve for curve in default if (curve.dataset, curve.N) == (dataset, N)}
        judged += judge_cell(dataset, N, there)
    everywhere = {placed(name(curve.what), curve.dataset, curve.N): curve for curve in default}
    return judged + [judge(claim, *ACROSS, everywhere) for claim in CLAIMS if claim.across]


def judge_cell(dataset: str, N: int, curves: Mapping[str, Curve]) -> list[Judgement]:
    """The claims that are made of this data set and N."""
    here = (claim for claim in CLAIMS if not claim.across and dataset in claim.datasets)
    made = (claim for claim in here if not claim.sizes or N in claim.sizes)
    return [judge(at(claim, N), dataset, N, curves) for claim in made]


def at(claim: Claim, N: int) -> Claim:
    """Without the curves that the paper does not have at this N."""
    growths = PAPER_K.get(N, {"one": 0, "two": 0, "three": 0})
    absent = {curve for curve in (*AENS, *TWO_LAYER) if curve.split()[1] not in growths}
    parts = (_without(part, absent) for part in claim.parts)
    return replace(claim, parts=tuple(part for part in parts if part.curves))


def _without(part: Part, absent: set[str]) -> Part:
    def kept(values: Sequence[Any]) -> tuple[Any, ...]:
        pairs = zip(part.curves, values, strict=True) if values else ()
        return tuple(value for curve, value in pairs if curve not in absent)

    return replace(part, curves=kept(part.curves), weights=kept(part.weights), per=kept(part.per))


def counts(judged: Iterable[Judgement]) -> dict[Verdict, int]:
    verdicts = [judgement.verdict for judgement in judged]
    return {verdict: verdicts.count(verdict) for verdict in Verdict}
