"""Curves with known answers, in memory and as run folders."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from plasticity.ground.arrays import Floats
from plasticity.record import Record
from plasticity.results.curves import Curve, Trace, curve
from plasticity.results.measures import KEPT, PRUNING
from plasticity.runs import identity, rows
from plasticity.runs.growth import paper_K

SETTINGS = {
    "init.incoming": "kaiming",
    "init.outgoing": "uniform:1",
    "init.first": "torch",
    "init.layers": "kaiming",
    "init.outputs": None,
    "bias": True,
    "step_size": 0.001,
    "order": "shuffled",
    "probe": 0.05,
    "stream": "permuted",
    "update": "sgd",
}
DATASETS = {"mnist": "MNIST", "fmnist": "FashionMNIST", "toy": "Toy"}
PRUNES = {"aen": "Dead", "aen_two_layer": "Dead", "aen_random": "RandomUnits"}


def what(name: str, dataset: str = "mnist", N: int = 10_000, **network: Any) -> dict[str, Any]:
    """`name` as claims have it: `aen two`, `ffcnn 3x200`. Equal to what Hydra composes for it."""
    model, size = name.split()
    rules: list[Any] = []
    if model == "ffcnn":
        label = f"ffcnn-{size}"
        layers, width = map(int, size.split("x"))
        wiring = {"kind": "Layered", "layers": layers, "width": width, "bias": True, "initial_weights": "kaiming"}
    else:
        K = paper_K(N, size)
        label = f"{model}-K{K}"
        rules = [["prune", {"kind": PRUNES[model]}]] if model in PRUNES else []
        rules.append(["grow", {"kind": "Every", "K": K}])
        wiring = {
            "kind": "Cascade",
            "lateral": not model.endswith("two_layer"),
            "freezing": model == "sgn",
            "bias": True,
            "incoming": "kaiming",
            "outgoing": "uniform:1",
            "first": "torch",
        }
    return {
        "label": label,
        "model": {"name": model, "network": wiring | network, "rules": rules},
        "dataset": {"name": dataset, "kind": DATASETS[dataset]},
        "N": N,
        "stream": {"kind": "Permuted", "order": "shuffled"},
        "probe": 0.05,
        "update": {"kind": "SGD", "step_size": 0.001},
    }


def trace(seed: int, tasks: int = 120, asked: int | None = None, **series: Any) -> Trace:
    """Metrics as numbers or as one value a task; dormancy, units and connections are 0 unless given."""
    values = {metric: np.zeros(tasks) + np.asarray(series.get(metric, 0.0), float) for metric in KEPT}
    values |= {name: np.zeros(tasks) + np.asarray(series[name], float) for name in PRUNING if name in series}
    return Trace(seed, values, 1.0, tasks, f"seed{seed}", asked or tasks, "finished")


def family(name: str, seeds: int = 5, tasks: int = 120, noise: float = 0.002, **series: Any) -> Curve:
    """Seeds around the same course."""
    place = {key: series.pop(key) for key in ("dataset", "N") if key in series}
    traces = []
    for seed in range(seeds):
        rng = np.random.default_rng([seed, len(name)])
        accuracy = np.asarray(series.get("accuracy", 0.8)) + rng.normal(0, noise, tasks)
        traces.append(trace(seed, tasks, **{**series, "accuracy": accuracy}))
    return curve(what(name, **place), traces)


def write_run(
    outputs: Path,
    what: Mapping[str, Any],
    seed: int,
    accuracy: Sequence[float] | Floats,
    asked: int | None = None,
    state: str = "finished",
    error: str | None = None,
    lacking: Collection[str] = (),
    **columns: Any,
) -> Path:
    """A folder as a run leaves it; `lacking`: columns that its tasks.csv does not have."""
    whole = {**what, "engine": {"kind": "Fused"}, "seed": seed}
    folder = outputs / identity.place(whole) / f"seed{seed}-{identity.digest(whole)}"
    folder.mkdir(parents=True)
    tasks = asked or len(accuracy)
    config = {
        "model": {"name": what["model"]["name"], "label": what["label"]},
        "dataset": {"name": what["dataset"]["name"]},
        "engine": {"name": "fused"},
        "tracker": {"name": "none"},
        "measures": {},
    }
    config |= {"N": what["N"], "seed": seed, "tasks": tasks, "identity": whole, "ran_on": []}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    made = []
    for task, value in enumerate(accuracy):
        row = {
            "task": task,
            "accuracy": float(value),
            "accuracy_first_tenth": float(value),
            "accuracy_last_tenth": float(value),
            "loss": 1.0,
            "dormancy": float(columns["dormancy"][task]) if "dormancy" in columns else 0.0,
            "dormancy_before_pruning": 0.0,
            "units": int(columns["units"][task]) if "units" in columns else 5,
            "connections": int(columns["connections"][task]) if "connections" in columns else 9000,
            "effective_rank": 1.0,
            "weight_magnitude": 0.1,
            "memory": 36_000,
            "pruned": 0,
            "added": 0,
            "renewed": 0,
            "work": 10**9,
            "seconds": 0.1,
        }
        made.append(Record({name: value for name, value in row.items() if name not in lacking}))
    rows.write(folder / "tasks.csv", made)
    now = "2026-01-01T00:00:00+00:00"
    status = {"state": state, "tasks_done": len(made), "tasks": tasks, "started": now, "updated": now}
    (folder / "status.json").write_text(json.dumps({**status, "host": "here", "pid": 1, "job": None, "error": error}))
    return folder
