"""What a run's numbers are computed on: CPUs of another kind round their last digits otherwise."""

import platform
from functools import cache
from pathlib import Path
from typing import Any

from plasticity.compiled import kinds

WARNING = "last digits may differ from task {task} on: {before}, now {now}; PLASTICITY_VECTORS=avx2 avoids that"


@cache
def here() -> dict[str, str]:
    return {"vectors": kinds.NAME, "cpu": _model()}


def _model() -> str:
    """As the system names it; of ARM, Linux names only the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def went_on(before: list[Any], task: int) -> tuple[list[Any], str | None]:
    """What was computed where, by the first task of each, if it goes on here with this task; and, if that may change
    last digits, a warning. Vectors that were asked for are the same everywhere."""
    kept = [each for each in before if isinstance(each, dict) and each.get("from_task", task) < task]
    now, last = here(), {key: kept[-1].get(key) for key in here()} if kept else None
    if last == now:
        return kept, None
    whole = [*kept, {"from_task": task, **now}]
    if last is None or (kinds.ASKED and last["vectors"] == now["vectors"]):
        return whole, None
    return whole, WARNING.format(task=task, before=_words(last), now=_words(now))


def _words(there: dict[str, Any]) -> str:
    return f"{there['vectors']} on {there['cpu']}"
