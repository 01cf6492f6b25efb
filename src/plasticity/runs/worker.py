"""Runs in a process of their own: `python -m plasticity.runs.worker CONFIG`, where CONFIG is a run's `config.yaml`."""

import argparse
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from plasticity.ground import news
from plasticity.ground.errors import LASTING, Mistake, lasting
from plasticity.runs.execution import execute
from plasticity.runs.folder import LOG
from plasticity.runs.progress import Quiet
from plasticity.runs.resolve import read_config
from plasticity.runs.signals import Interrupted
from plasticity.runs.warm import on_cpu, warm


def warm_all(paths: Sequence[Path]) -> None:
    """What cannot be built says so itself, in its own log."""
    with news.heard_by(partial(print, flush=True)):
        for path in paths:
            with suppress(Exception):
                warm(on_cpu(read_config(path)))


def attended(first: Path, told: int) -> Iterator[Path]:
    """That run, and then those that whoever started this process names on its standard input, a line each.

    The file `told` gets a byte when one has finished. Standard input ends when that process dies, even by SIGKILL: the
    run under way saves then, as for a signal.
    """
    given: SimpleQueue[Path | None] = SimpleQueue()
    given.put(first)

    def listen() -> None:
        for line in sys.stdin:
            given.put(Path(json.loads(line)))
        given.put(None)
        if busy.is_set():
            os.kill(os.getpid(), signal.SIGTERM)

    busy = Event()
    Thread(target=listen, daemon=True).start()
    while path := given.get():
        busy.set()
        write_to(path.with_name(LOG))
        yield path
        busy.clear()
        os.write(told, b"\n")


def write_to(log: Path) -> None:
    """What is printed from now on."""
    with log.open("ab") as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m plasticity.runs.worker", description=__doc__)
    parser.add_argument("config", type=Path, nargs="+", help="config.yaml of a run")
    parser.add_argument("--attended", type=int, metavar="FILE", help="stay for the runs that standard input names")
    parser.add_argument("--warm", action="store_true", help="only have the kernels compiled")
    arguments = parser.parse_args()
    runs = arguments.config if arguments.attended is None else attended(arguments.config[0], arguments.attended)
    try:
        if arguments.warm:
            warm_all(arguments.config)
            return 0
        for path in runs:
            execute(read_config(path), Quiet())
    except Mistake as error:
        print(f"error: {error}", file=sys.stderr)
        return LASTING if lasting(error) else 1
    except Interrupted as interrupted:
        return interrupted.code
    except KeyboardInterrupt:  # between two runs
        return 128 + signal.SIGINT
    except Exception as error:
        traceback.print_exc()
        return LASTING if lasting(error) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
