"""`config.yaml`: the resolved configuration of a run and what it ran on, enough to run it again."""

import platform
import shutil
import subprocess
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

import yaml

from plasticity import __version__
from plasticity.files import replace
from plasticity.runs.config import RAN_ON, Config

AGAIN = "# Again: python launch/main.py --config-path {folder}\n"
# Hydra would otherwise make folders and logs of its own where the command is given.
QUIET = {
    "defaults": ["_self_", {"override hydra/job_logging": "none"}, {"override hydra/hydra_logging": "none"}],
    "hydra": {"run": {"dir": "."}, "output_subdir": None, "job": {"chdir": False}},
}


def write(config: Config, folder: Path) -> None:
    replace(folder / "config.yaml", text(config, folder).encode())


def text(config: Config, folder: Path) -> str:
    whole = QUIET | asdict(config) | {"force": False, RAN_ON: versions()}
    return AGAIN.format(folder=folder.absolute()) + yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)


@cache
def versions() -> dict[str, str | None]:
    packages = {name: version(name) for name in ("numpy", "torch", "numba")}
    return {"python": platform.python_version(), **packages, "plasticity": __version__, "commit": _commit()}


def _commit() -> str | None:
    """The commit that the suite was run from, with a plus if files were changed since."""
    describe = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
    if shutil.which("git") is None:
        return None
    here = Path(__file__).parent
    return subprocess.run(describe, cwd=here, capture_output=True, text=True, check=False).stdout.strip() or None
