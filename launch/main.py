"""Compose one run, or with -m a grid of runs, and run it."""

import os
import sys

import hydra
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from plasticity.config import Config, resolve
from plasticity.errors import Mistake
from plasticity.interrupts import Interrupted
from plasticity.run import execute
from plasticity.view import view

ConfigStore.instance().store(name="schema", node=Config)


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def compose_and_run(config: DictConfig) -> None:
    execute(resolve(config), view())


def main() -> None:
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # hand errors on, for us to say in one sentence
    try:
        compose_and_run()
    except (Mistake, HydraException, OmegaConfBaseException) as error:
        sys.exit(f"error: {error}")
    except Interrupted as interrupted:
        print(f"{interrupted}; saved, and the same command goes on", file=sys.stderr)
        sys.exit(interrupted.code)


if __name__ == "__main__":
    main()
