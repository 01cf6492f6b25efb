"""Jobs that a real SLURM preempts for one of higher priority: with and without a time of grace, watched or not."""

from pathlib import Path

import pytest
from support.cluster import end_of, hasten, last_id, new_jobs, preempt, queue, restarts
from support.grids import LONG, Grid, numbers, wait_until

pytestmark = [pytest.mark.slurm, pytest.mark.thorough]
NO_RETRY = "hydra.launcher.retries=0"  # a preemption is no failure


@pytest.mark.parametrize(
    ("watched", "detached"),
    [("graceful", "main"), ("main", "graceful")],
)
def test_preempted_jobs_are_requeued_any_number_of_times_and_equal_undisturbed_ones(
    slurm_grid: Grid, tmp_path: Path, watched: str, detached: str
) -> None:
    """The site requeues only jobs that ask for it (JobRequeue=0); in `graceful` a SIGTERM comes 20 s before the end."""
    before = last_id()
    other = Grid(tmp_path / "detached", slurm_grid.settings)
    slurm_grid.start(*LONG, NO_RETRY, "seed=0", f"hydra.launcher.partition={watched}")
    other.run(*LONG, NO_RETRY, "seed=0", f"hydra.launcher.partition={detached}", "hydra.launcher.detach=true")

    def states() -> list[str]:
        return [said.state for said in slurm_grid.statuses + other.statuses]

    for turn in (1, 2):
        wait_until(lambda: hasten() or states() == ["running"] * 2)
        wait_until(lambda: slurm_grid.under_way(turn) and other.under_way(turn))  # noqa: B023
        preempt()
        wait_until(lambda: states() == ["interrupted"] * 2)
        wait_until(lambda: restarts().count(turn) == 2)  # noqa: B023
    code, said = end_of(slurm_grid.started[0])
    assert code == 0, said
    wait_until(lambda: hasten() or (other.finished == 1 and not queue()))
    assert len(new_jobs(before)) == 2 + 2  # two of ours, two that preempted them
    undisturbed = Grid(tmp_path / "undisturbed", ("hydra/launcher=serial",))
    undisturbed.run(*LONG, "seed=0")
    assert len(numbers(undisturbed.folders[0])) == 150
    for grid in (slurm_grid, other):
        assert (grid.folders[0] / "run.log").read_text().count("resumed after") == 2
        assert numbers(grid.folders[0]) == numbers(undisturbed.folders[0])
