"""Draw the paper's figures, its table and a report from run folders, or from committed records."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from sentences import sentence

from hydra_plugins.plasticity.presets import Presets, presets
from plasticity.errors import Mistake
from plasticity.files import write
from plasticity.results import archive, drawing, figures, report, sources, table
from plasticity.results.field import published
from plasticity.results.figures import Figure
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper import statements as paper
from plasticity.results.sources import Source
from plasticity.runs.identity import differences

CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    args = _arguments()
    try:
        if args.smooth < 1:
            raise Mistake(f"--smooth {args.smooth} is not possible; it is a number of tasks, 1 for none")
        if args.smooth > 1 and args.records and not args.out:
            raise Mistake(f"smooth figures would write over what {args.records} has; name another folder with --out")
        if args.save_records and args.dataset:
            raise Mistake(f"--save-records is of every data set; leave out --dataset {args.dataset}")
        source = sources.read(args)
        found = presets(CONF, args.overrides)
        found.check(args.figure)
        settings = found.settings()
        usual_first = sorted(source.curves, key=lambda curve: differences(curve.what, settings))
        _write(args, replace(source, curves=usual_first), found, settings)
    except (Mistake, OSError) as error:
        sys.exit(f"error: {error}")
    except (HydraException, OmegaConfBaseException) as error:
        sys.exit(f"error: {sentence(error)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    parser.add_argument("--figure", nargs="+", default=[], metavar="PRESET", help="these presets alone")
    parser.add_argument("--smooth", type=int, default=1, metavar="TASKS", help="a moving mean over so many tasks")
    parser.add_argument("--save-records", action="store_true", help="write the curves as small csv files too")
    return parser.parse_intermixed_args()


def _write(args: argparse.Namespace, source: Source, found: Presets, settings: Mapping[str, Any]) -> None:
    cells = dict.fromkeys((curve.dataset, curve.N) for curve in source.curves)
    names = args.figure or sorted(found.names, key=lambda name: paper.place(name, paper.FIGURES))
    every = figures.figures(found.figures(names, cells), source.curves, settings)
    drawn = every if args.figure else [figure for figure in every if not figures.idle(figure, every)]
    if not drawn:
        raise Mistake(f"no run of {source.origin} is a curve of {', '.join(names)}")
    for paths in drawing.save_all(drawn, source.folder / "figures", args.smooth):
        print(", ".join(map(str, paths)))
    notes = _notes(source, drawn, every) + ([] if args.figure else _apart(source, every, settings))
    for note in notes:
        print(f"note: {note}")
    if args.save_records:
        archive.write(source.folder / "records", source.curves, settings)
        print(source.folder / "records")
    if args.figure or args.dataset:
        print("the table and the report are of everything: they are left as they are")
        return
    rows = table.rows(source.curves, settings)
    judged = paper.judgements(source.curves, settings)
    studied = choices.choices(source.curves, settings)
    beside = list(published.compared(source.curves, settings))
    tables = table.texts(rows) | verdicts.texts(judged) | choices.texts(studied) | published.texts(beside)
    page = report.page(drawn, rows, judged, studied, beside, notes, source)
    for path in (*write(source.folder / "figures", tables), *write(source.folder / "report", {"index.html": page})):
        print(path)


def _notes(source: Source, drawn: Sequence[Figure], every: Sequence[Figure]) -> list[str]:
    """Whatever a reader of the figures would otherwise not know to be missing."""
    said = list(source.problems)
    said += [f"{figure.name}: {note}" for figure in drawn for note in figure.notes]
    said += [
        f"{figure.name} is not drawn: others show all it has; --figure {figure.preset.name} draws it"
        for figure in every
        if figure not in drawn
    ]
    return said


def _apart(source: Source, every: Sequence[Figure], settings: Mapping[str, Any]) -> list[str]:
    shown = {curve.key for figure in every for curve in figure.curves}
    apart = [curve for curve in source.curves if curve.key not in shown]
    unlike = [curve for curve in apart if differences(curve.what, settings)]
    said = [
        f"in no preset: {curve.dataset}/N{curve.N}/{curve.label} ({len(curve.traces)} runs)"
        for curve in apart
        if curve not in unlike
    ]
    if unlike:
        said.append(f"in no figure, but in the table: {len(unlike)} with settings other than the defaults")
    return said


if __name__ == "__main__":
    main()
