"""From curves to pictures: which of them make a line, and where each lies on the axis of the swept setting."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from math import inf
from typing import Any

from plasticity.results import choosing, words
from plasticity.results.curves import Curve
from plasticity.results.grouping import BRINGS, NOTHING
from plasticity.results.paper.statements import in_order
from plasticity.results.sweeps.sweep import Line, Place, Sweep
from plasticity.results.words import Style
from plasticity.runs.identity import What
from plasticity.runs.keys import check, text
from plasticity.runs.keys import settings as set_to

# What has to change with a setting, and is not worth a line of its own: without boundaries, pruning comes by samples.
FOLLOWS = {"stream": re.compile(r"model\.rules\.\w+\.every")}


def against(key: str, curves: Sequence[Curve], settings: Mapping[str, Any], quantities: Sequence[str]) -> list[Sweep]:
    return sweeps(f"against-{key}", f"Against {key}", key, curves, settings, quantities)


def sweeps(
    name: str, title: str, key: str, curves: Sequence[Curve], settings: Mapping[str, Any], quantities: Sequence[str]
) -> list[Sweep]:
    """One for each N."""
    check(key, choosing.known(curves))
    swept = [curve for curve in curves if key in choosing.settings(curve)]
    groups: dict[int | None, list[Curve]] = defaultdict(list)
    for curve in swept:
        groups[None if key == "N" else curve.N].append(curve)
    return [
        _sweep(f"{name}-N{N}" if N else name, title, key, group, settings, quantities) for N, group in groups.items()
    ]


def _sweep(
    name: str, title: str, key: str, curves: Sequence[Curve], settings: Mapping[str, Any], quantities: Sequence[str]
) -> Sweep:
    at = _values(curves, key)
    values = _in_order(list(dict.fromkeys(at[curve.key] for curve in curves)))
    default = text(settings[key]) if key in settings else choosing.NEUTRAL.get(key)
    columns = tuple(dict.fromkeys(_column(curve, key) for curve in curves))
    where = words.where(None, None if key == "N" else curves[0].N)
    return Sweep(
        name,
        f"{title} ({where})" if where else title,
        key,
        columns,
        values,
        _lines(_groups(in_order(curves), key, at), key, settings),
        tuple(quantities),
        default if default in values else None,
    )


def _column(curve: Curve, key: str) -> str:
    return "" if key == "dataset" else curve.dataset


def _brought(key: str) -> re.Pattern[str]:
    return BRINGS.get(key, NOTHING)


def _values(curves: Sequence[Curve], key: str) -> dict[str, str]:
    """By curve: the setting's value, and what it brings along where one value comes with several of it."""
    has = {curve.key: choosing.settings(curve) for curve in curves}
    found = {}
    for curve in curves:
        own = has[curve.key]
        same = [each for each in has.values() if each[key] == own[key]]
        brought = dict.fromkeys(name for each in same for name in each if _shown(key, name))
        unlike = [name for name in brought if len({each.get(name, "null") for each in same}) > 1]
        more = [f"{name.removeprefix(f'{key}.')}={own[name]}" for name in unlike if own.get(name, "null") != "null"]
        found[curve.key] = ", ".join([own[key], *more])
    return found


def _shown(key: str, name: str) -> bool:
    return name.startswith(f"{key}.") and bool(_brought(key).fullmatch(name))


def _in_order(values: Sequence[str]) -> tuple[str, ...]:
    """Numbers by their size, null, which is no limit, last; words as they come, beside each what it comes with."""
    try:
        return tuple(sorted(values, key=lambda value: inf if value == "null" else float(value)))
    except ValueError:
        heads = [value.partition(", ")[0] for value in values]
        return tuple(sorted(values, key=lambda value: heads.index(value.partition(", ")[0])))


def _groups(curves: Sequence[Curve], key: str, at: Mapping[str, str]) -> list[dict[Place, Curve]]:
    """What follows a setting tells lines apart only where two curves would otherwise lie in one place."""
    for apart in (False, True):
        groups: dict[tuple[str, ...], list[Curve]] = defaultdict(list)
        for curve in curves:
            groups[_alike(curve, key, apart)].append(curve)
        placed = [{(_column(curve, key), at[curve.key]): curve for curve in group} for group in groups.values()]
        if sum(map(len, placed)) == len(curves):
            break
    return placed


def _alike(curve: Curve, key: str, apart: bool) -> tuple[str, ...]:
    has = choosing.settings(curve)
    ignored = [_brought(key), _brought("dataset"), *([] if apart else [FOLLOWS.get(key, NOTHING)])]
    rest = [name for name in has if name not in (key, "dataset") and not any(one.fullmatch(name) for one in ignored)]
    return tuple(f"{name}={has[name]}" for name in rest)


def _lines(groups: Sequence[Mapping[Place, Curve]], key: str, settings: Mapping[str, Any]) -> tuple[Line, ...]:
    counts = Counter(place for group in groups for place in group)
    most = max(counts, key=lambda place: counts[place])  # where a line is, it is named after its curve there
    whats = [(group.get(most) or next(iter(group.values()))).what for group in groups]
    usual = [{**settings, **_own(what, key)} for what in whats]
    rate = not any(name == key or _brought(key).fullmatch(name) for name in ("K", "growth"))
    legends = [words.legend(what, each, rate) for what, each in zip(whats, usual, strict=True)]
    if len({*legends}) < len(legends):
        legends = words.legends(whats, usual[0])
    return tuple(map(Line, legends, _styles(whats, usual), groups))


def _own(what: What, key: str) -> dict[str, Any]:
    """How the swept setting is set, what it is a part of and what it brings: in a line, that is nothing unusual."""
    return {
        name: value
        for name, value in set_to(what).items()
        if f"{key}.".startswith(f"{name}.") or _brought(key).fullmatch(name)
    }


def _styles(whats: Sequence[What], usual: Sequence[Mapping[str, Any]]) -> list[Style]:
    """A model looks as in every figure; what has no look of its own takes one that is free."""
    looks = [
        {words.style(what, each, place) for place in (0, 1)} for what, each in zip(whats, usual, strict=True)
    ]  # two, where it goes by its place
    own = [look.pop() if len(look) == 1 else None for look in looks]
    taken = [look for look in own if look]
    if len({*taken}) < len(taken):
        own, taken = [None] * len(own), []
    free = (look for look in map(words.by_place, count()) if look not in taken)
    return [look or next(free) for look in own]
