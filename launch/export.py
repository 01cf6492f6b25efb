"""Everything that runs measured, as parquet and csv: python launch/export.py [outputs] [--curves 'model=aen N=*']."""

import command  # isort: skip

import argparse
from pathlib import Path

from plasticity.results import frames


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    hint = "these curves alone, e.g. 'model=aen step_size=*' (several lines: several --curves)"
    parser.add_argument("--curves", action="append", default=[], metavar="'KEY=VALUE …'", help=hint)
    parser.add_argument("--out", type=Path, help="where to write (the folder export in what was read)")
    args = command.parsed(parser, "run folders, or a folder with records (outputs)")
    for path in frames.write(args.out or args.outputs / "export", args.outputs, args.curves):
        print(path)


if __name__ == "__main__":
    command.run(main)
