"""What the paper leaves open: how many of its claims come out under settings other than the defaults."""

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from plasticity.results import markdown, words
from plasticity.results.curves import Curve
from plasticity.results.paper.claims import Judgement, Verdict
from plasticity.results.paper.statements import counts, judge_cell, place
from plasticity.results.paper.verdicts import MARK, statements
from plasticity.runs.identity import name
from plasticity.runs.keys import differences
from plasticity.runs.keys import settings as settings_of

HOW = (
    "Each choice is compared with the default settings over the same claims, data, tasks and seeds; what a choice "
    "cannot touch, as new units in a fixed network, is the default curve on both sides. Counted are the claims that "
    "speak of a curve it can touch and have all their runs: " + ", ".join(f"{MARK[one]} {one}" for one in Verdict) + "."
)
HEAD = ("choice", "data", "tasks", "seeds", " / ".join(MARK.values()), "default")

Named = Mapping[str, Curve]  # by the names that claims use


@dataclass(frozen=True)
class Choice:
    """One setting, or several, unlike the defaults, on one data set and N."""

    words: str
    dataset: str
    N: int
    tasks: int
    seeds: tuple[int, ...]
    judged: tuple[Judgement, ...]
    default: tuple[Judgement, ...]  # the same claims under the default settings


def choices(curves: Sequence[Curve], settings: Mapping[str, Any]) -> list[Choice]:
    """In the order of the settings, and then any that only a curve of its own has."""
    found = []
    for dataset, N in dict.fromkeys((curve.dataset, curve.N) for curve in curves):
        by_choice: dict[str, dict[str, Curve]] = defaultdict(dict)
        for curve in curves:
            if (curve.dataset, curve.N) == (dataset, N):
                by_choice[", ".join(differences(curve.what, settings))][name(curve.what)] = curve
        default = by_choice.pop("", {})
        found += [_compared(unlike, own, default) for unlike, own in by_choice.items()]
    order = list(settings)
    return sorted(
        (choice for choice in found if choice.judged),
        key=lambda choice: (place(choice.words.partition("=")[0], order), choice.words),
    )


def _compared(unlike: str, own: Named, default: Named) -> Choice:
    pairs = [*own.values(), *(default[name] for name in own if name in default)]
    tasks = min(curve.tasks for curve in pairs)
    seeds = set.intersection(*(set(curve.seeds) for curve in pairs))
    keys = [difference.partition("=")[0] for difference in unlike.split(", ")]
    untouched = {name: curve for name, curve in default.items() if not _touches(keys, curve)}
    some = next(iter(own.values()))

    def judged(side: Named) -> list[Judgement]:
        alike = {name: curve.of(seeds).cut(tasks) for name, curve in side.items() if seeds & set(curve.seeds)}
        return judge_cell(some.dataset, some.N, alike)

    both = [
        (here, there)
        for here, there in zip(judged({**untouched, **own}), judged(default), strict=True)
        if _whole(here) and _whole(there) and _speaks_of(here, own)
    ]
    ones, others = zip(*both, strict=True) if both else ((), ())
    return Choice(unlike, some.dataset, some.N, tasks, tuple(sorted(seeds)), ones, others)


def _touches(keys: Sequence[str], curve: Curve) -> bool:
    return any(key in settings_of(curve.what) for key in keys)


def _whole(judgement: Judgement) -> bool:
    return not any(finding.missing for finding in judgement.findings)


def _speaks_of(judgement: Judgement, own: Named) -> bool:
    return any(curve in own for part in judgement.claim.parts for curve in part.curves)


def texts(found: Sequence[Choice]) -> dict[str, str]:
    return {"choices.csv": as_csv(found), "choices.md": as_markdown(found)} if found else {}


def as_markdown(found: Sequence[Choice]) -> str:
    """One row per choice, then claim by claim."""
    rows = [[*map(str, row)] for row in tallies(found)]
    lines = [HEAD, ["---"] * 2 + ["---:"] * (len(HEAD) - 2), *rows]
    text = [*map(markdown.row, lines), "", HOW]
    for cell in dict.fromkeys((choice.dataset, choice.N) for choice in found):
        text += ["", f"## {words.cell(*cell)}", "", *_matrix([one for one in found if (one.dataset, one.N) == cell])]
    return "\n".join([*text, ""])


def tallies(found: Sequence[Choice]) -> list[tuple[object, ...]]:
    return [
        (
            choice.words,
            words.cell(choice.dataset, choice.N),
            choice.tasks,
            len(choice.seeds),
            _tally(choice.judged),
            _tally(choice.default),
        )
        for choice in found
    ]


def _tally(judged: Sequence[Judgement]) -> str:
    return " / ".join(map(str, counts(judged).values()))


def _matrix(found: Sequence[Choice]) -> list[str]:
    """A mark for each claim, and the default settings' in brackets where it is another."""
    rows = [["the paper says", *(choice.words for choice in found)], ["---"] * (1 + len(found))]
    marks = [
        {one.claim.says: _mark(one, default) for one, default in zip(choice.judged, choice.default, strict=True)}
        for choice in found
    ]
    for claim in statements([one for choice in found for one in choice.judged]):
        rows.append([claim, *(mark.get(claim, "") for mark in marks)])
    return [markdown.row(row) for row in rows]


def _mark(one: Judgement, default: Judgement) -> str:
    return (
        MARK[one.verdict]
        if one.verdict is default.verdict
        else f"{MARK[one.verdict]} (default {MARK[default.verdict]})"
    )


def as_csv(found: Sequence[Choice]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("choice", "dataset", "N", "tasks", "seeds", "claim", "verdict", "default_verdict"))
    for choice in found:
        where = (choice.words, choice.dataset, choice.N, choice.tasks, len(choice.seeds))
        for one, default in zip(choice.judged, choice.default, strict=True):
            writer.writerow((*where, one.claim.says, one.verdict, default.verdict))
    return text.getvalue()
