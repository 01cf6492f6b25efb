"""What the report's page has of units' lives."""

from pathlib import Path
from typing import Any

import numpy as np
from support.synthetic import family

from plasticity.results.lives import pagelines
from plasticity.results.lives.history import Glance, History, Life
from plasticity.runs.folder import LIVES


def glance(task: int, **fired: float) -> Glance:
    units = [int(name[1:]) for name in fired]
    return Glance(task, np.array(units, np.int64), {"fired": np.array(list(fired.values()))})


def test_a_unit_is_darker_the_more_it_fires_and_absent_where_it_does_not_live() -> None:
    """Unit 0 fires on half of the samples, then on none, and dies when task 2 begins; unit 1 fires on all of them."""
    lives = (Life(0, (0, 5), (2, 0), "silent"), Life(1, (0, 7)))
    glances = (glance(0), glance(1, u0=0.5, u1=1.0), glance(2, u0=0.0, u1=1e-6))
    found = pagelines.shades(History({"N": 10}, 3, lives, glances))
    assert found.tolist() == [[0, 1 + 127, 0], [0, 255, 2]]


def test_a_file_that_is_damaged_or_not_there_is_left_out(tmp_path: Path) -> None:
    curve: Any = family("aen one", seeds=1)
    assert pagelines.lifelines([curve], tmp_path) == []
    folder = tmp_path / curve.traces[0].folder
    folder.mkdir()
    for text in (
        "",
        "{}",
        '{"task":0,"events":[[0,5,"silent",null]],"fired":"","activity":"","incoming":"","outgoing":""}\n',
    ):
        (folder / LIVES).write_text(text)
        assert pagelines.lifelines([curve], tmp_path) == []
