"""Continual backprop: now and then, the least useful of the mature units is replaced (Dohare et al., 2024)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plasticity.ground.errors import Mistake
from plasticity.ground.limits import number, whole
from plasticity.networks import Network
from plasticity.rules.renewing import Renewing
from plasticity.rules.rule import Change, Moment

UTILITIES = {"contribution": ("utility",), "adaptable": ("adaptable_utility", "activity")}  # the traces of each
NOTE = "continual_backprop"  # (layers, 3) samples of mature units so far, units replaced, at which sample of the task


@dataclass(frozen=True)
class ContinualBackprop(Renewing):
    """After each step each layer owes `rate` more replacements for each of its units older than `maturity`. As soon as
    it owes one, its mature unit of the least utility is renewed: incoming weights fresh, bias and outgoing weights 0.

    What is owed follows from ages, so a replacement comes at the very sample at which it is due. Utility is a running
    mean with `decay`, corrected for its age. `contribution`, of the paper's text: a unit's output times the sum of its
    absolute outgoing weights. `adaptable`, of its MNIST runs: how far the output is from its own running mean, times
    the mean absolute outgoing weight, over the mean absolute incoming one (biases do not count).
    """

    rate: float
    maturity: int
    decay: float
    utility: str

    def __post_init__(self) -> None:
        number("rate", self.rate, 0, 1)
        whole("maturity", self.maturity, 0)
        number("decay", self.decay, 0, 1)
        if self.utility not in UTILITIES:
            raise Mistake(f"utility={self.utility} is not known; choose {' or '.join(UTILITIES)}")
        if self.decay == 1:
            raise Mistake("decay=1 is not possible; a mean that never changes has no decay of 1")

    @property
    def traces(self) -> Mapping[str, float | None]:
        return {"age": None} | dict.fromkeys(UTILITIES[self.utility], self.decay)

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """Also after the last sample of a task, to write down what units that are dropped next have added."""
        note, age = self._note(network), network.traces["age"]
        waits = [self._wait(age[units], note[layer], network.sample, N) for layer, units in enumerate(network.layers)]
        return max(sample, min([N, *(network.sample + wait for wait in waits)]))

    def __call__(self, network: Network, now: Moment) -> Change:
        note, renew, age = self._note(network), [], network.traces["age"]
        for layer, units in enumerate(network.layers):
            note[layer, 0] = self._mature_samples(age[units], note[layer], network.sample)
            note[layer, 2] = now.sample if now.sample < len(now.samples) else 0  # what is next is another task
            owed = int(self._owed(note[layer, 0], note[layer, 1]))
            chosen = self._least_useful(network, units)[:owed] if owed > 0 else ()
            note[layer, 1] += len(chosen)
            renew += chosen
        return Change(renew=np.array(renew, np.int64), note={NOTE: note})

    def _least_useful(self, network: Network, units: slice) -> list[int]:
        """The numbers of a layer's mature units, the least useful first."""
        age, utility = network.traces["age"][units], network.traces[UTILITIES[self.utility][0]][units]
        mature = np.flatnonzero(age > self.maturity)
        order = np.argsort(utility[mature] / (1 - self.decay ** age[mature]), kind="stable")
        return (units.start + mature[order]).tolist()

    def _note(self, network: Network) -> np.ndarray:
        return network.notes.get(NOTE, np.zeros((len(network.layers), 3), np.int64)).copy()

    def _mature_samples(self, age: np.ndarray, note: np.ndarray, sample: int) -> int:
        """How often a unit of a layer was mature after a step, by now."""
        before, _, at = note.tolist()
        return before + int((over(age, self.maturity) - over(age - (sample - at), self.maturity)).sum())

    def _owed(self, mature_samples: int, replaced: int) -> float:
        return self.rate * mature_samples - replaced

    def _wait(self, age: np.ndarray, note: np.ndarray, sample: int, N: int) -> int:
        """Samples from now until a layer is due a replacement and has a mature unit; N if that is not in this task."""
        replaced, so_far = int(note[1]), self._mature_samples(age, note, sample)
        if self._owed(so_far + N * age.size, replaced) < 1:
            return N
        wanted = int((1 + replaced) / self.rate)  # mature samples at which one is owed, to rounding
        while self._owed(wanted, replaced) >= 1:
            wanted -= 1
        while self._owed(wanted, replaced) < 1:
            wanted += 1
        waits = np.maximum(self.maturity - age, 0)
        return max(0, self.maturity + 1 - int(age.max()), min(N, first_time(waits, wanted - so_far)))


def over(age: np.ndarray, maturity: int) -> np.ndarray:
    return np.maximum(age - maturity, 0)


def first_time(waits: np.ndarray, count: int) -> int:
    """The first t ≥ 0 at which Σ max(t − wait, 0) ≥ count. That sum is the largest that any k smallest waits give."""
    k = np.arange(1, waits.size + 1)
    return max(0, int((-(-(count + np.sort(waits).cumsum()) // k)).min())) if count > 0 else 0
