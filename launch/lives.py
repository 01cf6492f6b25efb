"""Draw how long units live, at which age they die, and the size that follows: python launch/lives.py [outputs]."""

import command  # isort: skip

import argparse
from pathlib import Path

from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import printable
from plasticity.ground.files import write
from plasticity.results.lives import groups, lifelines, pictures, records, table
from plasticity.results.saving import save_canvas
from plasticity.results.sources import where_to_write
from plasticity.results.words import cell

CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    args = _arguments()
    runs = args.named or not args.records  # with records, run folders are read only if they were named
    folders = [*args.records, *([args.outputs / "lives"] if runs else [])]
    out = where_to_write(folders, args.out)
    kept = [one for folder in args.records for one in records.read(folder / "records")]
    found, problems = groups.read(args.outputs, args.curves) if runs else ([], [])
    cells = groups.grouped([*found, *kept], presets(CONF, [], []).settings())
    for here in cells:
        curve = here[0].curve
        print(*save_canvas(pictures.figure(here), out, f"lives-{curve.dataset}-N{curve.N}"), sep=", ")
        for group in here:
            _draw_lifelines(group, out)
    for path in write(out, table.texts(table.rows(cells))):
        print(path)
    if args.save_records:
        records.write(out / "records", [one for here in cells for group in here for one in group.histories])
        print(out / "records")
    unlike = [f"{group.name}, {cell(*group.cell)}: {note}" for here in cells for group in here for note in group.notes]
    for problem in (*problems, *unlike):
        print(f"note: {printable(problem)}")


def _draw_lifelines(group: groups.Group, out: Path) -> None:
    """Of the first run whose folder was read: records do not say how units fire."""
    of = group.curve
    for one in [one for one in group.histories if one.glances][:1]:
        name = f"lifelines-{of.dataset}-N{of.N}-{of.label}-seed{one.what['seed']}-{of.key}"
        print(*save_canvas(lifelines.figure(one), out, name), sep=", ")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    hint = "these curves of the run folders alone, e.g. 'model=aen growth=*' (several lines: several --curves)"
    parser.add_argument("--curves", action="append", default=[], metavar="'KEY=VALUE …'", help=hint)
    hint = "read DIR/records, written by --save-records, instead of runs; given again, or with outputs: all of them"
    parser.add_argument("--records", type=Path, metavar="DIR", action="append", default=[], help=hint)
    parser.add_argument("--save-records", action="store_true", help="write when units were born and died, in two files")
    parser.add_argument("--out", type=Path, help="where to write (the folder lives in what was read)")
    return command.parsed(parser, "run folders (outputs)")


if __name__ == "__main__":
    command.run(main)
