"""Publish to wandb whatever its server does not have yet of the runs in a folder, as often as you like."""

import command  # isort: skip

import argparse
import os
import signal
import sys
from functools import partial

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from plasticity import terminal
from plasticity.ground.errors import Mistake, printable
from plasticity.tracking.streams import hush
from plasticity.tracking.sync import Published, publish, runs


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", help="default: each run's own, as configured by tracker.project")
    parser.add_argument("--entity", help="a user or a team; default: each run's own tracker.entity")
    return command.parsed(parser, "default: outputs")


def main() -> None:
    given = arguments()
    hush()
    signal.signal(signal.SIGINT, partial(_stop, sys.stderr.fileno()))
    defaults = {key: value for key, value in command.tracker_defaults().items() if key == "project"}
    chosen = {key: getattr(given, key) for key in ("project", "entity") if getattr(given, key)}
    done: list[Published] = []
    try:
        folders, failed = runs(given.outputs)
        with _bar() as bar:
            task = bar.add_task("", total=len(folders))
            for outcome in publish(folders, defaults, chosen):
                (done if isinstance(outcome, Published) else failed).append(outcome)  # pyright: ignore
                bar.update(task, advance=1, description=str(outcome.folder.name))
    except Mistake as error:
        sys.exit(f"error: {error}")
    if not folders and not failed:
        return print(f"there is nothing to publish in {given.outputs}")
    for outcome in failed:
        print(printable(f"{outcome.folder}: {outcome.reason}"), file=sys.stderr)
    rows = sum(outcome.rows for outcome in done)
    new = sum(outcome.rows > 0 for outcome in done)
    print(f"{rows} rows of {new} runs published; {len(done) - new} runs were complete, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def _stop(stderr: int, *_: object) -> None:
    """At once: inside wandb a KeyboardInterrupt can get lost, and at an ordinary exit wandb waits for its server."""
    os.write(stderr, b"stopped; run the same command again to continue\n")
    os._exit(130)


def _bar() -> Progress:
    console = terminal.console()
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=console, transient=True, disable=not terminal.lively(console))


if __name__ == "__main__":
    command.run(main)
