"""What an engine does."""

from collections.abc import Mapping
from typing import Protocol

from plasticity.arrays import Bools
from plasticity.networks import Network
from plasticity.rules import Rule
from plasticity.streams import Samples
from plasticity.updates import Update


class Engine(Protocol):
    def refuses(self, network: Network, update: Update, rules: Mapping[str, Rule]) -> str | None:
        """Why it cannot do this exactly, in one sentence; asked before anything runs."""
        ...

    def learn(self, network: Network, samples: Samples, update: Update) -> Bools:
        """One step per sample; was each prediction right, before its step?"""
        ...
