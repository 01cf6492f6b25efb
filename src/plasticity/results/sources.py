"""Where figures, table and claims read from: run folders, or committed records."""

import argparse
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from plasticity.ground.errors import Mistake
from plasticity.results import archive, curves
from plasticity.results.curves import Curve
from plasticity.results.paper.statements import in_order


@dataclass(frozen=True)
class Source:
    curves: Sequence[Curve]
    problems: Sequence[str]
    origin: Path  # what was read, or the first of it
    folder: Path  # where to write
    outputs: Path  # where the run folders are, or were


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where the run folders are (outputs)")
    hint = "read DIR/records, written by --save-records, instead of runs; given again, or with --outputs: all of them"
    parser.add_argument("--records", type=Path, metavar="DIR", action="append", default=[], help=hint)
    parser.add_argument("--dataset", help="this data set alone")
    parser.add_argument("--out", type=Path, help="where to write (the folder that was read)")
    hint = "settings that the runs were given, e.g. init.outgoing=zero; the defaults otherwise"
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help=hint)


def read(args: argparse.Namespace, seeds: Container[int] | None = None) -> Source:
    for override in args.overrides:
        if "=" not in override:
            hint = (
                f"--outputs {override} reads that folder"
                if Path(override).is_dir()
                else "write KEY=VALUE, or see --help"
            )
            raise Mistake(f"{override} is not a setting; {hint}")
    outputs, folders = args.outputs or Path("outputs"), list(args.records)
    if args.records and args.overrides and not args.out:
        raise Mistake(f"other settings would write over what {args.records[0]} has; name another folder with --out")
    found, problems = [curve for folder in folders for curve in archive.read(folder / "records")], []
    if args.outputs or not args.records:
        more, problems = curves.read(outputs, seeds)
        found, folders = found + more, [*folders, outputs]
    out = where_to_write(folders, args.out)
    if not found and seeds is not None and curves.read(outputs)[0]:
        raise Mistake(f"{outputs} has no run of these seeds; python launch/status.py {outputs} --runs lists all")
    shown = _selected(curves.joined(found), args.dataset, folders[0], problems)
    return Source(shown, problems, folders[0], out, outputs)


def where_to_write(folders: Sequence[Path], out: Path | None) -> Path:
    """The folder that was read, or the one that was named: where several are read it must be."""
    if out:
        return out
    if len(folders) > 1:
        raise Mistake(f"{' and '.join(map(str, folders))} are read together; say where to write with --out")
    return folders[0]


def _selected(found: Sequence[Curve], dataset: str | None, folder: Path, problems: Sequence[str]) -> Sequence[Curve]:
    names = sorted({curve.dataset for curve in found})
    if not names:
        first = f" ({problems[0]})" if problems else ""
        raise Mistake(f"{folder} has no run with a finished task{first}")
    if dataset and dataset not in names:
        raise Mistake(f"--dataset {dataset} has no runs in {folder}; there are runs of {', '.join(names)}")
    return in_order(curve for curve in found if dataset in (None, curve.dataset))
