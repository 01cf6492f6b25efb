"""The configuration of one run: its types. conf/ owns the values, runs/resolve.py the checks."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Init:
    incoming: str
    outgoing: str
    first: str
    layers: str
    outputs: str | None = None  # runs of earlier versions do not say it


@dataclass
class Config:
    """Types only: conf/ owns the values."""

    model: dict[str, Any]
    dataset: dict[str, Any]
    stream: dict[str, Any]
    update: dict[str, Any]
    engine: dict[str, Any]
    tracker: dict[str, Any]
    measures: dict[str, Any]
    N: Any  # a whole number, or all: then resolve() puts the number in its place
    K: int
    seed: int
    tasks: int
    step_size: float
    bias: bool
    order: str
    probe: float
    init: Init
    device: str
    data: str | None
    outputs: str
    force: bool
    checkpoint_seconds: float
    lives: bool = True  # runs of earlier versions do not say it
    report: bool = True  # runs of earlier versions do not say it
    match: str = "connections"  # runs of earlier versions do not say it
