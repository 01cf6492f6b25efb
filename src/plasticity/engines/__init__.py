"""Engines advance a network through a segment of samples, one step per sample."""

from plasticity.engines.engine import Engine

__all__ = ["Engine"]
