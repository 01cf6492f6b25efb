"""Running a run's own config.yaml again, wherever its folder lies now."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from plasticity.ground.errors import Mistake
from plasticity.runs.folder import CONFIG

FLAGS = ("--config-path", "-cp")
DEEP = 4  # folders below outputs: data set, N, label, run
NEAR = 3  # folders between the nearest that is still there and what was moved


def found(words: Sequence[str]) -> list[str]:
    """The same words with the folder's place of today, and its outputs, unless somebody named others."""
    for place, word in enumerate(words[:-1]):
        folder = Path(words[place + 1])
        if word in FLAGS and folder.is_absolute() and folder.name.startswith("seed"):
            now = folder if (folder / CONFIG).is_file() else _moved(folder)
            named = any(other.startswith("outputs=") for other in words)
            outputs = [] if named else [f"outputs={now.parents[DEEP - 1]}"]
            return [*words[: place + 1], str(now), *words[place + 2 :], *outputs]
    return list(words)


def _moved(folder: Path) -> Path:
    """A digest is no other run's: the folder of that name near its old place, or below here, is it."""
    below = Path(*folder.parts[-DEEP:])
    there = next(parent for parent in folder.parents if parent.is_dir())
    for place in _places(there, below):
        if (place / CONFIG).is_file():
            return place
    raise Mistake(f"{folder} is not there; name the folder that holds the run now, with --config-path FOLDER")


def _places(there: Path, below: Path) -> Iterator[Path]:
    for root in dict.fromkeys((Path.cwd(), there)):
        for depth in range(NEAR + 1):
            yield from sorted(root.glob("/".join(["*"] * depth + [_literal(below)])))


def _literal(path: Path) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))
