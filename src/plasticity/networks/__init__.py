"""Networks hold weights and know how to grow, shrink and predict; engines teach them."""

from plasticity.networks.cascade import Cascade
from plasticity.networks.layered import Layered

Network = Cascade | Layered

__all__ = ["Cascade", "Layered", "Network"]
