"""Draw a run's network when a task begins, or a movie of it growing and shrinking: python launch/draw.py RUN."""

import command  # isort: skip

import argparse
from pathlib import Path

import plasticity as p
from plasticity.ground.errors import Mistake
from plasticity.results.lives import movie
from plasticity.results.lives.network_picture import MARKS, picture
from plasticity.results.lives.titles import of_network, of_run
from plasticity.results.saving import save_canvas
from plasticity.runs.folder import ROWS, Folder, find


def main() -> None:
    args = _arguments()
    folder = _run(args.run)
    run, rows = p.load(folder), Folder(folder).rows
    there = len(rows)
    task = there if args.task is None else args.task
    if not 0 <= task <= there:
        raise Mistake(f"--task {task} is not one of {folder}: it has 0 to {there - 1}, and {there} would be next")
    what, name = Folder(folder).what, "-".join(folder.resolve().parts[-4:])
    if args.movie:
        file = f"{name}.gif" if args.task is None else f"{name}-to-task{task}.gif"
        print(movie.save(run.scenes(0, task), rows, of_run(what), args.out / file))
        return
    (scene,) = run.scenes(task, task)
    paths = save_canvas(picture(scene, of_network(what, scene)), args.out, f"{name}-task{task}", MARKS)
    print(", ".join(map(str, paths)))


def _run(path: Path) -> Path:
    there = [folder.path for folder in find(path) if folder.rows]
    if not there:
        raise Mistake(f"{path} is not the folder of a run, nor one of runs: there is no finished task in it")
    return max(there, key=lambda run: (run / ROWS).stat().st_mtime)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    hint = "a run's folder; or one above it, such as outputs: then the latest run in it"
    parser.add_argument("run", type=Path, metavar="RUN", help=hint)
    hint = "when this task begins, before units are dropped (the one after the last: as the run left it)"
    parser.add_argument("--task", type=int, metavar="T", help=hint)
    parser.add_argument("--movie", action="store_true", help="a gif of all tasks up to that one, one picture each")
    parser.add_argument("--out", type=Path, default=Path("outputs/networks"), help="where to write (outputs/networks)")
    return parser.parse_args()


if __name__ == "__main__":
    command.run(main)
