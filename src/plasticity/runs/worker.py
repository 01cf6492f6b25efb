"""One run in a process of its own: `python -m plasticity.runs.worker CONFIG`, where CONFIG is a run's `config.yaml`."""

import argparse
import os
import signal
import sys
from dataclasses import fields, replace
from pathlib import Path
from threading import Thread

import yaml
from omegaconf import OmegaConf

from plasticity.data.dataset import CLASSES
from plasticity.errors import Mistake
from plasticity.runs import build
from plasticity.runs.config import Config, resolve
from plasticity.runs.progress import Quiet
from plasticity.runs.run import execute
from plasticity.runs.signals import Interrupted


def read(path: Path) -> Config:
    """The file also says what the run ran on, which is not part of its configuration."""
    try:
        whole = yaml.safe_load(path.read_text())
        return resolve(OmegaConf.create({field.name: whole[field.name] for field in fields(Config)}))
    except (OSError, yaml.YAMLError, TypeError, KeyError) as error:
        raise Mistake(f"{path} is not the configuration of a run: {error!r}") from error


def warm(config: Config) -> None:
    """Has the engine's kernels compiled and cached, by learning one tiny task of nothing in particular."""
    tiny = replace(config, dataset={**config.dataset, "name": "toy"}, N=2 * CLASSES, engine=_on_cpu(config.engine))
    if "K" in tiny.model["grow"]:
        tiny.model["grow"]["K"] = CLASSES
    list(build.learner(tiny).records(0, 2))


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
            warm(read(path)) if arguments.warm else execute(read(path), Quiet())
    except Mistake as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        return interrupted.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
