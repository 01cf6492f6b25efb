"""Disturbs grids for as long as wanted: `python -m tests.chaos --minutes 60 --seed 1`, from the repository's folder."""

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import cluster

from chaos.rounds import LAUNCHERS, endure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2, help="for all places together (2)")
    parser.add_argument("--seed", type=int, default=0, help="decides what is done to whom (0)")
    parser.add_argument("--where", nargs="+", choices=LAUNCHERS, default=list(LAUNCHERS), help="local, slurm or both")
    parser.add_argument("--round-seconds", type=float, default=40, help="how long one grid is disturbed (40)")
    given = parser.parse_args()
    seconds = given.minutes * 60 / len(given.where)
    for where in given.where:
        with cluster.running() if where == "slurm" else nullcontext():
            folder = Path(tempfile.mkdtemp(prefix=f"chaos-{where}-"))
            print(f"{where}: {folder}", flush=True)
            events = endure(where, seconds, given.round_seconds, given.seed, folder)
        for what, number in sorted(events.items()):
            print(f"{number:6} {what}")
        total = sum(events.values()) - events["grids"] - events["the same command again"]
        print(f"{where}: {total} disturbances of {events['grids']} grids; every number as if undisturbed", flush=True)


if __name__ == "__main__":
    main()
