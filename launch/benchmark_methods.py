"""What each method of the field costs beside none, from one and the same state and after some tasks.

`python launch/benchmark_methods.py` shows the first alone, with all methods in turns, in a minute or two.
"""

import command  # isort: skip

import argparse
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import nan
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from rich.console import Console
from timing import in_jax, mnist, show_table

from plasticity.learner import Learner
from plasticity.runs.build import learner_on
from plasticity.runs.config import Config
from plasticity.runs.resolve import resolve
from plasticity.streams import Permuted, Samples

CONF = Path(__file__).parent.parent.resolve() / "conf"
METHODS = {
    "none": "", "l2": "", "l2_init": "", "shrink_perturb": "none", "cbp": "", "redo": "none", "snr": "none",
    "head_reset": "none", "layer_norm": "", "crelu": "",
}  # fmt: skip
"""By method, what JAX is asked for where its step is that of another: what acts between tasks costs a step nothing."""
ONLY_LAYERED = ("layer_norm", "crelu")
GROWN = 100  # units of the cascade that methods are measured on
ROUNDS = 40  # of learning from one state


@dataclass(frozen=True)
class MethodRow:
    network: str
    method: str
    fused_us: float
    over_none: float  # learning from one state: the same weights, images and firing units as without the method
    after_tasks: float  # a task of networks that have had some tasks with the method, and without it
    firing: float  # the share of units that fire by then, on average: only these cost anything between layers
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
    """Tasks of 10,000 samples and all that happens between them, in turns with method=none: the best of each."""
    stream, short = mnist(10_000), mnist(500)
    for model, network in (("ffcnn", "F-FCNN 3×200"), ("agn", f"cascade {GROWN}")):
        for method in METHODS:
            if model != "ffcnn" and method in ONLY_LAYERED:
                continue
            plain, learns = (with_method(name, model, "fused", stream) for name in ("none", method))
            fresh = copy.deepcopy(learns)
            taken = [(seconds(plain, task), seconds(learns, task)) for task in range(tasks)]
            none, best = map(min, zip(*taken[1:], strict=True))  # the first task loads the kernels
            whole = best / none
            same = whole if method in ONLY_LAYERED else from_one_state(fresh, plain, stream.samples(tasks))
            share = firing(learns, stream.samples(tasks))
            slow = seconds(with_method(method, model, "torch", short), 0) / 500
            peer = peer_of(model, method)
            (jax,) = in_jax([peer], budget) if peer else [nan]
            yield MethodRow(network, method, best * 100, same, whole, share, slow * 1e6, jax)


def from_one_state(fresh: Learner, plain: Learner, samples: Samples) -> float:
    """Learning with the method's update and traces over learning without, both from where the latter has led by now.
    What its rules do to units comes on top, and shows after some tasks."""
    none, best = in_turns([plain, fresh], samples)
    return best / none


def in_turns(learners: Sequence[Learner], samples: Samples) -> list[float]:
    """Seconds that each takes, from where the first is: the best of some rounds."""
    first, *others = learners
    for other in others:
        for own, learned in zip(other.network.parameters(), first.network.parameters(), strict=True):
            own[:] = learned
    rounds = [[seconds_of_learning(learns, samples) for learns in learners] for _ in range(ROUNDS)]
    return [min(taken) for taken in zip(*rounds, strict=True)]


def side_by_side(model: str, tasks: int = 4) -> dict[str, float]:
    """µs per sample of learning, by method, all from where none has led after some tasks."""
    stream = mnist(10_000)
    learners = {name: with_method(name, model, "fused", stream) for name in METHODS if name not in ONLY_LAYERED}
    for task in range(tasks):
        seconds(learners["none"], task)
    samples = stream.samples(tasks)
    taken = in_turns([*learners.values()], samples)
    return {name: each / len(samples) * 1e6 for name, each in zip(learners, taken, strict=True)}


def seconds_of_learning(learns: Learner, samples: Samples) -> float:
    network = copy.deepcopy(learns.network)
    began = process_time()
    learns.engine.learn(network, samples, learns.update)
    return process_time() - began


def firing(learns: Learner, samples: Samples) -> float:
    return float((learns.network.hidden(samples[:1000]) > 0).mean())


def peer_of(model: str, method: str) -> tuple[Any, ...] | None:
    """As launch/peers.py has it, if it does."""
    like = METHODS[method] or method
    if model == "ffcnn":
        return ("layered", 3, 200, like)
    return ("cascade", 0, GROWN, like) if like in ("none", "l2", "l2_init") else None


def seconds(learns: Learner, task: int) -> float:
    """CPU time: others may be at work on the machine."""
    began = process_time()
    list(learns.records(task, task + 1))
    return process_time() - began


def show_methods(found: Sequence[MethodRow], console: Console) -> None:
    names, rows = ("fused", "× none", "after tasks", "units firing", "torch", "JAX", "JAX over fused"), []
    for row in found:
        ratios = f"{row.over_none:.2f}", f"{row.after_tasks:.2f}", f"{row.firing:.0%}"
        times = f"{row.torch_us:,.0f}", f"{row.jax_us:,.1f}", f"{row.jax_us / row.fused_us:,.1f}"
        rows.append([row.network, row.method, f"{row.fused_us:.1f}", *ratios, *times])
    console.print("\nMethods on MNIST; × none: learning from the same weights on the same images; after tasks: whole")
    console.print("tasks of networks that have learned with and without the method, in which other units fire")
    show_table(console, ("network", "method"), names, rows)
    if find_spec("jax") is None:
        console.print("JAX is not installed: pip install -e '.[peers]' adds its column")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    for model in ("ffcnn", "agn"):
        found = side_by_side(model)
        rows = [[model, name, f"{us:.2f}", f"{us / found['none']:.2f}"] for name, us in found.items()]
        show_table(Console(), ("model", "method"), ("fused", "× none"), rows)


if __name__ == "__main__":
    command.run(main)
