"""The state of all runs below a folder, from the run folders alone: python launch/status.py [outputs]."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from plasticity.grid import listing, state


def main() -> None:
    parser = argparse.ArgumentParser(description="Shows which runs are finished, running, waiting or failed.")
    parser.add_argument("outputs", type=Path, nargs="?", default=Path("outputs"), help="folder (default: outputs)")
    outputs = parser.parse_args().outputs
    if not outputs.is_dir():
        sys.exit(f"error: {outputs} is not a folder")
    console, (runs, problems) = Console(highlight=False), state.find(outputs)
    listing.listing(runs, console)
    listing.complaints(runs, console)
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    console.print(state.count(seen.state for seen in runs))


if __name__ == "__main__":
    main()
