"""How many processors this process may use."""

import os


def count() -> int:
    """Fewer than the machine has where somebody said so, as SLURM does; macOS cannot say it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
