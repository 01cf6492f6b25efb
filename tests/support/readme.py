"""The commands and files of every README, and the same commands at a size for tests."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from support.forking import forks
from support.small import ROOT

FILE = re.compile(r"^(?:# @package \S+\n)?# (\S+/\S+\.(?:py|yaml))\n", re.M)  # how a file's text begins in a README
INTERVAL = re.compile(r"[+−]?[\d,.]*\d ± [\d,.]*\d")  # a number and half of its interval, as tables have it
# A script and words that mean the same without a shell.
OWN = re.compile(r"python (launch/\w+\.py)((?: +(?:'[^']*'|[^\s'\"|&;<>$`*()])+)*) *")
SET_UP = "python3 -m venv .venv && "
SMALLER = {
    "N=10000,40000": "N=50,100", "K=6500,3000": "K=30,20", "K=6500,4000,3000": "K=30,20", "range(0,10)": "range(0,2)",
    "range(0,30)": "range(0,3)", "range(0,5)": "range(0,2)", "N=1000 ": "N=50 ", "K=650": "K=30",
    "range(101,104)": "range(0,2)", "range(104,107)": "range(0,2)", "range(104,109)": "range(0,2)",
    "range(102,110)": "range(0,2)", "range(101,106)": "range(0,2)", "range(100,110)": "range(0,1)",
    "N=all init": "init", "model.width=1000": "model.width=20", "model.width=2000": "model.width=20",
    "seed=0,1,2": "seed=0",
    "seeds=ten": "seeds=one", "seeds=five": "seed=0", "--dataset mnist": "--dataset toy",
    "samples=10k": "", "samples=40k": "", "dataset=mnist,fmnist": "", "dataset=fmnist": "", "dataset=mnist": "",
    "seed=0,1": "seed=0",
    **{f"experiment={name}": f"experiment={name} seed=0" for name in (
        *("choices", "abruptness", "kinds", "timing", "probe", "columns", "depth", "shortcut", "long"),
    )},
}  # fmt: skip


def documents() -> list[Path]:
    below = (path for name in ("conf", "launch", "src", "tests") for path in (ROOT / name).rglob("*.md"))
    results = (
        ROOT / "outputs" / name / "README.md"
        for name in ("paper", "paper/choices", "published", "streams", "future", "field")
    )
    return [ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *results, *below]


def blocks(document: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", document.read_text(), re.S)


def commands(document: Path) -> list[str]:
    lines = "".join(blocks(document, "bash")).replace("\\\n", " ").strip().splitlines()
    return [re.split(r"\s+# ", line)[0].strip() for line in lines]


COMMANDS = [command for document in documents() for command in commands(document)]


def files(document: Path) -> dict[str, str]:
    """What a reader is asked to write: a block may hold several files, each begun by its name."""
    found = {}
    for text in (*blocks(document, "python"), *blocks(document, "yaml")):
        starts = [*FILE.finditer(text)]
        ends = [*(start.start() for start in starts[1:]), len(text)][: len(starts)]
        found |= {start[1]: text[start.start() : end] for start, end in zip(starts, ends, strict=True)}
    return found


def smaller(command: str) -> str:
    """On toy data and for two tasks; set-up is left to .ci/run, which does it word for word."""
    whole, command = command, command.split(" && ")[-1].replace(".venv/bin/python", "python")
    for large, small in SMALLER.items():
        command = command.replace(large, small)
    command = re.sub(r"(?<= )tasks=\d+\b", "", command)
    if "launch/main.py" not in command or "--cfg" in command:
        return command
    if "experiment=" in command and "launcher" not in command:
        command += " hydra/launcher=serial"  # a process for each of many runs would take minutes
    data = "" if "dataset=" in command else "dataset=toy"
    drawn = [] if whole.startswith(SET_UP) else ["report=false"]  # once, by the first command, is enough
    size = "" if re.search(r"\bN=\w", command) else "N=50"
    return " ".join([command, data, "tasks=2", size, "" if "tracker" in command else "tracker=none", *drawn])


def do(command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return shell(smaller(command), place, **environment)


def shell(command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of the suite's own begins with everything imported, where that changes nothing (support.forking)."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    whole = os.environ | {"PATH": path} | environment
    if (own := OWN.fullmatch(command)) and forks().can(whole):
        return forks().run([str(place / own[1]), *shlex.split(own[2])], place, whole, timeout=300)
    return subprocess.run(
        ["bash", "-c", command], cwd=place, env=whole, capture_output=True, text=True, check=False, timeout=300
    )


def lay_out(place: Path, document: Path = ROOT / "README.md") -> Path:
    """Makes a folder look like the repository, with the document's files in it."""
    for name in ("conf", "launch"):
        (place / name).symlink_to(ROOT / name)
    for name, text in files(document).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return place
