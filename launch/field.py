"""The comparison with the field's methods: which setting of each contestant is best, and how they do on fresh seeds."""

import command  # isort: skip

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd

from hydra_plugins.plasticity import contestants
from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import Mistake
from plasticity.ground.files import write
from plasticity.results import curves, saving
from plasticity.results.field import collect, comparison, page, pictures, selection, tables
from plasticity.results.field.entries import ELASTIC, FRESH, REGIMES, Choice, Class, Placed
from plasticity.runs.growth import SHARE
from plasticity.runs.matching import MEASURES

CONF = Path(__file__).parent.parent / "conf"
PRESET = Path("experiment", "field_chosen.yaml")
CHOOSING = ("growth", "match", "regime", "N", "only", "tasks", "seeds")  # what to run next


@dataclass(frozen=True)
class Results:
    tried: pd.DataFrame  # what settings are chosen by
    evaluated: pd.DataFrame  # what was chosen, on fresh seeds
    placed: Sequence[Placed] = ()  # all that can be evaluated by now


def main() -> None:
    args = _arguments()
    recorded = Results(*collect.read(args.records)) if args.records else Results(pd.DataFrame(), pd.DataFrame())
    if args.records and not (args.outputs or args.config_dir):
        _check_nothing_to_run(args)
        _write(args, recorded)
        return
    results = _with_runs(args, recorded)
    _write(args, results)
    # What is recorded need not be run again; what has been run is found and skipped.
    to_run = collect.missing(results.placed, recorded.evaluated, args.seeds)
    print(*write(_settings(args), {str(PRESET): tables.preset(to_run, args.tasks, args.seeds)}), sep="\n")
    _say_next(args, results)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outputs", type=Path, metavar="DIR", help="where the runs are (outputs)")
    parser.add_argument(
        "--records",
        type=Path,
        metavar="DIR",
        help="read the records in DIR; runs only where --outputs or --config-dir is given",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("outputs/field"), metavar="DIR", help="where to write (outputs/field)"
    )
    parser.add_argument(
        "--config-dir", type=Path, metavar="DIR", help="a folder of your own, with contestants in experiment/field"
    )
    parser.add_argument(
        "--growth", nargs="+", default=["one"], choices=list(SHARE), help="of the AENs that others equal (one)"
    )
    parser.add_argument(
        "--match", nargs="+", default=list(MEASURES), choices=list(MEASURES), help="what they have as much of (all)"
    )
    hint = "at the paper's step size, or with the step size tuned (both)"
    parser.add_argument("--regime", nargs="+", default=list(REGIMES), choices=list(REGIMES), help=hint)
    parser.add_argument("--N", nargs="+", type=int, help="samples per task (as many as settings were chosen with)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these contestants, of conf/experiment/field (all)")
    parser.add_argument("--tasks", type=int, default=400, help="of the runs that evaluate what is chosen (400)")
    parser.add_argument("--seeds", type=int, default=10, help="fresh seeds of those runs (10)")
    args = parser.parse_args()
    args.choosing = [name for name in CHOOSING if getattr(args, name) != parser.get_default(name)]
    for name in ("tasks", "seeds"):
        if (value := getattr(args, name)) < 1:
            raise Mistake(f"--{name} {value} is not possible; give 1 or more")
    return args


def _check_nothing_to_run(args: argparse.Namespace) -> None:
    """From records alone, all of them are drawn."""
    if args.choosing:
        raise Mistake(
            f"--{args.choosing[0]} chooses what to run next, and from records alone nothing is run; "
            "leave it out, or add --outputs DIR"
        )


def _with_runs(args: argparse.Namespace, recorded: Results) -> Results:
    """What is recorded, and what lies in run folders."""
    outputs = args.outputs or Path("outputs")
    first, problems = curves.read(outputs, range(FRESH))
    fresh, _ = curves.read(outputs, range(FRESH, sys.maxsize))
    for problem in problems:
        print(f"note: {problem}")
    _check_names(args.config_dir)
    found = presets(CONF, [], [args.config_dir] if args.config_dir else [])
    every, cells = contestants.settings(found), dict.fromkeys((curve.dataset, curve.N) for curve in first)
    tried = collect.joined([recorded.tried, collect.selection(contestants.tried(found, every, cells), first)])
    if not len(tried):
        raise Mistake(f"{outputs} has no runs of contestants; python launch/main.py experiment=field makes them")
    place = partial(contestants.placed, found, every, _chosen(args.only, tried), _classes(args, tried))
    # AENs come first: others are as large as these are on the same seeds.
    evaluated = collect.joined([recorded.evaluated, collect.evaluation(place({}), fresh)])
    placed = list(place(collect.elastic_sizes(evaluated, args.seeds)))
    return Results(tried, collect.joined([evaluated, collect.evaluation(placed, fresh)]), placed)


def _check_names(own: Path | None) -> None:
    """One's own contestant does not take the place of one of ours, whose records have its name."""
    folder = Path("experiment", "field")
    ours = {path.name for path in (CONF / folder).glob("*.yaml")}
    for path in sorted((own / folder).glob("*.yaml")) if own else ():
        if path.name in ours:
            raise Mistake(f"{path}: the suite has a contestant of that name; give yours another name")


def _chosen(only: Sequence[str] | None, tried: pd.DataFrame) -> list[Choice]:
    """AEN always: others are as large as it is."""
    chosen = selection.choices(tried)
    known = dict.fromkeys(each.contestant for each in chosen)
    for name in only or ():
        if name not in known:
            raise Mistake(f"--only {name}: no contestant of that name has runs; choose {', '.join(known)}")
    return [each for each in chosen if not only or each.contestant in (ELASTIC, *only)]


def _classes(args: argparse.Namespace, tried: pd.DataFrame) -> list[Class]:
    """In the order in which they are run."""
    cells = tried[["dataset", "N"]].drop_duplicates().itertuples(index=False, name=None)
    places = dict.fromkeys((dataset, each) for dataset, N in cells for each in args.N or [N])
    return [Class(*place, *rest) for rest in product(args.growth, args.match, args.regime) for place in places]


def _write(args: argparse.Namespace, results: Results) -> None:
    chosen = selection.choices(results.tried)
    found = comparison.evaluated(chosen, results.evaluated)
    texts = tables.texts(chosen, found)
    if found:
        texts |= {"report/index.html": page.page(found, results.tried, chosen)}
    paths = [*write(args.out, texts), *collect.write(args.out, results.tried, results.evaluated)]
    for name, canvas in pictures.all_of(found, results.tried):
        paths += saving.save_canvas(canvas, args.out / "figures", name)
    print(*paths, sep="\n")


def _settings(args: argparse.Namespace) -> Path:
    """Where the preset goes: Hydra takes one folder besides its own, and every folder in it for a group of settings."""
    return args.config_dir or args.out / "conf"


def _say_next(args: argparse.Namespace, results: Results) -> None:
    for note in dict.fromkeys(each.note for each in results.placed if each.note):
        print(f"note: {note}")
    if missing := collect.missing(results.placed, results.evaluated, args.seeds):
        count = len({each.key for each in missing})
        networks = "1 network" if count == 1 else f"{count} networks"
        print(
            f"next, {networks} on fresh seeds: "
            f"python launch/main.py --config-dir {_settings(args)} experiment={PRESET.stem}"
        )
        if any(each.contestant == ELASTIC for each in missing):
            print("then this command again: fixed networks are to be as large as AENs are on those seeds")


if __name__ == "__main__":
    command.run(main)
