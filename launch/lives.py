"""Draw how long units live, at which age they die, and the size that follows: python launch/lives.py [outputs]."""

import command  # isort: skip

import argparse
from pathlib import Path

from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import printable
from plasticity.ground.files import write
from plasticity.results.lives import groups, lifelines, pictures, table
from plasticity.results.saving import save_canvas

CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    args = _arguments()
    out = args.out or args.outputs / "lives"
    cells, problems = groups.read(args.outputs, args.curves, presets(CONF, [], []).settings())
    for here in cells:
        curve = here[0].curve
        print(*save_canvas(pictures.figure(here), out, f"lives-{curve.dataset}-N{curve.N}"), sep=", ")
        for group in here:
            one, of = group.histories[0], group.curve
            name = f"lifelines-{of.dataset}-N{of.N}-{of.label}-seed{one.what['seed']}-{of.key}"
            print(*save_canvas(lifelines.figure(one), out, name), sep=", ")
    for path in write(out, table.texts(table.rows(cells))):
        print(path)
    for problem in problems:
        print(f"note: {printable(problem)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    hint = "these curves alone, e.g. 'model=aen growth=*' (several lines: several --curves)"
    parser.add_argument("--curves", action="append", default=[], metavar="'KEY=VALUE …'", help=hint)
    parser.add_argument("--out", type=Path, help="where to write (the folder lives in what was read)")
    return command.parsed(parser, "run folders (outputs)")


if __name__ == "__main__":
    command.run(main)
