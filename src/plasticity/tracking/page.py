"""What a run looks like on wandb, read off its folder: its name and tags, its curves, and its summary."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.results.measures import COMPARED, MEASURES, measure
from plasticity.runs import measuring
from plasticity.runs.folder import Folder
from plasticity.runs.identity import What, curve, curve_key, grows_every
from plasticity.runs.keys import apart, said
from plasticity.runs.summary import Summary, window

X = "task"
# A section of a dashboard cannot choose its runs, but only runs that have a key are drawn. So the measures that models
# are compared by are also kept under the name of their data set and N.
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
    layers: int  # hidden ones, of a layered network; 0 of another
    config: dict[str, Any]

    @staticmethod
    def of(folder: Path) -> "Page":
        run = Folder(folder)
        return _page(folder, run.config, run.what)

    def point(self, record: Record) -> dict[str, float]:
        """Whatever the row has, under its section; what is missing is left out."""
        columns = {**record, "us_per_sample": 1e6 * record["seconds"] / self.N}
        there = {name: value for name, value in columns.items() if name != X and isfinite(value)}
        by_section = {f"{measure(name).section}/{name}": value for name, value in there.items()}
        compared = {f"{self.comparison}/{name}": there[name] for name in COMPARED if name in there}
        return {X: record["task"]} | by_section | compared

    @property
    def keys(self) -> list[str]:
        own = measuring.columns(self.config["measures"], self.layers)
        by_section = [f"{measure(name).section}/{name}" for name in (*MEASURES, *own)]
        return by_section + [f"{self.comparison}/{name}" for name in COMPARED]


def _page(folder: Path, config: dict[str, Any], what: What) -> Page:
    dataset, N, label, grows = what["dataset"]["name"], what["N"], what["label"], grows_every(what)
    words = " ".join([label, *([own] if (own := _unlike(folder, what)) else [])])
    tags = (dataset, f"N{N}", *((f"K{grows}",) if grows else ()), config["engine"].get("name", what["engine"]["kind"]))
    shown = {key: value for key, value in config.items() if key not in ("defaults", "hydra", "identity")}
    return Page(
        id=folder.name.rpartition("-")[2],
        name=f"{dataset}/N{N}/{words}/{folder.name}"[-LONGEST["name"] :],
        model=what["model"]["name"],
        tags=tuple(tag[: LONGEST["tag"]] for tag in tags),
        N=N,
        comparison=comparison(dataset, N),
        layers=what["model"]["network"].get("layers", 0),
        config=shown | {CURVE: f"{words} {curve_key(what)}"},
    )


def _unlike(folder: Path, what: What) -> str:
    """What tells it apart from the other curves of its label: those of the runs with its seed that lie beside it."""
    beside = []
    for path in sorted(folder.parent.glob(f"{folder.name.partition('-')[0]}-*")):
        with suppress(Mistake):
            beside.append(curve(Folder(path).what))
    mine = curve(what)
    return next((said(each) for each, other in zip(apart(beside), beside, strict=True) if other == mine), "")


def summary(rows: Sequence[Record]) -> dict[str, float]:
    whole, end = Summary.of(rows), rows[-window(len(rows)) :]
    return {
        "accuracy_first": whole.first,
        "accuracy_last": whole.last,
        "accuracy_change": whole.last - whole.first,
        "dormancy_final": whole.dormancy,
        "units_final": whole.units,
        "connections_final": whole.connections,
        "units_settled": sum(row["units"] for row in end) / len(end),
        "connections_settled": sum(row["connections"] for row in end) / len(end),
        "tasks_done": whole.tasks,
    }
