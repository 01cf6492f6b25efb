"""What a run looks like on wandb, read off its folder: its name and tags, its curves, and its summary."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from plasticity.errors import Mistake
from plasticity.results.curves import Loader, digest
from plasticity.runs import checkpoint, records, status
from plasticity.runs.records import Record
from plasticity.runs.summary import ENDS, Summary

X = "task"
# wandb makes one section of panels for each word before a slash.
SECTIONS = {
    "accuracy": ("accuracy",),
    "dormancy": ("dormancy", "dormancy_before_pruning"),
    "size": ("units", "connections", "added", "pruned"),
    "plasticity": ("effective_rank", "weight_magnitude"),
    "cost": ("seconds", "us_a_sample"),
}
# A section of a dashboard cannot choose its runs, but only runs that have a key are drawn. So what models are
# compared by is also kept under the name of its data set and N.
COMPARED = ("accuracy", "dormancy", "units", "connections", "effective_rank", "us_a_sample")
CURVE = "curve"  # of the configuration: what runs that differ in their seed alone share
LONGEST = {"name": 128, "tag": 64}  # what wandb takes


def comparison(dataset: str, N: int) -> str:
    return f"{dataset}-N{N}"


@dataclass(frozen=True)
class Page:
    id: str
    name: str
    model: str
    tags: tuple[str, ...]
    N: int
    comparison: str
    config: dict[str, Any]

    @staticmethod
    def of(folder: Path) -> "Page":
        try:
            return _page(folder, yaml.load((folder / "config.yaml").read_text(), Loader))
        except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            raise Mistake(f"{folder / 'config.yaml'} is not a run's configuration ({error})") from error

    def point(self, record: Record) -> dict[str, float]:
        columns = record.row() | {"us_a_sample": 1e6 * record.seconds / self.N}
        by_section = {f"{section}/{name}": columns[name] for section, names in SECTIONS.items() for name in names}
        compared = {f"{self.comparison}/{name}": columns[name] for name in COMPARED}
        return {X: record.task} | by_section | compared

    @property
    def keys(self) -> list[str]:
        by_section = [f"{section}/{name}" for section, names in SECTIONS.items() for name in names]
        return by_section + [f"{self.comparison}/{name}" for name in COMPARED]


def every(folder: Path) -> list[Record]:
    return records.read(folder / "tasks.csv")


def certain(folder: Path) -> list[Record]:
    """The rows that nothing can change: all of a finished run; else those that a checkpoint holds, because a run that
    is killed makes the others anew, in other seconds, and what a server has taken stays."""
    return every(folder) if status.finished(folder) else every(folder)[: checkpoint.rows(folder)]


def _page(folder: Path, config: dict[str, Any]) -> Page:
    dataset, model, N = config["dataset"]["name"], config["model"], config["N"]
    grows = model["grow"].get("K")
    curve = f"{model['label']} {digest(config)}"
    tags = (dataset, f"N{N}", *((f"K{grows}",) if grows else ()), config["engine"]["name"])
    return Page(
        id=folder.name.rpartition("-")[2],
        name=f"{dataset}/N{N}/{model['label']}/{folder.name}"[-LONGEST["name"] :],
        model=model["name"],
        tags=tuple(tag[: LONGEST["tag"]] for tag in tags),
        N=N,
        comparison=comparison(dataset, N),
        config={key: value for key, value in config.items() if key not in ("defaults", "hydra")} | {CURVE: curve},
    )


def summary(rows: Sequence[Record]) -> dict[str, float]:
    whole, end = Summary.of(rows), rows[-ENDS:]
    return {
        "accuracy_first_10": whole.first,
        "accuracy_last_10": whole.last,
        "accuracy_change": whole.last - whole.first,
        "dormancy_final": whole.dormancy,
        "units_final": whole.units,
        "connections_final": whole.connections,
        "units_settled": sum(row.units for row in end) / len(end),
        "connections_settled": sum(row.connections for row in end) / len(end),
        "tasks_done": whole.tasks,
    }
