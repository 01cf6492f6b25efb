"""Show which runs are finished, running, waiting or failed, from the run folders and SLURM's queue."""

import command  # isort: skip

import argparse
from pathlib import Path

from plasticity import terminal
from plasticity.grid import listing, notes, state
from plasticity.ground.errors import Mistake
from plasticity.runs import keys

EXAMPLES = """examples:
  python launch/status.py                              every curve below outputs
  python launch/status.py model=aen 'step_size=0.0*'   those with these settings
  python launch/status.py elsewhere --state failed died --runs"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = "the folder that holds the runs (outputs), and settings that they have, as KEY=VALUE, a list or a pattern"
    parser.add_argument("words", nargs="*", metavar="FOLDER, KEY=VALUE", help=words)
    parser.add_argument("--outputs", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--state", nargs="+", choices=state.STATES, help="runs in these states alone")
    parser.add_argument("--runs", action="store_true", help="a row per run, not per curve")
    given = parser.parse_intermixed_args()
    given.words += given.outputs
    given.folders = [word for word in given.words if "=" not in word or Path(word).is_dir()]
    given.wanted = [word for word in given.words if word not in given.folders]
    return given


def main() -> None:
    given = arguments()
    if len(given.folders) > 1:
        raise Mistake(f"{' '.join(given.folders)} are several folders; name one, and settings as KEY=VALUE")
    outputs = Path(*given.folders or ["outputs"])
    if not outputs.is_dir():
        raise Mistake(f"{outputs} is not a folder; run something first, or name the folder of the runs")
    console, (runs, problems) = terminal.console(), state.find(outputs)
    chosen = keys.matching([seen.what for seen in runs], given.wanted) if runs else []
    runs = [seen for seen, wanted in zip(runs, chosen, strict=True) if wanted]
    runs = [seen for seen in runs if given.state is None or seen.state in given.state]
    (listing.of_runs if given.runs else listing.of_curves)(runs, console)
    listing.complaints(runs, console)
    terminal.show(console, [*problems, *notes.of_seen(outputs, runs), state.count(seen.state for seen in runs)])


if __name__ == "__main__":
    command.run(main)
