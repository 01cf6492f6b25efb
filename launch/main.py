"""Compose one run, or with -m a grid of runs, and run it."""

import os
import sys

import hydra
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from sentences import sentence

from plasticity.errors import Mistake
from plasticity.runs.config import Config
from plasticity.runs.progress import view
from plasticity.runs.resolve import resolve
from plasticity.runs.run import execute
from plasticity.runs.signals import Interrupted

# What says how and for how long a sweep is run, not what it is.
INCIDENTAL = ("tasks=", "outputs=", "data=", "force=", "checkpoint_seconds=", "tracker", "hydra")

# Errors of Hydra's that have no class of their own.
HINTS = {
    "Only one of --run": "-m runs a grid, and another flag only shows something; leave out -m to look at one run",
    "Config group override must be a string": "a group cannot be null; choose one of its files, as tracker=none",
    "Hydra launcher is not configured": "hydra.launcher cannot be null; choose hydra/launcher=local, serial or slurm",
}

ConfigStore.instance().store(name="schema", node=Config)


composed: list[DictConfig] = []


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def compose(config: DictConfig) -> None:
    """Runs come after Hydra, which would put a line of its own before an error; a grid's launcher does them itself."""
    composed.append(config)


def group(arguments: list[str]) -> str | None:
    """What runs that are started together are tracked under: their experiment, or what is swept."""
    overrides = [argument for argument in arguments if "=" in argument and not argument.startswith("-")]
    experiments = [override.partition("=")[2] for override in overrides if override.startswith("experiment=")]
    sweeping = {"-m", "--multirun"} & set(arguments) or any(name.startswith("seeds=") for name in overrides)
    deciding = [override for override in overrides if not override.startswith(INCIDENTAL)]
    return experiments[-1] if experiments else " ".join(deciding) if sweeping and deciding else None


def main() -> None:
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # hand errors on, for us to say in one sentence
    if name := group(sys.argv[1:]):
        os.environ.setdefault("PLASTICITY_GROUP", name)  # jobs on other machines inherit it
    try:
        compose()
        for config in map(resolve, composed):
            execute(config, view())
    except Mistake as error:
        sys.exit(f"error: {error}")
    except (HydraException, OmegaConfBaseException) as error:
        sys.exit(f"error: {sentence(error)}")
    except (ValueError, RuntimeError) as error:
        if not (hint := next((said for start, said in HINTS.items() if str(error).startswith(start)), None)):
            raise
        sys.exit(f"error: {hint}")
    except KeyboardInterrupt:  # before any run or job began
        sys.exit(130)
    except Interrupted as interrupted:
        print(f"{interrupted}; saved; run the same command again to continue", file=sys.stderr)
        sys.exit(interrupted.code)


if __name__ == "__main__":
    main()
