"""The loop: prune, measure, then learn sample by sample and grow."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from plasticity.arrays import Bools
from plasticity.engines import Engine
from plasticity.errors import Diverged
from plasticity.metrics import dormancy, effective_rank, weight_magnitude
from plasticity.networks import Network
from plasticity.rules.growing import Grow, segments
from plasticity.rules.pruning import Prune
from plasticity.runs.records import Record
from plasticity.seeds import Purpose, generator
from plasticity.streams.permuted import Stream, Task


@dataclass(frozen=True)
class Learner:
    stream: Stream
    network: Network
    engine: Engine
    grow: Grow
    prune: Prune

    def records(self, start: int, stop: int) -> Iterator[Record]:
        """Learns tasks start … stop-1; the network is at a task boundary whenever a record is yielded."""
        for task in self.stream.tasks(start, stop):
            yield self._learn(task)

    def _learn(self, task: Task) -> Record:
        began, network = perf_counter(), self.network
        before = network.hidden(task.gauge)
        rng = generator(self.stream.seed, Purpose.PRUNING, task.index)
        dropped = self.prune(network, task.probe, rng)
        network.prune(dropped)
        # Units that were silent here change nothing for the others: no need to look again.
        silent = not before[:, dropped].any()
        hidden = np.delete(before, dropped, axis=1) if silent else network.hidden(task.gauge)
        start = partial(
            Record,
            task=task.index,
            dormancy=dormancy(hidden),
            dormancy_before_pruning=dormancy(before),
            units=network.units,
            connections=network.connections,
            pruned=before.shape[1] - network.units,
            effective_rank=effective_rank(hidden),
            weight_magnitude=weight_magnitude(network),
        )
        correct = self._segments(task)
        added = network.units - hidden.shape[1]
        return start(accuracy=float(correct.mean()), added=added, seconds=round(perf_counter() - began, 6))

    def _segments(self, task: Task) -> Bools:
        correct = np.zeros(len(task.samples), bool)
        for segment in segments(len(task.samples), self.grow.K):
            try:
                correct[segment] = self.engine.learn(self.network, task.samples[segment])
            except Diverged as diverged:
                sample = segment.start + diverged.sample
                raise Diverged(sample, f" in task {task.index}") from None
            if segment.stop < len(task.samples):
                for _ in range(self.grow(self.network, correct[: segment.stop])):
                    self.network.grow(generator(self.stream.seed, Purpose.NEW_UNIT, self.network.born))
        return correct
