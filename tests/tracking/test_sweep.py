"""The documented sweep, by wandb's own functions and by its own agent."""

import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import arguments
import pytest
import yaml
from support.commands import surroundings
from support.small import ROOT, configured
from support.wandb_server import SWEEP, Server, serving


def words(**parameters: object) -> list[str]:
    """The agent's command line for one run of the sweep, by wandb's own functions."""
    from wandb.sdk.launch.sweeps import utils  # takes a second, which those who only collect tests need not wait for

    sweep = yaml.safe_load((ROOT / "launch" / "sweep.yaml").read_text())
    named = {name: {"value": value} for name, value in parameters.items()}
    filled = {
        **utils.create_sweep_command_args({"args": named}),
        "program": [sweep["program"]],
        "env": ["/usr/bin/env"],
    }
    whole: list[str] = []
    for word in utils.create_sweep_command(sweep["command"]):
        whole += filled[word[2:-1]] if str(word).startswith("${") else [str(word)]
    return whole


@pytest.mark.slow
def test_its_parameters_are_keys_that_the_suite_takes() -> None:
    sweep = yaml.safe_load((ROOT / "launch" / "sweep.yaml").read_text())
    first = {name: each["values"][0] for name, each in sweep["parameters"].items()}
    command, python, program, *given = words(**first)
    assert (command, python, program) == ("/usr/bin/env", "python", "launch/main.py")
    config = configured(*arguments.tidy(given))
    assert (config.step_size, config.seed, config.tracker["mode"]) == (0.01, 0, "online")
    assert config.model["rules"]["grow"]["K"] == 3000


@pytest.mark.slow
def test_numbers_and_truth_values_arrive_as_they_are() -> None:
    config = configured(*arguments.tidy(words(step_size=1e-05, bias=False, order="fixed")[3:]))
    assert (config.step_size, config.bias, config.order) == (1e-05, False, "fixed")


def shortened(folder: Path) -> Path:
    """The documented sweep with one value for each key, of runs that take no time."""
    sweep = yaml.safe_load((ROOT / "launch" / "sweep.yaml").read_text())
    sweep["program"] = str(ROOT / sweep["program"])
    sweep["parameters"] = {"step_size": {"values": [0.01]}, "K": {"values": [30]}, "seed": {"values": [4]}}
    sweep["command"] = [sys.executable if word == "python" else word for word in sweep["command"]]
    sweep["command"][-1:-1] = ["dataset=toy", "N=100", "tasks=3"]
    (folder / "sweep.yaml").write_text(yaml.safe_dump(sweep))
    return folder / "sweep.yaml"


def wandb(server: Server, folder: Path, *words: str) -> str:
    surrounded = surroundings() | server.environment | {"HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", "wandb", *words], cwd=folder, env=surrounded, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.thorough
def test_an_agent_of_wandbs_runs_it_and_gets_the_numbers_of_what_was_run_before(tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        with serving() as server:
            made = wandb(server, tmp_path, "sweep", str(shortened(tmp_path)))
            assert f"wandb agent me/plasticity/{SWEEP}" in made
            said.append(wandb(server, tmp_path, "agent", f"me/plasticity/{SWEEP}"))
            (run,) = server.runs.values()
            soon = monotonic() + 40
            while run.tasks != [0, 1, 2] and monotonic() < soon:  # a follower goes on by itself
                sleep(0.1)
            assert run.tasks == [0, 1, 2]
            assert run.upserts["sweep"] == SWEEP
            assert "accuracy_last" in run.summary
            assert server.unknown == []
    assert "is finished (3 tasks)" in said[1]
    assert not any("WANDB_DIR" in each for each in said)  # the agent's own doing
    (folder,) = tmp_path.glob("outputs/toy/N100/*")
    assert folder.name == "aen-K30"
