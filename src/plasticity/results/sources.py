"""Where figures, table and claims read from: run folders, or committed records."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plasticity.errors import Mistake
from plasticity.results import archive, curves
from plasticity.results.curves import Curve
from plasticity.results.paper.statements import in_order


@dataclass(frozen=True)
class Source:
    curves: Sequence[Curve]
    problems: Sequence[str]
    origin: Path  # what was read
    folder: Path  # where to write
    outputs: Path  # where the run folders are, or were


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--outputs", type=Path, default=Path("outputs"), help="where the run folders are (outputs)")
    parser.add_argument("--records", type=Path, help="read DIR/records, written by --save-records, instead of runs")
    parser.add_argument("--dataset", help="this data set alone")
    parser.add_argument("--out", type=Path, help="where to write (the folder that was read)")
    hint = "settings that the runs were given, e.g. init.outgoing=zero; the defaults otherwise"
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help=hint)


def read(args: argparse.Namespace) -> Source:
    for override in args.overrides:
        if "=" not in override:
            raise Mistake(f"{override} is not a setting; write KEY=VALUE, or see --help")
        if override.partition("=")[0] in ("experiment", "model"):
            raise Mistake(f"{override} says what to run, not how; --figure chooses what is drawn")
    if args.records and args.overrides and not args.out:
        raise Mistake(f"other settings would write over what {args.records} has; name another folder with --out")
    if args.records:
        return _of(args, archive.read(args.records / "records"), [], args.records)
    return _of(args, *curves.read(args.outputs), args.outputs)


def _of(args: argparse.Namespace, found: Sequence[Curve], problems: Sequence[str], folder: Path) -> Source:
    names = sorted({curve.dataset for curve in found})
    if not names:
        first = f" ({problems[0]})" if problems else ""
        raise Mistake(f"{folder} has no run with a finished task{first}")
    if args.dataset and args.dataset not in names:
        raise Mistake(f"--dataset {args.dataset} has no runs in {folder}; there are runs of {', '.join(names)}")
    kept = in_order(curve for curve in found if args.dataset in (None, curve.dataset))
    return Source(kept, problems, folder, args.out or folder, args.outputs)
