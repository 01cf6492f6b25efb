"""Curves with known answers, in memory and as run folders."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from plasticity.arrays import Floats
from plasticity.results.curves import METRICS, Curve, Trace, curve, digest
from plasticity.rules.growing import paper_K
from plasticity.runs import records
from plasticity.runs.records import Record

SETTINGS = {
    "incoming": "kaiming",
    "outgoing": "uniform:1",
    "first": "torch",
    "initial_weights": "kaiming",
    "bias": True,
    "step_size": 0.001,
    "order": "shuffled",
    "probe": 0.05,
}


def what(name: str, dataset: str = "mnist", N: int = 10_000, **network: Any) -> dict[str, Any]:
    """`name` as claims have it: `aen two`, `ffcnn 3x200`. Equal to what Hydra composes for it."""
    model, size = name.split()
    rest = {"dataset": {"name": dataset}, "N": N, "step_size": 0.001, "order": "shuffled", "probe": 0.05}
    if model == "ffcnn":
        layers, width = map(int, size.split("x"))
        shape = {"layers": layers, "width": width}
        wiring = {
            "_target_": "plasticity.networks.Layered",
            **shape,
            "bias": True,
            "initial_weights": "kaiming",
        }
        rules = {"grow": "plasticity.rules.growing.Never", "prune": "plasticity.rules.pruning.Keep"}
        grow: dict[str, Any] = {"_target_": rules["grow"]}
        body = {"name": model, "label": f"ffcnn-{size}", **shape, "network": wiring | network, "grow": grow}
        return {"model": body | {"prune": {"_target_": rules["prune"]}}, **rest}
    K = paper_K(N, size)
    prune = {"aen": "Dead", "aen_two_layer": "Dead", "aen_random": "Random"}.get(model, "Keep")
    wiring = {
        "_target_": "plasticity.networks.Cascade",
        "lateral": not model.endswith("two_layer"),
        "freezing": model == "sgn",
        "bias": True,
        "incoming": "kaiming",
        "outgoing": "uniform:1",
        "first": "torch",
    }
    body = {"name": model, "label": f"{model}-K{K}", "network": wiring | network}
    body |= {
        "grow": {"_target_": "plasticity.rules.growing.Every", "K": K},
        "prune": {"_target_": f"plasticity.rules.pruning.{prune}"},
    }
    return {"model": body, **rest}


def trace(seed: int, tasks: int = 120, asked: int | None = None, **series: Any) -> Trace:
    """Metrics as numbers or as one value a task; dormancy, units and connections are 0 unless given."""
    values = np.stack([np.broadcast_to(np.asarray(series.get(metric, 0.0), float), tasks) for metric in METRICS])
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
    **columns: Any,
) -> Path:
    """A folder as a run leaves it."""
    place = outputs / what["dataset"]["name"] / f"N{what['N']}" / what["model"]["label"]
    folder = place / f"seed{seed}-{digest(what)}"
    folder.mkdir(parents=True)
    tasks = asked or len(accuracy)
    (folder / "config.yaml").write_text(
        yaml.safe_dump({**what, "seed": seed, "tasks": tasks, "engine": {"name": "fused"}})
    )
    rows = [
        Record(
            task=task,
            accuracy=float(value),
            dormancy=float(columns["dormancy"][task]) if "dormancy" in columns else 0.0,
            dormancy_before_pruning=0.0,
            units=int(columns["units"][task]) if "units" in columns else 5,
            connections=int(columns["connections"][task]) if "connections" in columns else 9000,
            pruned=0,
            added=0,
            effective_rank=1.0,
            weight_magnitude=0.1,
            seconds=0.1,
        )
        for task, value in enumerate(accuracy)
    ]
    records.write(folder / "tasks.csv", rows)
    now = "2026-01-01T00:00:00+00:00"
    status = {"state": state, "tasks_done": len(rows), "tasks": tasks, "started": now, "updated": now}
    (folder / "status.json").write_text(json.dumps({**status, "host": "here", "pid": 1, "job": None, "error": None}))
    return folder
