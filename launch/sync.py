"""Publish to wandb whatever its server does not have yet of the runs in a folder, as often as you like."""

import argparse
import os
import signal
import sys
from functools import partial
from pathlib import Path

import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from plasticity.errors import Mistake
from plasticity.tracking.streams import hush
from plasticity.tracking.sync import Published, Unpublished, publish, runs

DEFAULTS = Path(__file__).parents[1] / "conf" / "tracker" / "wandb.yaml"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outputs", type=Path, nargs="?", default=Path("outputs"), help="default: outputs")
    parser.add_argument("--project", help="default: each run's own, as configured by tracker.project")
    parser.add_argument("--entity", help="a user or a team; default: each run's own tracker.entity")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    hush()
    signal.signal(signal.SIGINT, partial(_stop, sys.stderr.fileno()))
    defaults = {key: value for key, value in yaml.safe_load(DEFAULTS.read_text()).items() if key == "project"}
    chosen = {key: getattr(given, key) for key in ("project", "entity") if getattr(given, key)}
    done: list[Published] = []
    failed: list[Unpublished] = []
    try:
        folders = runs(given.outputs)
        with _bar() as bar:
            task = bar.add_task("", total=len(folders))
            for outcome in publish(folders, defaults, chosen):
                (done if isinstance(outcome, Published) else failed).append(outcome)  # pyright: ignore
                bar.update(task, advance=1, description=str(outcome.folder.name))
    except Mistake as error:
        sys.exit(f"error: {error}")
    if not folders:
        return print(f"there is nothing to publish in {given.outputs}")
    for outcome in failed:
        print(f"{outcome.folder}: {outcome.reason}", file=sys.stderr)
    rows = sum(outcome.rows for outcome in done)
    new = sum(outcome.rows > 0 for outcome in done)
    print(f"{rows} rows of {new} runs published; {len(done) - new} runs were complete, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def _stop(stderr: int, *_: object) -> None:
    """At once: inside wandb a KeyboardInterrupt can get lost, and at an ordinary exit wandb waits for its server."""
    os.write(stderr, b"stopped; run the same command again to continue\n")
    os._exit(130)


def _bar() -> Progress:
    console = Console(file=sys.stdout, highlight=False)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


if __name__ == "__main__":
    main()
