"""One run in a process of its own: `python -m plasticity.runs.worker CONFIG`, where CONFIG is a run's `config.yaml`."""

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread

from plasticity.ground import news
from plasticity.ground.errors import LASTING, Mistake, lasting
from plasticity.runs.execution import execute
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


def stop_with_parent() -> None:
    """Standard input ends when whoever started this process dies, even by SIGKILL; save then, as for a signal."""

    def watch() -> None:
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=watch, daemon=True).start()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m plasticity.runs.worker", description=__doc__)
    parser.add_argument("config", type=Path, nargs="+", help="config.yaml of a run")
    parser.add_argument("--attended", action="store_true", help="stop, saving, when standard input ends")
    parser.add_argument("--warm", action="store_true", help="only have the kernels compiled")
    arguments = parser.parse_args()
    if arguments.attended:
        stop_with_parent()
    try:
        if arguments.warm:
            warm_all(arguments.config)
            return 0
        for path in arguments.config:
            execute(read_config(path), Quiet())
    except Mistake as error:
        print(f"error: {error}", file=sys.stderr)
        return LASTING if lasting(error) else 1
    except Interrupted as interrupted:
        return interrupted.code
    except Exception as error:
        traceback.print_exc()
        return LASTING if lasting(error) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
