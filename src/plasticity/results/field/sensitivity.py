"""How much a contestant's settings matter: every key that was varied, with the accuracy of each of its values."""

# pandas declares more than comes out: a group's key and what a column gives are of any type there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportIndexIssue=false

from collections.abc import Iterator, Sequence

import pandas as pd

from plasticity.ground.arrays import Floats
from plasticity.results.field.selection import STEP

SPAN = 2.0  # points, at least, of an axis on which settings are compared
LAYERS = "model.layers"


def varied(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Of one contestant: each key that differs, with every setting's value and mean accuracy, in the values' order."""
    means = part.groupby(["setting", STEP], sort=False)["accuracy"].mean().reset_index()
    set_to = [
        dict(word.split("=") for word in f"{row['setting']} {STEP}={row[STEP]:g}".split())
        for _, row in means.iterrows()
    ]
    for key in dict.fromkeys(key for each in set_to for key in each):
        values = [each.get(key, "–") for each in set_to]
        if len({*values}) > 1 and key != LAYERS:
            table = means.assign(value=_numbers(values))
            yield key, table.sort_values("value", kind="stable") if numeric(list(table["value"])) else table


def _numbers(words: Sequence[str]) -> Sequence[float | str]:
    """The same, unless one of them is no number."""
    try:
        return [float(word) for word in words]
    except ValueError:
        return words


def numeric(values: Sequence[float | str]) -> bool:
    return not any(isinstance(value, str) for value in values)


def span(accuracy: Floats) -> tuple[float, float]:
    """Of an axis: at least so much that noise does not look like a difference."""
    low, high = accuracy.min(), accuracy.max()
    room = max(0.06 * (high - low), (SPAN - (high - low)) / 2)
    return low - room, high + room


def short(key: str) -> str:
    """Enough of it to know which is meant."""
    return key.rpartition(".")[2] if key.startswith("model.rules.") else key
