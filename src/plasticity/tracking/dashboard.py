"""A wandb workspace for a project: one section for each data set and N, models side by side, mean and spread over seeds."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import wandb
import wandb_workspaces.reports.v2 as wr
import wandb_workspaces.workspaces as ws

from plasticity.errors import Mistake
from plasticity.tracking.page import SECTIONS, X, comparison
from plasticity.tracking.tracker import sentence

NAME = "plasticity"
VIEW = "plasticity"  # what its address ends in: always the same, so that it is updated and not made again
PAPER = (("mnist", 10_000), ("mnist", 40_000), ("fmnist", 10_000), ("fmnist", 40_000))
CURVE = "model.label"  # runs that share it differ in their seed alone, within a section
PANELS = {
    "accuracy": "accuracy",
    "dormancy": "dormancy, share of units",
    "units": "hidden units",
    "connections": "connections",
    "effective_rank": "effective rank",
    "us_a_sample": "cost, µs a sample",
}
COLUMNS = ("accuracy_first_10", "accuracy_last_10", "accuracy_change", "dormancy_final", "units_settled")
LINES = 100  # runs in one panel; wandb shows 10 unless told


def settings_in(outputs: Path) -> Sequence[tuple[str, int]]:
    """The data sets and Ns that there are runs of, or the paper's."""
    folders = sorted(path for path in outputs.glob("*/N*") if path.is_dir() and path.name[1:].isdigit())
    return [(path.parent.name, int(path.name[1:])) for path in folders] or PAPER


def workspace(entity: str, project: str, settings: Sequence[tuple[str, int]]) -> ws.Workspace:
    sections = [_section(dataset, N) for dataset, N in sorted(settings)]
    return ws.Workspace(
        entity=entity,
        project=project,
        name=NAME,
        sections=[*sections, _all_runs()],
        settings=ws.WorkspaceSettings(x_axis=X, max_runs=LINES),
        runset_settings=ws.RunsetSettings(pinned_columns=[f"summary:{column}" for column in COLUMNS]),
    )


def _section(dataset: str, N: int) -> ws.Section:
    panels = [_panel(f"{comparison(dataset, N)}/{column}", title) for column, title in PANELS.items()]
    return ws.Section(f"{dataset}, N = {N:,}", panels=list(panels), is_open=True)


def _all_runs() -> ws.Section:
    keys = [f"{section}/{column}" for section, columns in SECTIONS.items() for column in columns]
    return ws.Section("all runs", panels=[_panel(key, key.replace("_", " ")) for key in keys])


def _panel(key: str, title: str) -> wr.LinePlot:
    return wr.LinePlot(
        title=title,
        x=X,
        y=[key],
        title_x=X,
        title_y=title,
        groupby=wr.Config(CURVE),
        groupby_aggfunc="mean",
        groupby_rangefunc="stddev",
        max_runs_to_show=LINES,
    )


def specification(made: ws.Workspace) -> dict[str, Any]:
    """What the server is sent."""
    spec = made._to_model().spec
    return {"name": made.name, "project": made.project, "spec": json.loads(spec.model_dump_json(by_alias=True))}


def save(entity: str | None, project: str, settings: Sequence[tuple[str, int]]) -> str:
    """Creates the workspace, or updates the one that is there; returns its address."""
    try:
        api = wandb.Api()
        made = workspace(entity or api.default_entity or "", project, settings)
        made._internal_name, made._internal_id = f"nw-{VIEW}-v", _existing(made)
        return made.save().url
    except (wandb.Error, ValueError, OSError) as error:
        raise Mistake(f"wandb: {sentence(error)}") from error


def _existing(made: ws.Workspace) -> str:
    try:
        return ws.Workspace.from_url(f"https://wandb.ai/{made.entity}/{made.project}?nw={VIEW}")._internal_id
    except ValueError:  # how wandb-workspaces says that there is none
        return ""
