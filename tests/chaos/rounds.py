"""Rounds of disturbed grids until the time is over, each compared with one that was left alone."""

import random
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from support import cluster
from support.grids import Grid, wait_until
from support.wandb_server import serving

from chaos.disturbing import SETTINGS, Disturbed

TASKS = 300
ENOUGH = 5  # disturbances, or it was none: how many fit into a minute depends on the machine
FLAKY = """(( RANDOM % 4 )) || { echo "sbatch: error: Batch job submission failed: Socket timed out" >&2; exit 1; }
exec $real "$@"
"""
LAUNCHERS = {
    "local": ("hydra.launcher.workers=2", "hydra.launcher.retries=1000"),
    "slurm": ("hydra/launcher=slurm", "hydra.launcher.mem_gb=2", "hydra.launcher.retries=1000"),
}


def endure(where: str, seconds: float, round_seconds: float, seed: int, folder: Path) -> Counter[str]:
    """How often what happened. Raises AssertionError if any grid ended otherwise than an undisturbed one."""
    events, rng = Counter[str](), random.Random(f"{where} {seed}")
    undisturbed = Grid(folder / "undisturbed", ("hydra/launcher=serial",))
    undisturbed.run(*SETTINGS, "tracker=none", f"tasks={TASKS}")
    end = monotonic() + seconds
    while monotonic() < end:
        tools = folder / f"{where}-{events['grids']}"
        tools.mkdir()
        tracker = ("tracker=wandb", "tracker.mode=online") if rng.random() < 0.3 else ("tracker=none",)
        grid = Grid(tools / "outputs", (*LAUNCHERS[where], *tracker))
        with serving() as server:
            more = {"more": disturbances(rng, events), "mend": cluster.mend} if where == "slurm" else {}
            one = Disturbed(grid, rng, server, tools, events, **more)
            one.go(min(round_seconds, end - monotonic()), TASKS)
        one.check(undisturbed)
        if where == "slurm":
            wait_until(lambda: not cluster.queue(), 60)
            cluster.clean()
        events["grids"] += 1
    return events


def disturbances(rng: random.Random, events: Counter[str]) -> dict[str, Callable[[], None]]:
    """What else may happen on a cluster."""

    def do(what: str, *command: str) -> None:
        if jobs := cluster.queue():
            subprocess.run([*command, rng.choice(jobs)], capture_output=True, check=False)
            events[what] += 1

    def preempt() -> None:
        cluster.preempt()
        events["preemption"] += 1

    def fail_node() -> None:
        cluster.slurm("scontrol", "update", f"NodeName=n{rng.randint(1, cluster.NODES)}", "State=DOWN", "Reason=chaos")
        events["node failure"] += 1

    return {
        "requeue": lambda: do("scontrol requeue", "scontrol", "requeue"),
        "warning": lambda: do("SIGUSR2 by SLURM", "scancel", "--signal=USR2"),
        "kill": lambda: do("SIGKILL by SLURM", "scancel", "--signal=KILL"),
        "cancel": lambda: do("scancel", "scancel"),
        "preempt": preempt,
        "node": fail_node,
        "mend": cluster.mend,
    }
