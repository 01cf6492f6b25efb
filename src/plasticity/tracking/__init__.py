"""Everything that knows wandb. A run's folder is the truth; what is tracked is read off it."""

from plasticity.tracking.tracker import Wandb

__all__ = ["Wandb"]
