"""What a launcher knows of a run and of a job."""

from dataclasses import dataclass, field

from plasticity.grid.clusters import Cluster
from plasticity.grid.ledger import Launch, Reader
from plasticity.runs.run import Run


@dataclass
class Tracked:
    run: Run
    state: str = "waiting"  # running, finished, failed, cancelled
    failures: int = 0
    error: str | None = None
    tasks_done: int = 0
    claimed: bool = False  # its job says that it is finished; the folder decides
    waits_for: str = ""  # why its job does not run, in SLURM's words
    heard: float = 0.0  # seconds ago

    @property
    def open(self) -> bool:
        return self.state in ("waiting", "running")


@dataclass
class Job:
    id: str
    launch: Launch
    cluster: Cluster
    runs: list[str]
    events: Reader
    last: dict[str, str] = field(default_factory=dict)  # what it last said of a run
    gone: int = 0
