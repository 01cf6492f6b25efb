"""Which curves belong into one figure where no preset says it: by data set and N, and by what differs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plasticity.results import choosing
from plasticity.results.curves import Curve
from plasticity.results.figures import Preset
from plasticity.runs.identity import name
from plasticity.runs.keys import check, differences

MOST = 12  # curves that can be told apart in one figure
MANY = 4 * MOST  # that differ in the same keys: nobody looks at more of such figures
# What a key brings along: curves that are compared by it differ in these, too.
BRINGS = {
    "model": re.compile(r"model\..+|init\..+|K|growth"),
    "method": re.compile(r"update(\..+)?|model\.(rules|network)\..+"),
    "timing": re.compile(r"model\.rules\..+|K|growth"),
    "update": re.compile(r"update\..+"),
    "stream": re.compile(r"stream\..+|order"),
    "dataset": re.compile(r"dataset\..+"),
    "N": re.compile(r"K"),
    "K": re.compile(r"growth"),
    "growth": re.compile(r"K"),
}
NOTHING = re.compile(r"(?!)")


def together(curves: Sequence[Curve], by: Sequence[str]) -> list[Preset]:
    """Chosen curves: those of one data set and N; or those alike in all but the keys that they are compared by."""
    for key in by:
        check(key, choosing.known(curves))
    groups: dict[tuple[str, ...], list[Curve]] = defaultdict(list)
    for curve in curves:
        groups[_alike(curve, by)].append(curve)
    found = []
    for group in groups.values():
        labels = list(dict.fromkeys(curve.label for curve in group)) if by and len(groups) > 1 else []
        found += _presets(["by", *by, *labels[:1]] if by else ["chosen"], by, group)
    return _distinct(found)


def _alike(curve: Curve, by: Sequence[str]) -> tuple[str, ...]:
    has = choosing.settings(curve)
    if not by:
        return has["dataset"], has["N"]
    brought = [BRINGS.get(key, NOTHING) for key in by]
    rest = [key for key in has if key not in by and not any(one.fullmatch(key) for one in brought)]
    return tuple(f"{key}={has[key]}" for key in rest)


def rest(curves: Sequence[Curve], shown: Iterable[str], defaults: Mapping[str, Any]) -> list[Preset]:
    """Of the curves that no other figure shows: those that leave the default settings in the same keys, beside the same
    networks in the default settings; and the other networks, unless one such figure has them all. Of very many,
    some."""
    seen, groups = set(shown), defaultdict(list)
    for curve in curves:
        if curve.key not in seen:
            groups[curve.dataset, curve.N, _unlike(curve, defaults)].append(curve)
    found = []
    for (dataset, N, keys), group in groups.items():
        names = {name(curve.what) for curve in group} if keys else set()
        here = [curve for curve in curves if (curve.dataset, curve.N) == (dataset, N) and name(curve.what) in names]
        usual = [curve for curve in here if not differences(curve.what, defaults)]
        some = _spread(sorted(group, key=lambda curve: _order(curve, keys)), MANY)
        first, *others = _presets(["by", *keys] if keys else ["others"], keys, [*usual, *some])
        found += [replace(first, notes=_of_many(len(some), len(group), keys)), *others]
    return _distinct([one for one in found if not any(_part(one, other) for other in found)])


def _spread(curves: Sequence[Curve], most: int) -> Sequence[Curve]:
    """From the first to the last, as many as there may be."""
    if len(curves) <= most:
        return curves
    return [curves[place * (len(curves) - 1) // (most - 1)] for place in range(most)]


def _of_many(some: int, many: int, keys: Sequence[str]) -> tuple[str, ...]:
    if some == many:
        return ()
    hint = f"--against {keys[0]} has all of them in one figure, " if len(keys) == 1 else ""
    return (f"{some} of {many:,} curves are drawn, from the first to the last; {hint}--curves chooses",)


def _part(one: Preset, other: Preset) -> bool:
    """Has some of the curves of the other, and none besides."""
    return len(one.whats) < len(other.whats) and all(what in other.whats for what in one.whats)


def _unlike(curve: Curve, defaults: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys in which it leaves the defaults; a method brings others along."""
    keys = [word.partition("=")[0] for word in differences(curve.what, defaults)]
    return ("method",) if "method" in keys else tuple(keys)


TITLES = {"others": "Other networks", "chosen": "Chosen curves"}


def _presets(names: Sequence[str], by: Sequence[str], group: Sequence[Curve]) -> list[Preset]:
    """One; where they are too many, one for each model."""
    ordered = sorted(group, key=lambda curve: _order(curve, by))
    parts: dict[str, list[Curve]] = defaultdict(list)
    for curve in ordered:
        parts[curve.what["model"]["name"] if len(ordered) > MOST else ""].append(curve)
    title = TITLES.get(names[0]) or f"By {' and '.join(by)}"
    return [
        _preset("-".join(filter(None, [*names, model])), title, part[start : start + MOST])
        for model, part in parts.items()
        for start in range(0, len(part), MOST)
    ]


def _order(curve: Curve, by: Sequence[str]) -> list[Any]:
    """By model, and numbers by their size."""
    has = choosing.settings(curve)
    numbers = [re.split(r"(\d+(?:\.\d+)?(?:e-?\d+)?)", f" {has.get(key, '')} ") for key in ("model", *by, "K")]
    return [[float(part) if place % 2 else part for place, part in enumerate(parts)] for parts in numbers]


def _preset(own: str, title: str, group: Sequence[Curve]) -> Preset:
    datasets, sizes = {curve.dataset for curve in group}, {curve.N for curve in group}
    dataset, N = (next(iter(each)) if len(each) == 1 else None for each in (datasets, sizes))
    return Preset(own, title, dataset, N, tuple(curve.what for curve in group))  # type: ignore[arg-type]


def _distinct(presets: Sequence[Preset]) -> list[Preset]:
    """Two figures of one name would be one file."""
    turns: dict[tuple[object, ...], int] = defaultdict(int)
    found = []
    for one in presets:
        place = one.name, one.dataset, one.N
        turns[place] += 1
        found.append(one if turns[place] == 1 else replace(one, name=f"{one.name}-{turns[place]}"))
    return found
