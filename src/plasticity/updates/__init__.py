"""How a weight moves, given its gradient: one file per update."""

from plasticity.updates.adam import Adam
from plasticity.updates.sgd import SGD
from plasticity.updates.update import Linear, Update

__all__ = ["SGD", "Adam", "Linear", "Update"]
