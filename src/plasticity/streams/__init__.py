"""The sequence of tasks that a network meets: task t is a function of (seed, t)."""

from plasticity.streams.gradual import Gradual
from plasticity.streams.mixed import Mixed
from plasticity.streams.permuted import Permuted
from plasticity.streams.random_labels import RandomLabels
from plasticity.streams.relabelled import Relabelled
from plasticity.streams.rotating_classes import RotatingClasses
from plasticity.streams.samples import Samples
from plasticity.streams.stream import Stream, has_boundaries

__all__ = [
    "Gradual",
    "Mixed",
    "Permuted",
    "RandomLabels",
    "Relabelled",
    "RotatingClasses",
    "Samples",
    "Stream",
    "has_boundaries",
]
