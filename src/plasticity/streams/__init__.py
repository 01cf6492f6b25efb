"""The sequence of tasks that a network meets: task t is a function of (seed, t)."""

from plasticity.streams.permuted import Permuted
from plasticity.streams.samples import Samples
from plasticity.streams.stream import Stream

__all__ = ["Permuted", "Samples", "Stream"]
