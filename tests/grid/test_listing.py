"""A row of a grid's table."""

from pathlib import Path

import pytest
from support.synthetic import what

from plasticity.grid.listing import COLUMNS, cells
from plasticity.grid.state import Seen


@pytest.mark.parametrize(("method", "model"), [({}, "ffcnn"), ({"method": "cbp"}, "ffcnn cbp")])
def test_a_row_names_the_method_where_there_is_one(method: dict[str, str], model: str) -> None:
    seen = Seen(Path("somewhere"), what("ffcnn 3x200") | {"seed": 4} | method, 9, "waiting", [], None, None)
    row = dict(zip(COLUMNS, cells(seen), strict=True))
    assert (row["model"], row["dataset"], row["seed"], row["tasks"]) == (model, "mnist", "4", "0/9")
