"""How a weight moves, given its gradient: one file per update."""

from plasticity.updates.adam import Adam
from plasticity.updates.l2 import L2
from plasticity.updates.l2_init import L2Init
from plasticity.updates.sgd import SGD
from plasticity.updates.update import Linear, Update

__all__ = ["L2", "SGD", "Adam", "L2Init", "Linear", "Update"]
