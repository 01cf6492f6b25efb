"""The README's commands and files, and the same commands at a size for tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.small import ROOT

BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
FILES = {match[1]: text for _, text in BLOCKS if (match := re.match(r"# (\S+/\S+)\n", text))}
COMMANDS = [
    re.split(r"\s+# ", command)[0].strip()
    for kind, text in BLOCKS
    if kind == "bash"
    for command in text.replace("\\\n", " ").strip().splitlines()
]
SET_UP = "python3 -m venv .venv && "
SMALLER = {
    "N=10000,40000": "N=50,100", "K=6500,3000": "K=30,20", "K=6500,4000,3000": "K=30,20", "range(0,10)": "range(0,2)",
    "range(0,30)": "range(0,3)", "range(0,5)": "range(0,2)", "N=1000 ": "N=50 ", "K=650": "K=30",
    "seeds=ten": "seeds=one",
    "--dataset mnist": "--dataset toy", "dataset=mnist,fmnist": "", "dataset=fmnist": "", "dataset=mnist": "",
    "experiment=choices": "experiment=choices seed=0 hydra/launcher=serial",
    "experiment=paper seeds=five": "experiment=paper", "tasks=400": "", "tasks=20": "", "tasks=5": "",
}  # fmt: skip


def smaller(command: str) -> str:
    """On toy data and for two tasks; set-up is left to .ci/run, which does it word for word."""
    command = command.split(" && ")[-1].replace(".venv/bin/python", "python")
    for large, small in SMALLER.items():
        command = command.replace(large, small)
    if "launch/main.py" not in command:
        return command
    size = ["dataset=toy", "tasks=2", "" if re.search(r"\bN=\d", command) else "N=50"]
    return " ".join([command, *size, "" if "tracker" in command else "tracker=none"])


def do(command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", smaller(command)],
        cwd=place,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def lay_out(place: Path) -> Path:
    """Makes a folder look like the repository, with the README's files in it."""
    for name in ("conf", "launch"):
        (place / name).symlink_to(ROOT / name)
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place
