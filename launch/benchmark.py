"""What a sample costs on one thread: a loop as a PyTorch user would write it, JAX, engine=torch and engine=fused; and
what each method costs beside none."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from plasticity.data import MNIST, FashionMNIST, Source
from plasticity.engines import Engine, Learned
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.errors import Mistake
from plasticity.learner import Learner
from plasticity.networks import Cascade, Layered, Network
from plasticity.rules import Dead, Every, Rule
from plasticity.runs.build import learner_on
from plasticity.runs.config import Config
from plasticity.runs.resolve import resolve
from plasticity.streams import Permuted, Samples
from plasticity.updates import SGD, Update

CONF = Path(__file__).parent.parent.resolve() / "conf"
STEP = 0.001
UPDATE = SGD(STEP)
DATA: tuple[tuple[str, Source], ...] = (("mnist", MNIST()), ("fmnist", FashionMNIST()))
SECONDS = 1.0  # of measuring an engine, at least, unless --quick


def mnist(N: int, source: Source | None = None) -> Permuted:
    return Permuted((source or MNIST()).load(N, None), seed=0, order="shuffled")


def learner(stream: Permuted, network: Network, engine: Engine, **rules: Rule) -> Learner:
    return Learner(stream, network, engine, UPDATE, rules, seed=0, probe=0.05)


def cascade(units: int, lateral: bool = True) -> Cascade:
    how = partial(Cascade, incoming="kaiming", outgoing="kaiming_layer", first="torch")
    network = how(np.random.default_rng(0), 784, 10, lateral=lateral, freezing=False, bias=True)
    for unit in range(units):
        network.grow(np.random.default_rng(unit))
    return network


def layered(width: int, layers: int = 3) -> Layered:
    return Layered(np.random.default_rng(0), 784, 10, layers=layers, width=width, bias=True, initial_weights="kaiming")


@dataclass(frozen=True)
class Case:
    name: str
    build: Callable[[], Network]
    peer: tuple[str, int, int]  # as launch/peers.py has it
    quick: bool = False


def cascade_case(units: int, lateral: bool, quick: bool) -> Case:
    kind = "cascade" if lateral else "flat"
    return Case(f"{kind} {units}", partial(cascade, units, lateral), (kind, 0, units), quick)


CASES = (
    *(cascade_case(units, True, units in (0, 10, 100)) for units in (0, 10, 50, 100, 200, 500, 1000)),
    *(cascade_case(units, False, units == 100) for units in (100, 500)),
    *(Case(f"F-FCNN 3×{width}", partial(layered, width), ("layered", 3, width), width == 200)
      for width in (100, 200, 1000)),
)  # fmt: skip


class ModulePerUnit(torch.nn.Module):
    """A growing network as one would write it first: a Linear for each unit, fed with all that came before."""

    def __init__(self, units: int, lateral: bool):
        super().__init__()
        self.lateral = lateral
        self.units = torch.nn.ModuleList(torch.nn.Linear(784 + (unit if lateral else 0), 1) for unit in range(units))
        self.outputs = torch.nn.Linear(784 + units, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = x
        for unit in self.units:
            seen = torch.cat([seen, torch.relu(unit(seen if self.lateral else x))])
        return self.outputs(seen)


def plain_module(network: Network) -> torch.nn.Module:
    if isinstance(network, Cascade):
        return ModulePerUnit(network.units, network.lateral)
    assert isinstance(network, Layered)
    sizes = [784, *(len(bias) for bias in network.bias)]
    layers = [torch.nn.Linear(n, m) for n, m in pairwise(sizes)]
    return torch.nn.Sequential(*[part for layer in layers for part in (layer, torch.nn.ReLU())][:-1])


class PlainLoop:
    def __init__(self, network: Network):
        self.module = plain_module(network)
        self.optimizer = torch.optim.SGD(self.module.parameters(), lr=STEP)

    def learn(self, network: object, samples: Samples, update: object) -> None:
        for x, y in zip(torch.from_numpy(samples.x), torch.from_numpy(samples.y), strict=True):
            output = self.module(x)
            _ = output.argmax() == y
            self.optimizer.zero_grad()
            torch.nn.functional.cross_entropy(output, y).backward()
            self.optimizer.step()


def microseconds(engine: PlainLoop | Reference | Fused, network: Network, samples: Samples, budget: float) -> float:
    """The best of several stretches, each long enough to time; the first few samples only warm up."""
    warm = perf_counter()
    engine.learn(network, samples[:3], UPDATE)
    once = (perf_counter() - warm) / 3
    if isinstance(engine, Fused):
        once = 50e-6
    count = max(3, min(len(samples), int(budget / 5 / once)))
    best, began = np.inf, perf_counter()
    while perf_counter() - began < budget:
        start = perf_counter()
        engine.learn(network, samples[:count], UPDATE)
        best = min(best, (perf_counter() - start) / count)
    return best * 1e6


def operations(network: Network) -> int:
    """Of a dense step: forward and update touch every weight, going back all but those from the inputs."""
    fed = network.weights[0].shape[1] if isinstance(network, Layered) else network.units + network.outputs
    first = 784 * fed
    return 2 * (3 * network.connections - first)


def peak(seconds: float) -> float:
    """GFLOP/s of a large product in single precision."""
    a, best, began = np.ones((1500, 1500), np.float32), np.inf, perf_counter()
    while perf_counter() - began < seconds:
        start = perf_counter()
        np.dot(a, a)
        best = min(best, perf_counter() - start)
    return 2 * 1500**3 / best / 1e9


JAX = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def in_jax(peers: Sequence[tuple[Any, ...]], seconds: float) -> list[float]:
    """µs per sample; nan where JAX is not installed. Its pixels are random, which costs a dense step the same."""
    if find_spec("jax") is None:
        return [nan] * len(peers)
    words = [sys.executable, Path(__file__).with_name("peers.py"), json.dumps([peers, seconds])]
    environment = os.environ | {"XLA_FLAGS": JAX, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Mistake(f"JAX could not be measured ({done.stderr.strip().splitlines()[-1]})")
    return json.loads(done.stdout.splitlines()[-1])


@dataclass(frozen=True)
class Row:
    dataset: str
    network: str
    plain_us: float
    jax_us: float
    torch_us: float
    fused_us: float
    plain_ratio: float
    jax_ratio: float
    torch_ratio: float
    gflops: float
    share_of_peak: float


def rows(quick: bool, budget: float, top: float) -> Iterator[Row]:
    for name, source in DATA[1:] if quick else DATA:
        samples = mnist(10_000, source).samples(0)
        for case in CASES:
            if case.quick or not quick:
                network = case.build()
                work = operations(network)
                plain = microseconds(PlainLoop(network), network, samples, budget)
                reference = microseconds(Reference(), network, samples, budget)
                (jax,) = in_jax([case.peer], budget)
                fused = microseconds(Fused(), network, samples, budget)
                speed = work / fused / 1e3
                ratios = (plain / fused, jax / fused, reference / fused)
                yield Row(name, case.name, plain, jax, reference, fused, *ratios, speed, speed / top)


METHODS = {
    "none": "", "l2": "", "l2_init": "", "shrink_perturb": "none", "cbp": "", "redo": "none", "snr": "none",
    "head_reset": "none", "layer_norm": "", "crelu": "",
}  # fmt: skip
"""By method, what JAX is asked for where its step is that of another: what acts between tasks costs a step nothing."""
ONLY_LAYERED = ("layer_norm", "crelu")
GROWN = 100  # units of the cascade that methods are measured on


@dataclass(frozen=True)
class MethodRow:
    network: str
    method: str
    fused_us: float
    over_none: float
    torch_us: float
    jax_us: float


def with_method(method: str, model: str, engine: str, stream: Permuted) -> Learner:
    """As launch/main.py would make it; a growing network has its units, and gets no more."""
    N = len(stream.dataset.labels)
    overrides = [f"model={model}", f"method={method}", f"engine={engine}", f"N={N}", f"K={N}", "tracker=none"]
    ConfigStore.instance().store(name="schema", node=Config)
    with initialize_config_dir(str(CONF), version_base="1.3"):
        learns = learner_on(resolve(compose("config", overrides)), stream.dataset)
    for unit in range(GROWN if model != "ffcnn" else 0):
        learns.network.grow(np.random.default_rng(unit))
    return learns


def by_method(tasks: int, budget: float) -> Iterator[MethodRow]:
    """Whole tasks of 10,000 samples and all that happens between them, in turns with method=none: the best of each."""
    stream, short = mnist(10_000), mnist(500)
    for model, network in (("ffcnn", "F-FCNN 3×200"), ("agn", f"cascade {GROWN}")):
        for method in METHODS:
            if model != "ffcnn" and method in ONLY_LAYERED:
                continue
            plain, learns = (with_method(name, model, "fused", stream) for name in ("none", method))
            taken = [(seconds(plain, task), seconds(learns, task)) for task in range(tasks)]
            none, best = map(min, zip(*taken[1:], strict=True))  # the first task loads the kernels
            slow = seconds(with_method(method, model, "torch", short), 0) / 500
            peer = peer_of(model, method)
            (jax,) = in_jax([peer], budget) if peer else [nan]
            yield MethodRow(network, method, best * 100, best / none, slow * 1e6, jax)


def peer_of(model: str, method: str) -> tuple[Any, ...] | None:
    """As launch/peers.py has it, if it does."""
    like = METHODS[method] or method
    if model == "ffcnn":
        return ("layered", 3, 200, like)
    return ("cascade", 0, GROWN, like) if like in ("none", "l2", "l2_init") else None


def seconds(learns: Learner, task: int) -> float:
    began = perf_counter()
    list(learns.records(task, task + 1))
    return perf_counter() - began


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
from benchmark import cascade, learner, mnist
from plasticity.engines.fused import Fused
from plasticity.rules import Every
list(learner(mnist(40_000), cascade(500), Fused(), grow=Every(24_000)).records(0, 1))
(line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(line.split()[1]) / 1024)
"""


def command(*arguments: str) -> float:
    """The seconds that launch/main.py takes; kernels have been compiled and kept by now."""
    main = Path(__file__).with_name("main.py")
    with tempfile.TemporaryDirectory() as outputs:
        began = perf_counter()
        words = [sys.executable, main, *arguments, f"outputs={outputs}"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return perf_counter() - began


def start_up() -> dict[str, float]:
    return {"command_to_first_task_s": command("model=aen", "tasks=1", "tracker=none")}


def tracking(pairs: int) -> dict[str, float]:
    """A default run with wandb offline against one without it: taken in turns, the best of each."""
    taken = [(command("tracker=none"), command("tracker=wandb")) for _ in range(pairs)]
    without, tracked = map(min, zip(*taken, strict=True))
    return {"run_s": without, "tracked_run_s": tracked, "tracked_over_untracked": tracked / without}


def memory() -> dict[str, float]:
    """The most memory that a task of N = 40,000 with 500 units takes, with torch, which a run does not import."""
    script = MEMORY.format(launch=str(Path(__file__).parent))
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    return {"N40000_500_units_peak_mb": float(said)}


def show(found: list[Row], top: float, console: Console) -> None:
    console.print(f"µs per sample on one thread; a product of 1500 × 1500 reaches {top:.0f} GFLOP/s here")
    table = Table()
    for column in (
        "data", "network", "plain loop", "JAX", "torch", "fused", "× plain", "× JAX", "× torch", "GFLOP/s", "of peak"
    ):  # fmt: skip
        table.add_column(column, justify="left" if column in ("data", "network") else "right", no_wrap=True)
    for row in found:
        times = (f"{row.plain_us:,.0f}", f"{row.jax_us:,.1f}", f"{row.torch_us:,.0f}", f"{row.fused_us:.1f}")
        ratios = (f"{row.plain_ratio:,.0f}", f"{row.jax_ratio:,.1f}", f"{row.torch_ratio:,.0f}")
        table.add_row(row.dataset, row.network, *times, *ratios, f"{row.gflops:.0f}", f"{row.share_of_peak:.0%}")
    console.print(table)


def show_methods(found: Sequence[MethodRow], console: Console) -> None:
    table = Table(title="Methods on MNIST, whole tasks")
    for column in ("network", "method", "fused", "× none", "torch", "JAX", "JAX over fused"):
        table.add_column(column, justify="left" if column in ("network", "method") else "right", no_wrap=True)
    for row in found:
        times = (f"{row.torch_us:,.0f}", f"{row.jax_us:,.1f}", f"{row.jax_us / row.fused_us:,.1f}")
        table.add_row(row.network, row.method, f"{row.fused_us:.1f}", f"{row.over_none:.2f}", *times)
    console.print(table)
    if find_spec("jax") is None:
        console.print("JAX is not installed: pip install -e '.[peers]' adds its column")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few networks on one data set, within a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    options = parser.parse_args()
    torch.set_num_threads(1)
    budget = 0.5 if options.quick else SECONDS
    console = Console()
    console.width = max(console.width, 130)  # cut no number, whatever the output goes to
    with threadpool_limits(1), console.status("measuring") as status:
        top, found = peak(budget), []
        for row in rows(options.quick, budget, top):
            found.append(row)
            status.update(f"measured {row.network} on {row.dataset}")
        around = {"between_tasks": between_tasks(10 if options.quick else 40)}
        around["start_up"] = start_up()
        status.update("measuring methods")
        methods = list(by_method(3 if options.quick else 8, budget))
        if not options.quick:
            around |= {"aged": aged(300), "memory": memory(), "tracking": tracking(3)}
    show(found, top, console)
    show_methods(methods, console)
    for name, numbers in around.items():
        console.print(f"{name.replace('_', ' ')}: " + ", ".join(f"{key} {value:.3g}" for key, value in numbers.items()))
    if options.json:
        kept = {"peak_gflops": top, "rows": [asdict(row) for row in found], **around}
        kept["methods"] = [asdict(row) for row in methods]
        options.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except Mistake as mistake:
        sys.exit(f"error: {mistake}")
