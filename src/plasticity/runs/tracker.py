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

    def look_at_finished(self, folder: Path, say: Callable[[str], None]) -> None:
        """Told of a run that had nothing left to do."""
        ...


@dataclass(frozen=True)
class Nothing:
    """Tracks nothing; such a run can still be published later."""

    def follow(self, folder: Path, say: Callable[[str], None]) -> AbstractContextManager[None]:
        return nullcontext()

    def look_at_finished(self, folder: Path, say: Callable[[str], None]) -> None: ...
