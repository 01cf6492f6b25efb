"""Published accuracies: which curves they belong to, and what the table and the figure make of them."""

import csv
from io import StringIO
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from support.synthetic import SETTINGS, trace, what

from plasticity.results.curves import Curve, curve
from plasticity.results.drawing import draw
from plasticity.results.field import published
from plasticity.results.figures import Figure, Preset
from plasticity.results.pagedata import _figure
from plasticity.runs.identity import What


def as_published(name: str = "ffcnn 3x100", step_size: float = 0.003, **more: Any) -> dict[str, Any]:
    found = what(name, N=60_000, output_weights="linear")
    return found | {"update": {"kind": "SGD", "step_size": step_size}} | more


def ours(*accuracies: float, tasks: int = 12, **how: Any) -> Curve:
    """A seed for each, with the same accuracy in every task."""
    return curve(as_published(**how), [trace(seed, tasks, accuracy=value) for seed, value in enumerate(accuracies)])


def figure(one: Curve) -> Figure:
    return Figure(Preset("published", "A title", "mnist", 60_000, (one.what,)), (one,), (), SETTINGS)


def test_a_curve_in_the_published_settings_has_its_points() -> None:
    (found,) = published.of(as_published())
    assert found.points[2] == 93.20
    assert found.within == 0.05
    assert "Dohare" in found.source


@pytest.mark.parametrize(
    "other",
    [
        as_published(step_size=0.002),
        as_published("ffcnn 3x200"),
        as_published(method="l2"),
        as_published() | {"N": 10_000},
        as_published() | {"dataset": {"name": "fmnist", "kind": "FashionMNIST"}},
        what("ffcnn 3x100", N=60_000) | {"update": {"kind": "SGD", "step_size": 0.003}},
        what("aen one", N=60_000),
    ],
)
def test_a_curve_in_other_settings_has_none(other: What) -> None:
    assert published.of(other) == []


def test_a_method_is_compared_whatever_its_own_settings() -> None:
    rules = [["cbp", {"kind": "ContinualBackprop", "rate": 1e-5}]]
    one = as_published("ffcnn 3x1000", 0.01, method="cbp")
    one["model"] = one["model"] | {"rules": rules}
    assert [found.method for found in published.of(one)] == ["cbp"]


def test_the_difference_is_ours_minus_theirs_in_points_at_tasks_that_ours_has() -> None:
    found = {one.task: one for one in published.compared([ours(0.92, 0.93, 0.94)], SETTINGS)}
    assert list(found) == [0, 2, 10]
    assert found[2].difference == pytest.approx(93 - 93.2)
    assert found[2].ours.half == pytest.approx(4.303 / np.sqrt(3), rel=1e-3)  # t of 2 degrees of freedom, in points


def test_the_table_marks_what_is_more_than_half_a_point_away() -> None:
    text = published.as_markdown(list(published.compared([ours(0.9270, tasks=3)], SETTINGS)))
    near, far = text.splitlines()[2:]
    assert near.startswith(
        "| F-FCNN 3×100 (init.outputs=linear, step_size=0.003) | 0 | 92.70 | 1 | 92.06 ± 0.05 | +0.64 (!)"
    )
    assert "| 93.20 ± 0.05 | −0.50 |" in far


def test_the_csv_has_a_row_for_each_point() -> None:
    text = published.as_csv(list(published.compared([ours(0.92)], SETTINGS)))
    first, second, third = csv.DictReader(StringIO(text))
    assert [first[name] for name in ("ours", "half", "seeds", "theirs", "within")] == [
        "92.00",
        "",
        "1",
        "92.06",
        "0.05",
    ]
    assert [one["difference"] for one in (first, second, third)] == ["-0.06", "-1.20", "-0.24"]


def test_without_published_points_there_is_no_table() -> None:
    assert published.texts([]) == {}


def test_the_figure_shows_the_points_in_the_accuracy_panel_alone() -> None:
    one = ours(0.92, 0.93)
    accuracy, dormancy = draw(figure(one)).axes
    (stars,) = (drawn for drawn in accuracy.collections if isinstance(drawn, PathCollection))
    np.testing.assert_allclose(np.asarray(stars.get_offsets()), [[0, 92.06], [2, 93.2], [10, 92.24]])
    assert not any(isinstance(drawn, PathCollection) for drawn in dormancy.collections)
    assert _figure(figure(one), ["accuracy"])["curves"][0]["published"] == [(0, 92.06), (2, 93.2), (10, 92.24)]
