"""The paper's stream: in every task the same images under a new random permutation of their pixels."""

from dataclasses import dataclass

from plasticity.ground.arrays import Indices
from plasticity.ground.seeds import Purpose, generator
from plasticity.streams.ordered import Ordered
from plasticity.streams.samples import Samples


@dataclass(frozen=True)
class Permuted(Ordered):
    def samples(self, task: int) -> Samples:
        permutation = drawn(self.seed, task, self.dataset.inputs)
        return Samples(self.dataset.images, self.dataset.labels, self.rows(task), permutation)


def drawn(seed: int, task: int, inputs: int) -> Indices:
    """Where each input comes from in the paper's task."""
    return generator(seed, Purpose.PERMUTATION, task).permutation(inputs)
