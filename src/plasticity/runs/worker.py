"""One run in a process of its own: `python -m plasticity.runs.worker CONFIG`, where CONFIG is a run's `config.yaml`."""

import argparse
import os
import signal
import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from threading import Thread

from plasticity.data import Toy
from plasticity.errors import Mistake
from plasticity.runs.build import learner_on
from plasticity.runs.config import Config
from plasticity.runs.progress import Quiet
from plasticity.runs.resolve import read_config
from plasticity.runs.run import execute
from plasticity.runs.signals import Interrupted


def warm(config: Config) -> None:
    """Has the engine's kernels compiled and cached, by learning two tiny tasks of nothing in particular."""
    toy = Toy()
    tiny = replace(config, model=deepcopy(config.model), N=2 * toy.classes, engine=_on_cpu(config.engine))
    for rule in tiny.model["rules"].values():
        if rule and "K" in rule:
            rule["K"] = toy.classes
    list(learner_on(tiny, toy.load(tiny.N)).records(0, 2))


def _on_cpu(engine: dict) -> dict:
    return {**engine, "device": "cpu"} if "device" in engine else engine  # a login node has no GPU


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
        for path in arguments.config:
            warm(read_config(path)) if arguments.warm else execute(read_config(path), Quiet())
    except Mistake as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        return interrupted.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
