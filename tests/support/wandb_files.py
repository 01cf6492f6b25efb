"""Reading back what wandb's offline mode wrote."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plasticity.tracking import offline


@dataclass
class Offline:
    run: Any = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    axes: dict[str, str] = field(default_factory=dict)  # a key's x-axis
    summary: dict[str, Any] = field(default_factory=dict)
    exit_code: int | None = None

    @property
    def config(self) -> dict[str, Any]:
        return {item.key: json.loads(item.value_json) for item in self.run.config.update}


def read(path: Path) -> Offline:
    found = Offline()
    for record in offline.records(path):
        match record.WhichOneof("record_type"):
            case "run":
                found.run = record.run
            case "history":
                found.rows.append(_items(record.history.item))
            case "summary":
                found.summary |= _items(record.summary.update)
            case "metric":
                found.axes[record.metric.name] = record.metric.step_metric
            case "exit":
                found.exit_code = record.exit.exit_code
    return found


def _items(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}
