import csv
from io import StringIO

import numpy as np
import pytest
from support.synthetic import SETTINGS, family, trace, what

from plasticity.results.curves import curve
from plasticity.results.table import as_csv, as_markdown, rows


def test_a_row_of_a_known_curve() -> None:
    course = np.concatenate([np.full(10, 0.7), np.full(50, 0.9), np.full(60, 0.8)])
    units = np.concatenate([np.arange(60), np.full(60, 60)])
    row = rows([family("aen two", accuracy=course, dormancy=0.25, units=units, noise=0)], SETTINGS)[0]
    assert (row.curve, row.seeds, row.tasks) == ("AEN, two new units per task", 5, 120)
    means = [
        row.first.mean,
        row.best.mean,
        row.last.mean,
        row.change.mean,
        row.dormancy.mean,
        row.units.level.mean,
    ]
    np.testing.assert_allclose(means, [0.7, 0.9, 0.8, -0.1, 0.25, 60])
    assert row.units.trend == "settled"


def test_time_is_of_all_tasks_learned_even_where_fewer_are_used() -> None:
    found = curve(what("aen one"), [trace(0, 100), trace(1, 100), trace(2, 300)])
    row = rows([found], SETTINGS)[0]
    assert row.microseconds == pytest.approx(3e6 / (500 * 10_000))
    assert row.core_hours == pytest.approx(3 / 3600)


def test_csv_has_a_number_or_nothing_in_every_interval() -> None:
    made = [rows([family("aen one", seeds=n)], SETTINGS)[0] for n in (1, 5)]
    one, five = csv.DictReader(StringIO(as_csv(made)))
    assert one["last_ci95"] == ""
    assert 0 < float(five["last_ci95"]) < 0.01


def test_markdown_shows_a_growing_size_as_rising() -> None:
    text = as_markdown(rows([family("agn one", units=np.arange(120))], SETTINGS))
    assert "99.5 ± 0.0 (rising)" in text


def test_nan_at_the_end_of_the_only_seed_is_a_dash() -> None:
    broken = family("aen one", seeds=1)
    broken.traces[0].values["accuracy"][-1] = np.nan
    assert "| – |" in as_markdown(rows([broken], SETTINGS))
