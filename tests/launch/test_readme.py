"""Every command in the README runs, word for word but for a smaller size, one after the other in one folder."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.readme import COMMANDS, SET_UP, do, lay_out
from support.small import cascade, small_data
from support.wandb_server import KEY, Server, serving

from plasticity.streams.permuted import Samples

ELSEWHERE = (
    "pytest",
    "launcher=slurm",
    "launch/benchmark.py",
    "launch/cost.py",
)  # have tests of their own
HERE = [command for command in COMMANDS if not any(word in command for word in ELSEWHERE)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("readme"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("command", HERE)
def test_the_command_runs(command: str, place: Path, server: Server) -> None:
    done = do(command, place, WANDB_BASE_URL=server.url, WANDB_API_KEY=KEY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.strip()
    states = [json.loads(path.read_text())["state"] for path in (place / "outputs").rglob("status.json")]
    assert states
    assert set(states) == {"finished"}


def test_the_readme_opens_with_the_two_commands() -> None:
    first, second = (command for command in COMMANDS if command.startswith(SET_UP))
    assert COMMANDS[:2] == [first, second]
    assert first.endswith("launch/main.py -m model=agn,aen,sgn dataset=mnist,fmnist")
    assert second.endswith("pytest")


def test_the_rules_of_the_readme_do_what_it_says(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(place / "my_rules"))
    import rules  # pyright: ignore[reportMissingImports]

    network, probe = cascade(4), Samples.of(small_data().images)
    network.outgoing[2] = 0.001
    assert rules.Smallest(most=3)(network, probe, np.random.default_rng(0)).tolist() == [2]
    assert len(rules.Smallest(most=4)(network, probe, np.random.default_rng(0))) == 0
    assert rules.WhenWrong(K=4, enough=0.5)(network, np.array([True] * 8 + [False] * 4)) == 1
    assert rules.WhenWrong(K=4, enough=0.5)(network, np.array([False] * 8 + [True] * 4)) == 0
