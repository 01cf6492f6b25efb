"""Not one number changes: what the suite computed before it was redesigned, on toy data, it computes still."""

import json
import platform
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.lean import RULES
from support.small import MODELS

from plasticity.compiled.kinds import NAME
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.folder import Folder
from plasticity.runs.progress import Quiet

KEPT = json.loads((Path(__file__).parent / "numbers.json").read_text())
ROUNDED = ("effective_rank", "weight_magnitude")  # sums that another kind of CPU adds up in another order


def cpu() -> str:
    """As numbers.json names the one it was made on."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.*)$", info.read_text(), re.M) if info.exists() else None
    return f"{found[1] if found else platform.processor()}, {NAME}"


def config(case: str, run_config: Callable[..., Config]) -> Config:
    model, engine, *settings = case.split()
    if model == "lean":
        return run_config("model=agn", "model.name=lean", f"engine={engine}", *settings, *RULES)
    width = ["model.width=20"] if model == "ffcnn" else []
    return run_config(f"model={model}", f"engine={engine}", *settings, *width)


@pytest.mark.slow
@pytest.mark.parametrize("case", KEPT["runs"])
def test_a_run_gives_the_numbers_that_it_gave(case: str, run_config: Callable[..., Config]) -> None:
    if "seed=3" in case:  # in two parts
        execute(config(re.sub(r"tasks=\d+", "tasks=3", case), run_config), Quiet())
    run = execute(config(case, run_config), Quiet())
    expected = KEPT["runs"][case]
    found = [{name: row[name] for name in kept} for row, kept in zip(Folder(run.folder).rows, expected, strict=True)]
    if cpu() == KEPT["made_on"]:
        assert found == expected
    for row, kept in zip(found, expected, strict=True):
        assert {name: row[name] for name in kept if name not in ROUNDED} == {
            name: kept[name] for name in kept if name not in ROUNDED
        }
        assert row == pytest.approx(kept, rel=1e-5)


def test_the_cases_are_all_models_on_both_engines() -> None:
    there = {tuple(case.split()[:2]) for case in KEPT["runs"]}
    assert there >= {(model, engine) for model in MODELS for engine in ("torch", "fused")}
