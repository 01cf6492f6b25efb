"""Compose one run, or with -m a grid of runs, and run it."""

import command  # isort: skip

import os
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import again
import arguments
import hydra
import manual
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import DictConfig

from hydra_plugins.plasticity import launchers
from plasticity import terminal
from plasticity.ground.errors import Mistake
from plasticity.runs import hints
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.progress import view
from plasticity.runs.resolve import resolve
from plasticity.runs.signals import Interrupted

CONF = Path(__file__).parents[1] / "conf"
# What says how and for how long a sweep is run, not what it is.
INCIDENTAL = ("report=", "tasks=", "outputs=", "data=", "force=", "checkpoint_seconds=", "tracker", "hydra")

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


def own_folders(words: list[str]) -> list[str]:
    return [words[place + 1] for place, word in enumerate(words[:-1]) if word in ("--config-dir", "-cd")]


def help_on(words: list[str]) -> str:
    return manual.text(CONF, list(map(Path, own_folders(words))), words, terminal.console().width)


def leave_pictures(outputs: str, folders: list[str]) -> None:
    """What came of a grid; whatever is wrong with a picture is not wrong with its runs."""
    import figures

    print("drawing figures and report (report=false: leave them)", flush=True)
    try:
        with redirect_stdout(StringIO()):
            figures.main(["--outputs", outputs, *(word for folder in folders for word in ("--config-dir", folder))])
    except (Mistake, OSError, HydraException) as error:
        return print(f"nothing is drawn: {error}")
    print(f"figures: {Path(outputs) / 'figures'}\nreport:  {Path(outputs) / 'report' / 'index.html'}")
    print(f"next: open the report in a browser, or {hints.figures(outputs)} --help for figures of your choice")


def main() -> None:
    if arguments.asks_for_help(sys.argv):
        return print(help_on(sys.argv[1:]))
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # hand errors on, for us to say in one sentence
    sys.argv[1:] = arguments.tidy(again.found(sys.argv[1:]))
    if name := group(sys.argv[1:]):
        os.environ.setdefault("PLASTICITY_GROUP", name)  # jobs on other machines inherit it
    try:
        compose()
        for config in map(resolve, composed):
            execute(config, view())
        for outputs in launchers.ended:
            leave_pictures(outputs, own_folders(sys.argv[1:]))
    except (ValueError, RuntimeError) as error:
        if not (hint := next((said for start, said in HINTS.items() if str(error).startswith(start)), None)):
            raise
        raise Mistake(hint) from error
    except Interrupted as interrupted:
        print(f"{interrupted}; saved; run the same command again to continue", file=sys.stderr)
        sys.exit(interrupted.code)


if __name__ == "__main__":
    command.run(main)
