"""The suite's commands, run in processes of their own as a person would."""

import os
import subprocess
import sys
from pathlib import Path

from support import forking
from support.small import ROOT

TOY = ("dataset=toy", "tracker=none", "report=false")


def surroundings() -> dict[str, str]:
    """As they are now, with what fixtures have set; pytest's own width is not that of whoever reads what is said."""
    return {name: value for name, value in os.environ.items() if name != "COLUMNS"}


def command(script: str, *arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "launch" / f"{script}.py"), *arguments]


def start(script: str, *arguments: str, cwd: str | Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(script, *arguments),
        cwd=cwd,
        env=surroundings() | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(script: str, *arguments: str, cwd: str | Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """From a process that has imported everything already, unless what is set is read before that (support.forking)."""
    words, whole = command(script, *arguments), surroundings() | environment
    if forking.forks().can(whole):
        return forking.forks().run(words[1:], cwd, whole, timeout=300)
    return subprocess.run(words, cwd=cwd, env=whole, capture_output=True, text=True, timeout=300, check=False)


def csv_of(outputs: Path) -> list[str]:
    """The one run's tasks.csv below a folder, without its last column, seconds."""
    (path,) = outputs.rglob("tasks.csv")
    return [line.rpartition(",")[0] for line in path.read_text().splitlines()]
