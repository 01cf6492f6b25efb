"""The comparison in words: its tables as Markdown and csv, and the preset that evaluates what was chosen."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import yaml

from plasticity.results import markdown
from plasticity.results.field.collect import SIZES
from plasticity.results.field.comparison import Evaluated, Row, groups, rows
from plasticity.results.field.entries import FRESH, STEP_SIZE, Choice, Class, Placed
from plasticity.results.statistics import Interval
from plasticity.results.words import UNITS_PER_TASK, cell

REGIMES = {"paper": f"step size {STEP_SIZE:g}", "tuned": "step size tuned"}
EQUAL = {
    "connections": "as many connections as",
    "work": "as many operations per task as",
    "memory": "as much memory as",
}
EQUAL_IN = {"connections": "connections", "work": "operations per task", "memory": "memory"}
INTERVALS = {  # of a row, and the signs that its numbers have
    "accuracy": ("accuracy, %", ""),
    "late": ("last third, %", ""),
    "change": ("change, points", "+"),
    "ahead_of_elastic": ("ahead of AEN, points", "+"),
    "ahead_late": ("ahead in the last third, points", "+"),
    "gap_to_scratch": ("gap to scratch, points", "+"),
}
HEAD = (
    "contestant", *(title for title, _ in INTERVALS.values()), "connections", "operations per task, 10⁶", "memory, kB",
    "task boundaries", "step size", "setting",
)  # fmt: skip
HOW = (
    "± is half a 95 % t interval over fresh seeds, of each difference by itself. All differences are paired by seed. "
    "Change: accuracy over the last third of the tasks minus that over the third before. Ahead of AEN: accuracy over "
    "all tasks, and over the last third of them, minus AEN's; gap to scratch: accuracy over the last third minus that "
    "of a fresh network. Sizes are means over the last third; in brackets, times AEN's. *: no other contestant is as "
    "accurate with as little of it."
)


def name(where: Class) -> str:
    equal = f"{EQUAL[where.match]} an AEN with {UNITS_PER_TASK[where.growth]}"
    return f"{cell(where.dataset, where.N)}, {equal}; {REGIMES[where.regime]}"


def texts(chosen: Sequence[Choice], found: Sequence[Evaluated]) -> dict[str, str]:
    """By the names of their files."""
    compared = {"comparison.md": comparison(found), "comparison.csv": comparison_csv(found)} if found else {}
    return {"selection.md": selection(chosen)} | compared


def comparison(found: Sequence[Evaluated]) -> str:
    """Markdown."""
    parts = []
    for where, together in groups(found).items():
        seeds, tasks = [len(one.seeds) for one in together], together[0].series["accuracy"].shape[1]
        ends = dict.fromkeys((min(seeds), max(seeds)))
        said = f"{tasks} tasks, {' to '.join(map(str, ends))} seeds.{_chosen_at(together)}"
        parts.append(f"## {name(where)}\n\n{said}\n")
        parts.append(markdown.table(HEAD, [cells(row) for row in rows(together)], left=1))
    return "\n".join([*parts, HOW, ""])


def _chosen_at(together: Sequence[Evaluated]) -> str:
    """Where it was not at the same N."""
    others = {one.choice.cell[1] for one in together} - {one.where.N for one in together}
    return f" Settings were chosen at N = {' and '.join(f'{N:,}' for N in sorted(others))}." if others else ""


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, as people read it."""
    choice = row.evaluated.choice
    scales = {"connections": 1, "work": 1e-6, "memory": 1e-3}
    sizes = [
        f"{row.sizes[size] * scales[size]:,.0f}{'*' if row.best[size] else ''}"
        + (f" ({row.over_elastic[size]:.2f})" if row.over_elastic else "")
        for size in SIZES
    ]
    numbers = [_percent(getattr(row, name), sign) for name, (_, sign) in INTERVALS.items()]
    return (choice.title, *numbers, *sizes, choice.boundaries, f"{choice.step_size:g}", choice.setting)


def comparison_csv(found: Sequence[Evaluated]) -> str:
    lines = []
    for where, together in groups(found).items():
        for row in rows(together):
            choice = row.evaluated.choice
            what = {"contestant": choice.contestant, "boundaries": choice.boundaries}
            set_to = {"step_size": choice.step_size, "setting": choice.setting, "seeds": len(row.evaluated.seeds)}
            numbers = {}
            for each in INTERVALS:
                value: Interval = getattr(row, each)
                numbers |= {each: value.mean, f"{each}_half": value.half}
            best = {f"best_by_{size}": row.best[size] for size in SIZES}
            lines.append(asdict(where) | what | set_to | numbers | dict(row.sizes) | best)
    return pd.DataFrame(lines).to_csv(index=False, float_format="%.6g")


CHOSEN = (
    "contestant", "settings", "chosen", "step size", "accuracy, %", "not surely better than",
    "at the edge of what was tried",
)  # fmt: skip
HOW_CHOSEN = (
    "The setting with the best mean accuracy over all tasks and the seeds of the selection. Not surely better than: "
    "settings whose difference from it, paired by seed, has a 95 % t interval that reaches 0. At the edge: the "
    "smallest or the largest of three or more values of a key; of two values, any is at an edge."
)


def selection(chosen: Sequence[Choice]) -> str:
    """Markdown."""
    parts = []
    for place, regime in dict.fromkeys((choice.cell, choice.regime) for choice in chosen):
        there = [choice for choice in chosen if (choice.cell, choice.regime) == (place, regime)]
        lines = map(cells_chosen, sorted(there, key=lambda choice: -choice.accuracy.mean))
        parts += [f"## {cell(*place)}; {REGIMES[regime]}\n", markdown.table(CHOSEN, lines, left=1)]
    return "\n".join([*parts, HOW_CHOSEN, ""])


def cells_chosen(choice: Choice) -> tuple[str, ...]:
    """A row of the table of what was chosen."""
    return (
        choice.title, str(choice.tried), choice.setting, f"{choice.step_size:g}", _percent(choice.accuracy),
        f"{len(choice.tied)} of {choice.tried - 1}" if choice.accuracy.known else "–", ", ".join(choice.edges) or "–",
    )  # fmt: skip


def preset(placed: Sequence[Placed], tasks: int, seeds: int) -> str:
    """As yaml: what was chosen with fresh seeds, each network once."""
    curves: dict[str, str] = {}
    for each in placed:
        curves.setdefault(each.key, each.line)
    sweeper = {"params": {"seed": f"range({FRESH},{FRESH + seeds})"}, "curves": list(curves.values())}
    body = {"tasks": tasks, "hydra": {"mode": "MULTIRUN", "sweeper": sweeper}}
    says = "The comparison with the field's methods, second part: what launch/field.py chose, on fresh seeds."
    return f"# @package _global_\n# {says}\n" + yaml.safe_dump(body, sort_keys=False, width=1000)


def _percent(value: Interval, sign: str = "") -> str:
    return markdown.interval(value, 100, f"{sign}.2f")
