"""Choosing curves by their settings and seeds, written as on a command line: `model=aen step_size=* seed=0,1`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from plasticity.ground.errors import Mistake
from plasticity.results.curves import Curve
from plasticity.runs.identity import curve as shared
from plasticity.runs.identity import growth
from plasticity.runs.keys import LABELLED, check, listed, meets, text, typed

SEED = "seed"
# Keys that no identity says where they are neutral: of every run, and of networks that grow.
OF_RUNS = {"timing": "paper"}
OF_GROWING = {"model.column": "1", "model.depth": "null", "model.shortcut": "true"}
NEUTRAL = OF_RUNS | OF_GROWING
WHICH = re.compile(rf"{LABELLED.pattern}|{SEED}|growth")  # what a run is, rather than how it is set


def settings(curve: Curve) -> dict[str, str]:
    """By the keys that one types, and in the words that one types."""
    grown = {"growth": word} if (word := growth(curve.what)) else {}
    return _neutral(curve) | {key: text(value) for key, value in typed(shared(curve.what)).items()} | grown


def _neutral(curve: Curve) -> dict[str, str]:
    """A flat network has a depth of 1."""
    network = curve.what["model"]["network"]
    if "lateral" not in network:
        return OF_RUNS
    return NEUTRAL if network["lateral"] else NEUTRAL | {"model.depth": "1"}


def known(curves: Iterable[Curve]) -> list[str]:
    return list(dict.fromkeys(key for curve in curves for key in settings(curve)))


def says_which(word: str) -> bool:
    return bool(WHICH.fullmatch(word.partition("=")[0]))


@dataclass(frozen=True)
class Line:
    """Every word of it is a key and what its value may be."""

    conditions: Mapping[str, Sequence[str]]

    @staticmethod
    def of(text: str) -> "Line":
        found: dict[str, list[str]] = {}
        for word in text.split():
            key, equals, values = word.partition("=")
            if not equals:
                hint = "write KEY=VALUE, as step_size=0.01, or step_size=* for any"
                raise Mistake(f"{word} does not choose curves; {hint}")
            found[key] = listed(values)
        return Line(found)

    def means(self, has: Mapping[str, str]) -> bool:
        return all(meets(has.get(key), values) for key, values in self.conditions.items() if key != SEED)

    def __contains__(self, seed: object) -> bool:
        return meets(str(seed), self.conditions.get(SEED, ["*"]))


@dataclass(frozen=True)
class Seeds:
    """Those that at least one line means."""

    lines: Sequence[str]

    def __contains__(self, seed: object) -> bool:
        return any(seed in Line.of(line) for line in self.lines)


def chosen(curves: Sequence[Curve], lines: Iterable[str]) -> list[Curve]:
    """Those that at least one line means, with the seeds that it means."""
    there, asked = [*known(curves), SEED], [Line.of(line) for line in lines]
    for key in (key for line in asked for key in line.conditions):
        check(key, there)
    found = []
    for curve in curves:
        meant = [line for line in asked if line.means(settings(curve))]
        if seeds := [seed for seed in curve.seeds if any(seed in line for line in meant)]:
            found.append(curve if len(seeds) == len(curve.seeds) else curve.of(seeds))
    return found


class Possible:
    """Whether some curve may be what overrides mean, which is known only when they are composed, and that is slow."""

    def __init__(self, curves: Iterable[Curve]):
        self._settings = list(map(settings, curves))

    def __call__(self, overrides: Iterable[str]) -> bool:
        words = [override.partition("=")[::2] for override in overrides if "$" not in override]
        return any(all(meets(has.get(key, value), [value]) for key, value in words) for has in self._settings)
