"""`lives.jsonl`: one line per task, appended and flushed as the task ends."""

import json
import os
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.errors import Mistake, reason
from plasticity.ground.files import replace
from plasticity.lives import LOOKS, Event, Lives, Page

NUMBER = np.dtype("<f2")  # three digits
MOST = float(np.finfo(NUMBER).max)
TEXT = json.JSONEncoder(separators=(",", ":"))


def line(page: Page) -> str:
    """Events are [sample, died, why, born], by serial number; each look is base64 of a short float per unit."""
    short = np.minimum([page.looks[name] for name in LOOKS], MOST).astype(NUMBER)
    looks = {name: b64encode(values).decode() for name, values in zip(LOOKS, short, strict=True)}
    return TEXT.encode({"task": page.task, "events": page.events, **looks}) + "\n"


def parse(content: bytes) -> list[Page]:
    """The pages up to the first one that is torn, damaged or out of turn."""
    found: list[Page] = []
    try:
        for text in content.splitlines(keepends=True):
            page = _page(json.loads(text))
            if page.task != len(found) or not text.endswith(b"\n"):
                break
            found.append(page)
    except (ValueError, KeyError, TypeError):  # whatever damaged text makes of itself
        pass
    return found


def _page(values: dict[str, Any]) -> Page:
    looks = {name: np.frombuffer(b64decode(values[name]), NUMBER).astype(np.float32) for name in LOOKS}
    return Page(int(values["task"]), looks, [Event(*event) for event in values["events"]])


def read(path: Path) -> list[Page]:
    """None of a run of an earlier version."""
    try:
        return parse(path.read_bytes())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Mistake(f"{path} cannot be read ({reason(error)})") from error


def lives(path: Path, tasks: int, units: int) -> Lives | None:
    """After so many tasks, which left so many units; None if the file does not hold them all: then nobody knows which
    unit is which."""
    kept, found = read(path)[:tasks], Lives()
    try:
        for page in kept:
            found.repeat(page)
    except ValueError:  # a unit dies that is not there
        return None
    return found if len(kept) == tasks and (tasks == 0 or len(found.units) == units) else None


def go_on(path: Path, tasks: int, units: int) -> Lives | None:
    """The same, and the file follows: pages of later tasks are cut off."""
    found = lives(path, tasks, units)
    if found is not None:
        replace(path, b"".join(path.read_bytes().splitlines(keepends=True)[:tasks]) if tasks else b"")
    return found


def secure(path: Path) -> None:
    """It must not be behind a checkpoint, whatever happens; a run that records no lives has none."""
    if path.exists():
        with path.open("rb") as file:
            os.fsync(file.fileno())
