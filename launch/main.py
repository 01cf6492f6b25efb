"""Compose one run, or with -m a grid of runs, and run it."""

import os
import sys

import hydra
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from sentences import sentence

from plasticity.config import Config, resolve
from plasticity.errors import Mistake
from plasticity.interrupts import Interrupted
from plasticity.run import execute
from plasticity.view import view

ConfigStore.instance().store(name="schema", node=Config)


composed: list[DictConfig] = []


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def compose(config: DictConfig) -> None:
    """Runs come after Hydra, which would put a line of its own before an error; a grid's launcher does them itself."""
    composed.append(config)


def main() -> None:
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # hand errors on, for us to say in one sentence
    try:
        compose()
        for config in map(resolve, composed):
            execute(config, view())
    except Mistake as error:
        sys.exit(f"error: {error}")
    except (HydraException, OmegaConfBaseException) as error:
        sys.exit(f"error: {sentence(error)}")
    except KeyboardInterrupt:  # before any run or job began
        sys.exit(130)
    except Interrupted as interrupted:
        print(f"{interrupted}; saved, and the same command goes on", file=sys.stderr)
        sys.exit(interrupted.code)


if __name__ == "__main__":
    main()
