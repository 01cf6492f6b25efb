"""Engines advance a network through a segment of samples, one step per sample."""

from plasticity.engines.engine import Engine, Learned

__all__ = ["Engine", "Learned"]
