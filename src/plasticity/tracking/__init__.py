"""Everything that knows wandb. A run's folder is the truth; what is tracked is read off it."""

from plasticity.tracking.tracker import Nothing, Tracker, Wandb

__all__ = ["Nothing", "Tracker", "Wandb"]
