"""The settings of the launchers, under the names that hydra-submitit-launcher gave them."""

from dataclasses import dataclass

from hydra.core.config_store import ConfigStore
from hydra_plugins.hydra_submitit_launcher.config import SlurmQueueConf
from omegaconf import II

HERE = "hydra_plugins.plasticity"


@dataclass
class Serial:
    """One run after the other, in this process, for debugging."""

    _target_: str = f"{HERE}.launchers.SerialLauncher"


@dataclass
class Local:
    """Processes on this machine."""

    _target_: str = f"{HERE}.launchers.LocalLauncher"
    # runs at a time; null: one a core that this process may use, or one per GPU if the runs use GPUs
    workers: int | None = None
    # how often a run that failed or was killed is tried again
    retries: int = 1
    # true: return after submission; the same command picks up
    detach: bool = False


@dataclass
class Slurm(SlurmQueueConf):
    """Job arrays on a SLURM cluster."""

    _target_: str = f"{HERE}.launchers.SlurmLauncher"
    # runs that share a job; null: as many as workers
    runs_per_job: int | None = None
    # runs at a time in a job
    workers: int = 1
    # null: 1 CPU and 2 GB per worker
    cpus_per_task: int | None = None
    mem_gb: float | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    # how often a run that failed, or whose job was killed, is tried again; preemptions do not count
    retries: int = 1
    # how often a job that ran out of time goes on in another
    max_timeouts: int = 10
    max_num_timeout: int = II("hydra.launcher.max_timeouts")
    detach: bool = False
    name: str = "plasticity"
    # null: among the records of the launch, in the outputs
    submitit_folder: str | None = None  # pyright: ignore[reportIncompatibleVariableOverride]


def register() -> None:
    store = ConfigStore.instance().store
    for name, node in (("serial", Serial), ("local", Local), ("slurm", Slurm)):
        store(group="hydra/launcher", name=name, node=node, provider="plasticity")


register()
