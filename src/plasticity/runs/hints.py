"""The commands that messages tell to give, with the folder that is in use."""

import shlex
from pathlib import Path

DEFAULT = Path("outputs")  # as conf/config.yaml and the commands have it


def command(script: str, outputs: str | Path, *more: str, flag: str | None = None) -> str:
    """`flag`: what the script takes the folder by; none: as a word of its own."""
    folder = [] if Path(outputs) == DEFAULT else [*([flag] if flag else []), str(outputs)]
    return shlex.join(["python", f"launch/{script}.py", *folder, *more])


def outputs_of(folder: Path) -> Path:
    """Of a run's folder, which lies below it by data set, N and label."""
    return folder.parents[3] if len(folder.parents) > 3 else folder.parent


def figures(outputs: str | Path) -> str:
    return command("figures", outputs, flag="--outputs")
