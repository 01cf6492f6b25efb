"""Every command in the README runs, word for word but for a smaller size."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.S)
FILES = {
    match[1]: text for kind, text in BLOCKS if kind in ("python", "yaml") and (match := re.match(r"# (\S+)\n", text))
}
COMMANDS = [line for kind, text in BLOCKS if kind == "bash" for line in text.strip().splitlines()]
SMALLER = {"N=10000,40000": "N=50,100", "K=6500,3000": "K=30,20", "range(0,10)": "range(0,2)", "tasks=400": ""}
SIZE = {"dataset": "toy", "N": "50", "K": "30", "tasks": "2", "tracker": "none"}
SET_UP = "python3 -m venv .venv && "


def smaller(command: str) -> str:
    """The same command at a size for a test; set-up is what .ci/run does with it, word for word."""
    command = command.split(" && ")[-1].replace(".venv/bin/python", "python")
    for large, small in SMALLER.items():
        command = command.replace(large, small)
    given = {word.split("=")[0].strip("'") for word in command.split()}
    if "launch/main.py" not in command:
        return command
    more = [f"{key}={value}" for key, value in SIZE.items() if key == "dataset" or key not in given]
    return " ".join([command, *more])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that looks like the repository, with the README's files in it."""
    for name in ("conf", "launch"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


RUNS = [command for command in COMMANDS if "launch/main.py" in command]


@pytest.mark.slow
@pytest.mark.parametrize("command", RUNS)
def test_the_command_runs(command: str, place: Path) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", smaller(command)], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    states = [json.loads(path.read_text())["state"] for path in (place / "outputs").rglob("status.json")]
    assert states
    assert set(states) == {"finished"}


def test_every_command_of_the_readme_is_known_to_a_test() -> None:
    elsewhere = ("launch/benchmark.py", "pytest")
    assert [c for c in COMMANDS if c not in RUNS and not any(word in c for word in elsewhere)] == []


def test_the_readme_opens_with_the_two_commands() -> None:
    first, second = (command for command in COMMANDS if command.startswith(SET_UP))
    assert first.endswith("launch/main.py -m model=agn,aen,sgn dataset=mnist,fmnist")
    assert second.endswith("pytest")


def test_the_rules_of_the_readme_do_what_it_says(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np
    from conftest import cascade, small_data

    from plasticity.stream import Samples

    monkeypatch.syspath_prepend(str(place / "my_rules"))
    import rules  # pyright: ignore[reportMissingImports]

    network, probe = cascade(4), Samples.of(small_data().images)
    network.outgoing[2] = 0.001
    assert rules.Smallest(most=3)(network, probe, np.random.default_rng(0)).tolist() == [2]
    assert len(rules.Smallest(most=4)(network, probe, np.random.default_rng(0))) == 0
    assert rules.WhenWrong(K=4, enough=0.5)(network, np.array([True] * 8 + [False] * 4)) == 1
    assert rules.WhenWrong(K=4, enough=0.5)(network, np.array([False] * 8 + [True] * 4)) == 0
