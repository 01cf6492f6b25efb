from pathlib import Path

import cost
import numpy as np
import pytest
import timing
from support import commands
from support.synthetic import SETTINGS, family, trace, what

from plasticity.data import Toy
from plasticity.results import archive
from plasticity.results.curves import curve

pytestmark = pytest.mark.slow  # starts commands in processes of their own


def test_the_plain_loop_is_charged_for_the_units_of_every_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "mnist", lambda N: timing.mnist(100, Toy()))
    monkeypatch.setattr(cost, "microseconds", lambda engine, network, samples, budget: 10.0 + network.units)
    growing, fixed = family("agn one", seeds=3, units=np.arange(120)), family("ffcnn 1x50", seeds=2, units=50)
    archive.write(tmp_path / "records", [growing, fixed, curve(what("agn one", outgoing="zero"), [trace(0)])], SETTINGS)
    found = cost.cost(tmp_path)
    seconds = 0.01 * (3 * (10 + np.arange(120)).sum() + 2 * 120 * 60)
    assert found["runs"] == 5
    assert found["plain_hours"] == pytest.approx(seconds / 3600)
    assert found["ratio"] == pytest.approx(seconds / 5)


@pytest.mark.thorough
def test_records_without_a_run_in_the_usual_settings_are_one_sentence(tmp_path: Path) -> None:
    archive.write(tmp_path / "records", [], SETTINGS)
    done = commands.run("cost", str(tmp_path))
    assert (done.returncode, done.stderr) == (1, f"error: {tmp_path} has no runs in the default settings\n")
