"""The loop: rules act on units, the network is measured, and every sample is predicted and then learned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from time import perf_counter

import numpy as np

from plasticity.engines import Engine, Learned
from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.ground.errors import Diverged, Mistake
from plasticity.ground.seeds import Purpose, generator
from plasticity.lives import Lives
from plasticity.metrics import AT_TASK_START, OF_LEARNING, Look, Measured, number
from plasticity.networks import Network
from plasticity.record import Record
from plasticity.rules import Change, Moment, Rule, checked
from plasticity.streams import Samples, Stream
from plasticity.updates import Update

PIECE = 1024  # samples that are looked at together


@dataclass(frozen=True)
class Learner:
    stream: Stream
    network: Network
    engine: Engine
    update: Update
    rules: Mapping[str, Rule]  # those due at one moment are asked in this order
    seed: int
    probe: float  # the share of a task that rules may look at, and that dormancy is measured on
    measures: Mapping[str, Measured] = field(default_factory=dict)  # besides the suite's own
    lives: Lives | None = None  # of the network's units, if they are followed; that changes no number

    @property
    def columns(self) -> tuple[str, ...]:
        """Of each record, in order."""
        return ("task", *OF_LEARNING, *AT_TASK_START, "pruned", "added", "renewed", "work", *self.measures, "seconds")

    def records(self, start: int, stop: int) -> Iterator[Record]:
        """Learns tasks start … stop − 1; the network is at a task boundary whenever a record is yielded."""
        for task in range(start, stop):
            yield self._learn(task)

    def begin(self, task: int) -> None:
        """What rules do when the task begins, and nothing more: the network is then as the task's record has it."""
        samples = self.stream.samples(task)
        self.network.sample = self.network.spent = 0
        self._ask(task, 0, samples, Learned.nothing(len(samples)))

    def _learn(self, task: int) -> Record:
        began, network, samples = perf_counter(), self.network, self.stream.samples(task)
        network.sample = network.spent = 0
        gauge = samples.some(self.probe, generator(self.seed, Purpose.GAUGE, task))
        before = self.lives.look(task, network, gauge) if self.lives else network.hidden(gauge)
        fires, learned = self._fires(samples), Learned.nothing(len(samples))
        changes = self._ask(task, 0, samples, learned)
        dropped, now = dropped_by(changes, before.shape[1]), self._hidden_now(before, changes, gauge)
        look = Look(network, gauge, now, before, dropped=dropped, fires=fires)
        values = {name: number(name, measure(look)) for name, measure in {**AT_TASK_START, **self.measures}.items()}
        later = self._go_through(task, samples, learned)
        if any(len(change.drop) for change in later):  # of these, what was seen when the task began says nothing
            values |= {name: nan for name, measure in self.measures.items() if getattr(measure, "of_dropped", False)}
        changes += later
        values |= {name: measure(learned) for name, measure in OF_LEARNING.items()}
        values |= {"task": task, "work": network.spent, "seconds": round(perf_counter() - began, 6)}
        values |= {"pruned": sum(len(change.drop) for change in changes)}
        values |= {"added": sum(change.add for change in changes)}
        values |= {"renewed": sum(len(change.renew) for change in changes)}
        return Record({name: values[name] for name in self.columns})

    def _fires(self, samples: Samples) -> Bools | None:  # (units,)
        """Which units fire anywhere in the task; None where no measure asks."""
        if not any(getattr(measure, "whole_task", False) for measure in self.measures.values()):
            return None
        return np.any([(self.network.hidden(part) > 0).any(axis=0) for _, part in samples.pieces(PIECE)], axis=0)

    def _hidden_now(self, before: Floats, changes: list[Change], gauge: Samples) -> Floats:
        """Where a unit was silent, dropping it changes nothing for the others: no need to look there again."""
        if len(changes) > 1 or not all(change.only_drops for change in changes):
            return self.network.hidden(gauge)
        dropped = np.concatenate([np.arange(0), *(change.drop for change in changes)])
        hidden, again = np.delete(before, dropped, axis=1), before[:, dropped].any(axis=1)
        if again.any():
            hidden[again] = self.network.hidden(gauge[np.flatnonzero(again)])
        return hidden

    def _go_through(self, task: int, samples: Samples, learned: Learned) -> list[Change]:
        """From one moment at which a rule is due to the next; units change nowhere else."""
        sample, N, changes = 0, len(samples), []
        while sample < N:
            following = (self._due(rule, sample + 1, N) for rule in self.rules.values())
            stop = min((due for due in following if due is not None), default=N)
            self._segment(task, samples, learned, slice(sample, stop))
            sample = self.network.sample = stop
            changes += self._ask(task, sample, samples, learned)
        return changes

    def _due(self, rule: Rule, sample: int, N: int) -> int | None:
        due = rule.due(self.network, sample, N)
        whole = isinstance(due, int | np.integer) and not isinstance(due, bool)
        if due is not None and not (whole and sample <= due <= N):
            name, right = type(rule).__name__, f"a whole number from {sample} to {N}, or None"
            raise Mistake(f"{name}.due gave {due!r}; it must be {right}")
        return due

    def _segment(self, task: int, samples: Samples, learned: Learned, segment: slice) -> None:
        try:
            found = self.engine.learn(self.network, samples[segment], self.update)
        except Diverged as diverged:
            raise Diverged(segment.start + diverged.sample, f" in task {task}") from None
        learned.correct[segment], learned.loss[segment] = found
        # An update of somebody's own may not say what it takes; then nobody knows.
        self.network.spent += len(found.loss) * self.network.work.step(getattr(self.update, "work", nan))

    def _ask(self, task: int, sample: int, samples: Samples, learned: Learned) -> list[Change]:
        """Every rule that is due before this sample; what it wants is done before the next one is asked."""
        changes, rng = [], None
        for name, rule in self.rules.items():
            if self._due(rule, sample, len(samples)) == sample:
                rng = rng or generator(self.seed, Purpose.RULE, task, *([sample] if sample else []))
                right = learned.correct[:sample]
                now = Moment(self.network, self.seed, task, sample, right, samples, self.probe, rng)
                changes.append(checked(rule(self.network, now), rule, self.network))
                self._change(changes[-1])
                if self.lives:
                    self.lives.follow(sample, name, rule, changes[-1], self.network.fixed_size)
        return changes

    def _change(self, change: Change) -> None:
        if change.redraw:
            self.network.redraw(change.redraw, self._birth())
        if change.mixes:
            self.network.mix(change.scale, change.noise, change.kind, self._birth())
        for unit in change.renew:
            self.network.renew(int(unit), self._birth())
        if len(change.drop):
            self.network.prune(np.asarray(change.drop))
        for unit in range(change.add):
            self.network.grow(self._birth(), unit % self.network.column)
        for name, values in change.note.items():
            kept = self.network.traces if name in self.network.traces else self.network.notes
            kept[name] = values

    def _birth(self) -> np.random.Generator:
        return generator(self.seed, Purpose.NEW_UNIT, self.network.born)


def dropped_by(changes: list[Change], units: int) -> Indices:
    """Of so many units, those that one change after the other dropped."""
    there, gone = np.arange(units), [np.arange(0)]
    for change in changes:
        gone.append(there[change.drop])
        there = np.r_[np.delete(there, change.drop), np.full(change.add, -1)]
    return np.concatenate([each[each >= 0] for each in gone])
