"""A wandb workspace: a section for each data set and N, models side by side, mean and spread over seeds."""

import io
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import redirect_stderr, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import wandb
import wandb_workspaces.reports.v2 as wr
import wandb_workspaces.workspaces as ws
from wandb.errors import UsageError

from plasticity.ground.errors import Mistake
from plasticity.results.measures import COMPARED, measure
from plasticity.runs.folder import find
from plasticity.tracking.page import CURVE, X, comparison
from plasticity.tracking.server import server, unreachable
from plasticity.tracking.tracker import sentence

NAME = "plasticity"
VIEW = "plasticity"  # what its address ends in: always the same, so that it is updated and not made again
PAPER = (("mnist", 10_000), ("mnist", 40_000), ("fmnist", 10_000), ("fmnist", 40_000))
COLUMNS = ("accuracy_first", "accuracy_last", "accuracy_change", "dormancy_final", "units_settled")
SECONDS = 8.0  # for a server that is there to take it
LINES = 100  # runs in one panel; wandb shows 10 unless told


def settings_in(outputs: Path) -> Sequence[tuple[str, int]]:
    """The data sets and Ns that there are runs of, or the paper's."""
    found = set()
    for folder in find(outputs):
        with suppress(Mistake):  # sync says what is wrong with it
            found.add((folder.what["dataset"]["name"], folder.what["N"]))
    return sorted(found) or PAPER


def workspace(entity: str, project: str, settings: Sequence[tuple[str, int]]) -> ws.Workspace:
    return ws.Workspace(
        entity=entity,
        project=project,
        name=NAME,
        sections=[_section(dataset, N) for dataset, N in settings],
        settings=ws.WorkspaceSettings(x_axis=X, max_runs=LINES),
        runset_settings=ws.RunsetSettings(pinned_columns=[f"summary:{column}" for column in COLUMNS]),
    )


def _section(dataset: str, N: int) -> ws.Section:
    panels = [_panel(f"{comparison(dataset, N)}/{name}", measure(name).stored_axis) for name in COMPARED]
    by_task = ws.SectionPanelSettings(x_axis=X)
    return ws.Section(f"{dataset}, N = {N:,}", panels=list(panels), is_open=True, panel_settings=by_task)


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
    spec = made._to_model().spec.model_dump_json(by_alias=True, exclude_none=True)
    return {"name": made.name, "project": made.project, "spec": json.loads(spec)}


def save(entity: str | None, project: str, settings: Sequence[tuple[str, int]]) -> str:
    """Creates the workspace, or updates the one that is there; returns its address."""
    os.environ["WANDB_ERROR_REPORTING"] = "false"
    try:
        with redirect_stderr(io.StringIO()):
            if wandb.api.api_key and (reason := unreachable()):  # without a key, that is what is wrong
                raise Mistake(f"{reason}; nothing is changed, give the same command again later")
            return _in_time(lambda: _save(entity, project, settings))
    except Mistake:
        raise
    except UsageError as error:  # no API key, or one that is not taken
        raise Mistake(f"wandb: {sentence(error)}") from error
    except Exception as error:  # wandb and wandb-workspaces have many kinds
        raise Mistake(unreachable() or f"wandb: {sentence(error)}") from error


def _in_time(act: Callable[[], str]) -> str:
    """wandb asks a server that does not answer again and again, for minutes."""
    doing: Future[str] = Future()

    def do() -> None:
        try:
            doing.set_result(act())
        except BaseException as error:  # for whoever waits
            doing.set_exception(error)

    Thread(target=do, daemon=True).start()
    try:
        return doing.result(SECONDS)
    except TimeoutError as error:
        raise Mistake(f"{server()} does not answer in time; give the same command again later") from error


def _save(entity: str | None, project: str, settings: Sequence[tuple[str, int]]) -> str:
    owner = entity or wandb.Api().default_entity
    if not owner:
        raise Mistake("the API key belongs to nobody that the server knows; name a user or team with --entity")
    made = workspace(owner, project, settings)
    made._internal_name, made._internal_id = f"nw-{VIEW}-v", _existing(made)
    return made.save().url


def _existing(made: ws.Workspace) -> str:
    try:
        return ws.Workspace.from_url(f"https://wandb.ai/{made.entity}/{made.project}?nw={VIEW}")._internal_id
    except ValueError as error:
        if "not found in project" in str(error):
            return ""
        raise
