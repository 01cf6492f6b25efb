"""Many runs are made of one, and read."""

from pathlib import Path

import benchmark_many
import pytest

from plasticity.ground.errors import Mistake
from plasticity.results import curves


@pytest.mark.slow
def test_runs_differ_in_seed_and_step_size_and_are_read_as_curves(tmp_path: Path) -> None:
    benchmark_many.make(tmp_path, 13, 2)
    found, problems = curves.read(tmp_path)
    assert not problems
    assert sorted(len(curve.seeds) for curve in found) == [3, 10]
    assert {curve.tasks for curve in found} == {2}
    seconds, used, most = benchmark_many.measured(benchmark_many.HERE / "status.py", tmp_path)
    assert min(seconds, used, most) > 0


@pytest.mark.slow
def test_a_grid_of_so_many_runs_is_composed_and_none_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert benchmark_many.compose(40) == 40
    assert list(tmp_path.iterdir()) == []


def test_no_runs_are_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark_many.py", "--runs", "0"])
    with pytest.raises(Mistake, match=r"^--runs=0 is not possible; it must be a whole number, 1 or more$"):
        benchmark_many.main()
