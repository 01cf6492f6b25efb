"""What a run asks of whatever tracks it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Tracker(Protocol):
    def follow(self, folder: Path, say: Callable[[str], None]) -> AbstractContextManager[None]:
        """Tracks the run in the folder for as long as the context is open; warns once, raises never."""
        ...


@dataclass(frozen=True)
class Nothing:
    """Tracks nothing; such a run can still be published later."""

    def follow(self, folder: Path, say: Callable[[str], None]) -> AbstractContextManager[None]:
        return nullcontext()
