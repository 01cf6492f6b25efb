"""What many runs take: their folders are made, and status, sync, claims and figures read them, twice; and composing."""

import command  # isort: skip

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import count, islice
from pathlib import Path
from time import perf_counter

import yaml

from plasticity import terminal
from plasticity.ground.limits import whole
from plasticity.runs import identity
from plasticity.runs.blocks import Loader
from plasticity.runs.folder import CONFIG, find
from plasticity.terminal.tables import Column, table

HERE = Path(__file__).parent
SEEDS = 10
RUN = ("dataset=toy", "N=100", "K=60", "model=aen", "tracker=none")
# What sync.py does before it asks a server, and main.py before it submits anything.
LOOK = "import sys, pathlib; from plasticity.tracking.sync import runs; runs(pathlib.Path(sys.argv[1]))"
COMPOSE = "import sys; sys.path.insert(0, sys.argv[1]); import benchmark_many; benchmark_many.compose(int(sys.argv[2]))"


def make(outputs: Path, runs: int, tasks: int) -> None:
    """Copies of one run under other seeds and step sizes."""
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, HERE / "main.py", *RUN, f"tasks={tasks}", f"outputs={place}"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        (run,) = find(Path(place))
        text = (run.path / CONFIG).read_text()
        for step, seed in islice(((step, seed) for step in count(1) for seed in range(SEEDS)), runs):
            config = yaml.load(text, Loader)
            config["seed"] = config["identity"]["seed"] = seed
            config["identity"]["update"]["step_size"] = step * 1e-4
            what = config["identity"]
            folder = outputs / identity.place(what) / f"seed{seed}-{identity.digest(what)}"
            shutil.copytree(run.path, folder)
            (folder / CONFIG).write_text(yaml.dump(config, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))


def compose(runs: int) -> int:
    """A grid of so many, of ten seeds each, until it would be submitted; how many it has."""
    from hydra.types import RunMode

    from hydra_plugins.plasticity.compose import Composer, loader
    from hydra_plugins.plasticity.expansion import Expansion
    from plasticity.grid.launch import distinct

    loads = loader(HERE.parent / "conf")
    steps = ",".join(f"{step * 1e-5:.5f}" for step in range(1, runs // SEEDS + 1))
    jobs = Expansion(loads, "config").jobs([*RUN, f"step_size={steps}", f"seed=range(0,{SEEDS})"])
    master = loads.load_configuration("config", [], run_mode=RunMode.MULTIRUN)
    return len(distinct(list(Composer(loads, master).configs(jobs))))


def measured(*words: str | Path) -> tuple[float, float, float]:
    """Seconds, seconds of CPU, and the most memory in MB."""
    began = perf_counter()
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    if code:
        raise SystemExit(f"error: {words[0]} ended with {os.waitstatus_to_exitcode(code)}")
    return perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000, help="default: 10,000")
    parser.add_argument("--tasks", type=int, default=200, help="of each; default: 200")
    parser.add_argument("--compose", type=int, default=5_000, metavar="RUNS", help="default: 5,000")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    given = parser.parse_args()
    for name in ("runs", "tasks", "compose"):
        whole(f"--{name}", getattr(given, name), 1)
    if given.json:
        command.check_writable(given.json)
    found = {}
    with tempfile.TemporaryDirectory() as place:
        outputs = Path(place) / "outputs"
        make(outputs, given.runs, given.tasks)
        into = ("--outputs", outputs, "--out", Path(place) / "out")
        commands = {
            "status": (HERE / "status.py", outputs),
            "sync": ("-c", LOOK, outputs),
            "claims": (HERE / "claims.py", *into),
            "figures": (HERE / "figures.py", *into),
        }
        for name, words in commands.items():
            for turn in ("first", "again"):
                found[f"{name} {turn}"] = measured(*words)
    found[f"compose {given.compose:,}"] = measured("-c", COMPOSE, HERE, str(given.compose))
    columns = [Column("command", left=True), Column("seconds"), Column("CPU seconds"), Column("MB")]
    rows = [[name, *(f"{value:.1f}" for value in values)] for name, values in found.items()]
    console = terminal.console()
    terminal.show(console, table(columns, rows, terminal.room(console)))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    command.run(main)
