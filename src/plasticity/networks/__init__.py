"""Networks hold weights and what is remembered of them, and know how to grow, drop, renew and measure units."""

from plasticity.networks.cascade import Cascade
from plasticity.networks.layered import Layered
from plasticity.networks.network import Network

__all__ = ["Cascade", "Layered", "Network"]
