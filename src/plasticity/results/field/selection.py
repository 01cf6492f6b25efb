"""Which setting of each contestant is chosen, by what margin, and whether it lies at the edge of what was tried."""

# pandas declares more than comes out: a group's key and what a column gives are of any type there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportOperatorIssue=false

from collections.abc import Iterator, Sequence

import pandas as pd

from plasticity.results.field.entries import REGIMES, Choice
from plasticity.results.statistics import interval

STEP = "step_size"


def choices(tried: pd.DataFrame) -> list[Choice]:
    return [
        _choice(cell, regime, part)
        for cell, there in tried.groupby(["dataset", "N"], sort=False)
        for regime, steps in _regimes(there)
        for _, part in there[there[STEP].isin(steps)].groupby("contestant", sort=False)
    ]


def _regimes(tried: pd.DataFrame) -> Iterator[tuple[str, tuple[float, ...]]]:
    """A step size is tuned where several were tried."""
    for regime, steps in REGIMES.items():
        if len(steps) == 1 or tried[tried[STEP].isin(steps)][STEP].nunique() > 1:
            yield regime, steps


def _choice(cell: tuple[str, int], regime: str, tried: pd.DataFrame) -> Choice:
    by_setting = tried.pivot_table(index=["setting", STEP], columns="seed", values="accuracy", sort=False)
    best = by_setting.mean(axis=1).idxmax()
    row = tried[(tried["setting"] == best[0]) & (tried[STEP] == best[1])].iloc[0]
    tied = [_words(*other) for other in by_setting.index if other != best and _tied(by_setting, best, other)]
    who = {name: row[name] for name in ("contestant", "title", "boundaries", "setting", "line")}
    return Choice(
        cell=cell,
        regime=regime,
        **who,
        step_size=float(best[1]),
        accuracy=interval(by_setting.loc[best].to_numpy()),
        tried=len(by_setting),
        tied=tuple(tied),
        edges=tuple(_edges(best, list(by_setting.index))),
    )


def _tied(by_setting: pd.DataFrame, best: tuple[str, float], other: tuple[str, float]) -> bool:
    """The 95 % interval of their difference, paired by seed, reaches 0."""
    behind = interval((by_setting.loc[best] - by_setting.loc[other]).to_numpy())
    return behind.known and behind.low <= 0


def _words(setting: str, step_size: float) -> str:
    return f"{setting} {STEP}={step_size:g}"


def _edges(best: tuple[str, float], tried: Sequence[tuple[str, float]]) -> Iterator[str]:
    chosen, *others = (numbers(*setting) for setting in (best, *tried))
    for key, value in chosen.items():
        values = sorted({other[key] for other in others if key in other})
        if len(values) > 2 and value in (values[0], values[-1]):
            yield f"{key}={value:g}"


def numbers(setting: str, step_size: float) -> dict[str, float]:
    """The keys of a setting that have numbers."""
    found = {STEP: step_size}
    for word in setting.split():
        key, _, value = word.partition("=")
        try:
            found[key] = float(value)
        except ValueError:
            continue
    return found
