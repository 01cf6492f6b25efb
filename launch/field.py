"""The comparison with the field's methods: which setting of each contestant is best, and how they do on fresh seeds."""

import command  # isort: skip

import argparse
import sys
from pathlib import Path

import pandas as pd

from hydra_plugins.plasticity.contestants import entries
from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import Mistake
from plasticity.ground.files import write
from plasticity.results import curves, saving
from plasticity.results.field import collect, comparison, page, pictures, selection, tables
from plasticity.results.field.entries import FRESH, Class
from plasticity.runs.growth import SHARE
from plasticity.runs.matching import MEASURES

CONF = Path(__file__).parent.parent / "conf"
PRESET = Path("experiment", "field_chosen.yaml")


def main() -> None:
    args = _arguments()
    parts = [collect.read(args.records)] if args.records else []
    if args.config_dir or not args.records:
        parts.append(_runs(args))
    tried, evaluated = (collect.joined(part) for part in zip(*parts, strict=True))
    _write(args, tried, evaluated)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--outputs", type=Path, default=Path("outputs"), metavar="DIR", help="where the runs are (outputs)"
    )
    parser.add_argument(
        "--records", type=Path, metavar="DIR", help="read the records in DIR, and runs only of contestants of your own"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("outputs/field"), metavar="DIR", help="where to write (outputs/field)"
    )
    parser.add_argument(
        "--config-dir", type=Path, metavar="DIR", help="a folder of your own, with contestants in experiment/field"
    )
    parser.add_argument(
        "--growth", nargs="+", default=["one"], choices=list(SHARE), help="of the AENs that others equal"
    )
    parser.add_argument(
        "--match", nargs="+", default=["connections"], choices=list(MEASURES), help="what they have as much of"
    )
    parser.add_argument("--tasks", type=int, default=400, help="of the runs that evaluate what is chosen (400)")
    parser.add_argument("--seeds", type=int, default=10, help="fresh seeds of those runs (10)")
    return parser.parse_args()


def _runs(args: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of the two parts, from the folders of runs."""
    first, problems = curves.read(args.outputs, range(FRESH))
    fresh, _ = curves.read(args.outputs, range(FRESH, sys.maxsize))
    for problem in problems:
        print(f"note: {problem}")
    cells = dict.fromkeys((curve.dataset, curve.N) for curve in first)
    classes = [Class(*cell, growth, match) for cell in cells for growth in args.growth for match in args.match]
    taking_part = list(entries(presets(CONF, [], [args.config_dir] if args.config_dir else []), classes))
    tried = collect.selection(taking_part, first)
    if not len(tried):
        raise Mistake(f"{args.outputs} has no runs of contestants; python launch/main.py experiment=field makes them")
    lines = {choice.line for choice in selection.choices(tried)}
    return tried, collect.evaluation([entry for entry in taking_part if entry.line in lines], fresh)


def _write(args: argparse.Namespace, tried: pd.DataFrame, evaluated: pd.DataFrame) -> None:
    chosen = selection.choices(tried)
    found = comparison.evaluated(chosen, evaluated)
    texts = {"selection.md": tables.selection(chosen)}
    if found:
        texts |= {"comparison.md": tables.comparison(found), "comparison.csv": tables.comparison_csv(found)}
        texts |= {"report/index.html": page.page(found, tried, chosen)}
    settings = args.config_dir or args.out  # Hydra takes one folder besides its own
    preset = {str(PRESET): tables.preset(chosen, args.tasks, args.seeds)}
    paths = [*write(args.out, texts), *write(settings, preset), *collect.write(args.out, tried, evaluated)]
    for name, canvas in pictures.all_of(found, tried):
        paths += saving.save_canvas(canvas, args.out / "figures", name)
    print(*paths, sep="\n")
    if not found:
        print(f"next, on fresh seeds: python launch/main.py --config-dir {settings} experiment={PRESET.stem}")


if __name__ == "__main__":
    command.run(main)
