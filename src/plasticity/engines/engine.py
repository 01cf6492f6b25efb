"""What an engine does."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from plasticity.ground.arrays import Bools, Floats
from plasticity.networks import Network
from plasticity.rules import Rule
from plasticity.streams import Samples
from plasticity.updates import Update


class Learned(NamedTuple):
    """Of each prediction, before its step."""

    correct: Bools  # (samples,)
    loss: Floats  # (samples,) cross-entropy, in nats

    @staticmethod
    def nothing(samples: int) -> "Learned":
        """Room for so many."""
        return Learned(np.zeros(samples, bool), np.zeros(samples))


class Engine(Protocol):
    def refuses(self, network: Network, update: Update, rules: Mapping[str, Rule]) -> str | None:
        """Why it cannot do this exactly, in one sentence; asked before anything runs."""
        ...

    def learn(self, network: Network, samples: Samples, update: Update) -> Learned:
        """One step per sample; was each prediction right, before its step, and what was its loss?"""
        ...
