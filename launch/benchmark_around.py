"""What a run takes besides learning: between tasks, at its start, in memory, for tracking, and as a network ages."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

from timing import cascade, learner, microseconds, mnist

from plasticity.engines import Learned
from plasticity.engines.fused import Fused
from plasticity.networks import Network
from plasticity.rules import Dead, Every, Rule
from plasticity.streams import Samples
from plasticity.updates import Update


class Stopwatch:
    """An engine that knows how long it took."""

    def __init__(self) -> None:
        self.engine, self.seconds = Fused(), 0.0

    def refuses(self, network: Network, update: Update, rules: Mapping[str, Rule]) -> str | None:
        return None

    def learn(self, network: Network, samples: Samples, update: Update) -> Learned:
        began = perf_counter()
        try:
            return self.engine.learn(network, samples, update)
        finally:
            self.seconds += perf_counter() - began


def between_tasks(tasks: int) -> dict[str, float]:
    """The share of a task of 10,000 samples at about 75 units that is not learning."""
    watch, network = Stopwatch(), cascade(75)
    learns = learner(mnist(10_000), network, watch, prune=Dead(), grow=Every(6500))
    list(learns.records(0, 1))
    watch.seconds, began = 0.0, perf_counter()
    list(learns.records(1, 1 + tasks))
    total = perf_counter() - began
    return {"units": network.units, "ms_a_task": 1e3 * total / tasks, "share_between_tasks": 1 - watch.seconds / total}


def aged(tasks: int) -> dict[str, float]:
    """A network after many tasks against a fresh one of its size: denormal numbers would show here."""
    stream, network = mnist(1000), cascade(0)
    list(learner(stream, network, Fused(), prune=Dead(), grow=Every(300)).records(0, tasks))
    part = stream.samples(tasks)
    old, new = (microseconds(Fused(), each, part, 1) for each in (network, cascade(network.units)))
    return {"tasks": tasks, "units": network.units, "aged_us": old, "fresh_us": new, "aged_over_fresh": old / new}


MEMORY = """
import sys
from pathlib import Path
sys.path.insert(0, {launch!r})
from timing import cascade, learner, mnist
from plasticity.engines.fused import Fused
from plasticity.rules import Every
list(learner(mnist(40_000), cascade(500), Fused(), grow=Every(24_000)).records(0, 1))
(line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(line.split()[1]) / 1024)
"""


def seconds_of(*arguments: str) -> float:
    """The seconds that launch/main.py takes; kernels have been compiled and kept by now."""
    main = Path(__file__).with_name("main.py")
    with tempfile.TemporaryDirectory() as outputs:
        began = perf_counter()
        words = [sys.executable, main, *arguments, f"outputs={outputs}"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return perf_counter() - began


def start_up() -> dict[str, float]:
    return {"command_to_first_task_s": seconds_of("model=aen", "tasks=1", "tracker=none")}


def tracking(pairs: int) -> dict[str, float]:
    """A default run with wandb offline against one without it: taken in turns, the best of each."""
    taken = [(seconds_of("tracker=none"), seconds_of("tracker=wandb")) for _ in range(pairs)]
    without, tracked = map(min, zip(*taken, strict=True))
    return {"run_s": without, "tracked_run_s": tracked, "tracked_over_untracked": tracked / without}


def memory() -> dict[str, float]:
    """The most memory that a task of N = 40,000 with 500 units takes, with torch, which a run does not import."""
    script = MEMORY.format(launch=str(Path(__file__).parent))
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    return {"N40000_500_units_peak_mb": float(said)}
