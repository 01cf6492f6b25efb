"""Draw figures, a table and a report of all runs there are, from their folders or from committed records."""

import command  # isort: skip

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hydra_plugins.plasticity.presets import Presets, presets
from plasticity.ground.errors import Mistake, printable
from plasticity.ground.files import write
from plasticity.results import archive, choosing, figures, grouping, report, saving, sources, table
from plasticity.results.curves import Curve
from plasticity.results.field import published
from plasticity.results.figures import Figure, Preset
from plasticity.results.measures import check
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper import statements as paper
from plasticity.results.sources import Source
from plasticity.results.sweeps import making, quantities
from plasticity.results.sweeps.pictures import save
from plasticity.results.sweeps.sweep import Sweep
from plasticity.runs.keys import differences

CONF = Path(__file__).parent.parent / "conf"
FLAGS = {"experiment": "--figure", "outputs": "--outputs", "measures": "--measure"}  # what a setting of a run is here


def main(arguments: Sequence[str] | None = None) -> None:
    args = _arguments(arguments)
    _check(args)
    _divide(args)
    source = sources.read(args, choosing.Seeds(args.curves) if args.curves else None)
    found = presets(CONF, args.overrides, args.config_dir)
    found.check(args.figure)
    settings = found.settings()
    _check_settings(args.overrides, settings)
    usual_first = sorted(source.curves, key=lambda curve: differences(curve.what, settings))
    _write(args, replace(source, curves=usual_first), found, settings)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    parser.add_argument("--figure", nargs="+", default=[], metavar="PRESET", help="these presets alone")
    hint = "these curves alone, e.g. 'model=aen step_size=*' (several lines: several --curves)"
    parser.add_argument("--curves", action="append", default=[], metavar="'KEY=VALUE …'", help=hint)
    hint = "a figure for each set of curves that differ in these keys alone, e.g. step_size"
    parser.add_argument("--by", type=_list, default=[], metavar="KEY[,KEY]", help=hint)
    hint = "accuracy, dormancy and sizes, or what --measure says, against this key, e.g. step_size"
    parser.add_argument("--against", metavar="KEY", help=hint)
    hint = "these measures alone, e.g. accuracy,effective_rank"
    parser.add_argument("--measure", type=_list, default=[], metavar="NAME[,NAME]", help=hint)
    hint = "a folder with presets, models or data sets of your own"
    parser.add_argument("--config-dir", type=Path, action="append", default=[], metavar="DIR", help=hint)
    hint = "a moving mean over so many tasks, 1 for none (a few, where lines could not be told apart)"
    parser.add_argument("--smooth", type=int, metavar="TASKS", help=hint)
    parser.add_argument("--save-records", action="store_true", help="write the curves as small csv files too")
    return parser.parse_intermixed_args(given)


def _list(text: str) -> list[str]:
    return text.split(",")


def _check(args: argparse.Namespace) -> None:
    for key, equals, value in (word.partition("=") for word in args.overrides):
        if equals and key in FLAGS:
            raise Mistake(f"{key}={value} is given to a run; here it is {FLAGS[key]} {value}")
    if args.smooth is not None and args.smooth < 1:
        raise Mistake(f"--smooth {args.smooth} is not possible; it is a number of tasks, 1 for none")
    if args.smooth is not None and args.records and not args.out:
        raise Mistake(f"--smooth would write over what {args.records[0]} has; name another folder with --out")
    if args.save_records and args.dataset:
        raise Mistake(f"--save-records is of every data set; leave out --dataset {args.dataset}")
    if args.figure and (args.curves or args.by or args.against):
        chosen = "--curves, --by and --against choose"
        raise Mistake(f"--figure names presets, {chosen} among all runs; give one or the other")
    if args.by and args.against:
        raise Mistake("--by draws over tasks and --against over a key; give one or the other")


def _divide(args: argparse.Namespace) -> None:
    """Where one of the words says which runs, they choose among all, as --curves does; else they say how the runs of
    presets were set."""
    if any(map(choosing.says_which, args.overrides)):
        words = " ".join(args.overrides)
        args.curves, args.overrides = [f"{line} {words}".strip() for line in args.curves or [""]], []
        if args.figure:
            raise Mistake(f"--figure draws a preset as it is, of all seeds; leave out {words}, or --figure")


def _check_settings(overrides: Sequence[str], settings: Mapping[str, Any]) -> None:
    known = dict.fromkeys([key.partition(".")[0] for key in settings] + ["method"])
    for override in overrides:
        if override.partition("=")[0].partition(".")[0] not in known:
            which = f"{', '.join(known)} say how runs were set, model, dataset, N, K or seed which are drawn"
            raise Mistake(f"{override} changes nothing in a figure; {which}")


def _write(args: argparse.Namespace, source: Source, found: Presets, settings: Mapping[str, Any]) -> None:
    folder = source.folder / "figures"
    if args.measure:
        own = quantities.OWN if args.against else ()
        check(args.measure, {*own, *(name for curve in source.curves for name in curve.measures)}, source.origin)
    chosen = bool(args.curves or args.by or args.against)
    swept = _swept(args, source, found, settings)
    every = _chosen(args, source, settings) if chosen else _all(args, source, found, settings, swept)
    drawn = every if chosen or args.figure else [one for one in every if not figures.idle(one, every)]
    for paths in (*saving.save_all(drawn, folder, args.smooth), *(save(one, folder) for one in swept)):
        print(", ".join(map(str, paths)))
    notes = _notes(source, drawn, every) + [f"{one.name}: {note}" for one in swept for note in one.notes]
    for note in notes:
        print(f"note: {printable(note)}")
    if args.save_records:
        archive.write(source.folder / "records", source.curves, settings)
        print(source.folder / "records")
    if args.figure or args.dataset or args.measure or chosen:
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


def _curves(args: argparse.Namespace, source: Source) -> list[Curve]:
    curves = choosing.chosen(source.curves, args.curves) if args.curves else list(source.curves)
    if not curves:
        raise Mistake(f"no run of {source.origin} is of {' or '.join(args.curves)}")
    return curves


def _swept(args: argparse.Namespace, source: Source, found: Presets, settings: Mapping[str, Any]) -> list[Sweep]:
    """What has a setting on its axis: as --against says, or as presets do."""
    if args.against:
        return making.against(args.against, _curves(args, source), settings, args.measure)
    if args.curves or args.by:
        return []
    swept = [
        each
        for one in found.sweeps(args.figure or found.names, source.curves)
        for each in making.sweeps(one.name, one.title, one.key, one.curves, settings, args.measure)
    ]
    return swept if args.figure else [each for each in swept if len(each.values) > 1]


def _chosen(args: argparse.Namespace, source: Source, settings: Mapping[str, Any]) -> list[Figure]:
    if args.against:
        return []
    curves = _curves(args, source)
    return figures.figures(grouping.together(curves, args.by), curves, settings, args.measure)


def _all(
    args: argparse.Namespace, source: Source, found: Presets, settings: Mapping[str, Any], swept: Sequence[Sweep]
) -> list[Figure]:
    """The presets' in the paper's order, and then whatever else there are runs of."""
    if args.overrides and all(differences(curve.what, settings) for curve in source.curves):
        raise Mistake(
            f"no run of {source.origin} has the settings {' '.join(args.overrides)}; without them all are drawn"
        )
    cells = dict.fromkeys((curve.dataset, curve.N) for curve in source.curves)
    names = args.figure or sorted(found.names, key=lambda name: paper.place(name, paper.FIGURES))

    def drawn(wanted: Sequence[Preset]) -> list[Figure]:
        return figures.figures(wanted, source.curves, settings, args.measure)

    every = drawn(found.figures(names, cells, choosing.Possible(source.curves)))
    if not args.figure:
        shown = {curve.key for one in (*every, *swept) for curve in one.curves}
        every += drawn(grouping.rest(source.curves, shown, settings))
    if not every and not swept:
        raise Mistake(f"no run of {source.origin} is a curve of {', '.join(names)}; without --figure all are drawn")
    return every


def _notes(source: Source, drawn: Sequence[Figure], every: Sequence[Figure]) -> list[str]:
    """Whatever a reader of the figures would otherwise not know to be missing, and what to do about it."""
    said = list(source.problems)
    said += [f"{figure.name}: {note}" for figure in drawn for note in figure.notes]
    said += [
        f"{figure.name} is not drawn: others show all it has; --figure {figure.preset.name} draws it"
        for figure in every
        if figure not in drawn
    ]
    if source.problems or any("left out" in note for curve in source.curves for note in curve.left_out):
        said.append(f"python launch/status.py {source.outputs} lists all runs; what began one also goes on with it")
    return said


if __name__ == "__main__":
    command.run(main)
