"""What the commands share: an error is one sentence, and Ctrl-C, a closed pipe or plain letters end in no traceback."""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

# Imports take a second or two, in which nothing is lost. Imported first, so that a Ctrl-C meanwhile ends at once.
if Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent:
    signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))


def parsed(parser: argparse.ArgumentParser, hint: str) -> argparse.Namespace:
    """The folder of the runs comes first, or after --outputs as in the commands that read records, too."""
    parser.add_argument("first", metavar="outputs", type=Path, nargs="?", help=hint)
    parser.add_argument("--outputs", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first and given.outputs:
        parser.error(f"{given.first} and {given.outputs} are two folders of runs; name one")
    given.named = bool(given.first or given.outputs)
    given.outputs = given.first or given.outputs or Path("outputs")
    return given


def check_writable(path: Path) -> None:
    """Before the work that it is to hold."""
    from plasticity.ground.errors import Mistake

    if not path.parent.is_dir():
        raise Mistake(f"{path} cannot be written: {path.parent} is not a folder")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Mistake(f"{path} cannot be written; name a file in a folder of yours")


def tracker_defaults() -> dict[str, str | None]:
    """As conf has them, with what wandb's own variables say."""
    from omegaconf import OmegaConf

    found = OmegaConf.load(Path(__file__).parents[1] / "conf" / "tracker" / "wandb.yaml")
    return {key: found[key] for key in ("project", "entity")}  # pyright: ignore[reportArgumentType]


def run(main: Callable[[], None]) -> None:
    """Does it, and ends with its exit code."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    from hydra_plugins.plasticity.sentences import sentence
    from plasticity import terminal
    from plasticity.ground.errors import Mistake

    terminal.take_streams()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except Mistake as error:
        sys.exit(f"error: {error}")
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        sys.exit(f"error: {sentence(error)}")
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        sys.exit(f"error: {what}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
