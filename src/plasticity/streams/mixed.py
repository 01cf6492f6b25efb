"""Several kinds of change, in turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plasticity.data import Dataset
from plasticity.ground.errors import Mistake
from plasticity.ground.limits import whole
from plasticity.streams.samples import Samples
from plasticity.streams.stream import Stream, has_boundaries

LIKE = "it names streams as conf/stream/mixed.yaml does"


@dataclass(frozen=True)
class Mixed:
    """`tasks` tasks of the first stream, as many of the next, and after the last the first again, which goes on where
    it was. A stream's first turn begins with its task of that number, so that no two begin with the same draws."""

    dataset: Dataset
    seed: int
    turns: Mapping[str, Stream | None]  # by name, so that one can be replaced; None: left out
    tasks: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.turns, Mapping):
            raise Mistake(f"stream.turns={self.turns} is not possible; {LIKE}")
        for name, turn in self.turns.items():
            if turn is not None and not hasattr(turn, "samples"):
                raise Mistake(f"stream.turns.{name}={turn} is no stream; null leaves it out, and {LIKE}")
        if not self._streams:
            raise Mistake("stream.turns has no stream; name one, as conf/stream/mixed.yaml does")
        whole("stream.tasks", self.tasks, 1)

    @staticmethod
    def identity(settings: Mapping[str, Any]) -> dict[str, Any]:
        """Until November 2026 streams also went on while it was not their turn: those runs are others."""
        return {**settings, "go_on": "in turn"}

    @property
    def boundaries(self) -> bool:
        return all(map(has_boundaries, self._streams))

    @property
    def _streams(self) -> list[Stream]:
        return [stream for stream in self.turns.values() if stream is not None]

    def samples(self, task: int) -> Samples:
        rounds, within = divmod(task, self.tasks * len(self._streams))
        return self._streams[within // self.tasks].samples(within + rounds * self.tasks)
