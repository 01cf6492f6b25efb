"""Draw the paper's figures, its table and a report from run folders, or from committed records."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from hydra_plugins.plasticity_sweeper.presets import Presets, presets
from plasticity import archive, drawing, figures, paper, report, sources, table, verdicts
from plasticity.errors import Mistake
from plasticity.figures import Figure
from plasticity.files import replace
from plasticity.sources import Source

CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    args = _arguments()
    try:
        if args.smooth < 1:
            raise Mistake(f"--smooth {args.smooth} is not possible; it is a number of tasks, 1 for none")
        source = sources.read(args)
        found = presets(CONF, args.overrides)
        found.check(args.figure)
        _write(args, source, found)
    except (Mistake, HydraException, OmegaConfBaseException, OSError) as error:
        sys.exit(f"error: {error}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    parser.add_argument("--figure", nargs="+", default=[], metavar="PRESET", help="these presets alone")
    parser.add_argument("--smooth", type=int, default=1, metavar="TASKS", help="a moving mean over so many tasks")
    parser.add_argument("--save-records", action="store_true", help="write the curves as small csv files too")
    return parser.parse_intermixed_args()


def _write(args: argparse.Namespace, source: Source, found: Presets) -> None:
    settings = found.settings()
    cells = dict.fromkeys((curve.dataset, curve.N) for curve in source.curves)
    names = args.figure or sorted(found.names, key=lambda name: paper.place(name, paper.FIGURES))
    every = figures.figures(found.figures(names, cells), source.curves, settings)
    drawn = every if args.figure else [figure for figure in every if not figures.idle(figure, every)]
    if not drawn:
        raise Mistake(f"no run of {source.folder} is a curve of {', '.join(names)}")
    for paths in drawing.save_all(drawn, source.folder / "figures", args.smooth):
        print(", ".join(map(str, paths)))
    notes = _notes(source, drawn, every) + ([] if args.figure else _apart(source, every))
    for note in notes:
        print(f"note: {note}")
    if args.save_records:
        archive.write(source.folder / "records", source.curves)
        print(source.folder / "records")
    if args.figure or args.dataset:
        print("the table and the report are of everything: they are left as they are")
        return
    rows = [table.Row.of(curve, settings) for curve in source.curves]
    judged = paper.judgements(source.curves, settings)
    files = {
        "figures/table.csv": table.as_csv(rows),
        "figures/table.md": table.as_markdown(rows),
        "figures/claims.csv": verdicts.as_csv(judged),
        "figures/claims.md": verdicts.as_markdown(judged),
        "report/index.html": report.page(drawn, rows, judged, notes, source),
    }
    for name, text in files.items():
        path = source.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode())
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


def _apart(source: Source, every: Sequence[Figure]) -> list[str]:
    shown = {curve.key for figure in every for curve in figure.curves}
    apart = [curve for curve in source.curves if curve.key not in shown]
    names = [f"{curve.dataset}/N{curve.N}/{curve.label} ({len(curve.traces)} runs)" for curve in apart]
    return [f"in no preset: {name}" for name in names]


if __name__ == "__main__":
    main()
