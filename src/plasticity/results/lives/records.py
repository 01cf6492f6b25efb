"""Lives of units as two small files that can be committed: when each was born and died, and of which run it was."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from plasticity.ground.errors import Mistake
from plasticity.ground.files import replace
from plasticity.results.lives.history import History, Life

RUNS, UNITS = "runs.json", "units.parquet"
COLUMNS = ("run", "unit", "born_task", "born_sample", "died_task", "died_sample", "why")


def write(folder: Path, histories: Sequence[History]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    runs = [{"what": one.what, "tasks": one.tasks} for one in histories]
    replace(folder / RUNS, (json.dumps(runs, ensure_ascii=False) + "\n").encode())
    rows = [
        (run, life.unit, *life.born, *(life.died or (None, None)), life.why)
        for run, one in enumerate(histories)
        for life in one.lives
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({name: "Int32" for name in COLUMNS[:-1]})
    frame.to_parquet(folder / UNITS, index=False)


def read(folder: Path) -> list[History]:
    """Without what units did from task to task, which is not kept."""
    try:
        runs = json.loads((folder / RUNS).read_text())
        units = pd.read_parquet(folder / UNITS)
        lives = {run: tuple(map(_life, of.itertuples(index=False))) for run, of in units.groupby("run")}
        return [History(one["what"], one["tasks"], lives.get(run, ()), ()) for run, one in enumerate(runs)]
    except FileNotFoundError as error:
        raise Mistake(f"{error.filename} is missing; launch/lives.py --save-records writes such records") from error
    except OSError as error:
        raise Mistake(f"the records in {folder} cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Mistake(f"the records in {folder} cannot be read ({type(error).__name__}: {error})") from error


def _life(row: tuple) -> Life:
    _, unit, born_task, born_sample, died_task, died_sample, why = row
    if pd.isna(died_task):
        return Life(int(unit), (int(born_task), int(born_sample)))
    return Life(int(unit), (int(born_task), int(born_sample)), (int(died_task), int(died_sample)), str(why))
