"""The lives of units: who was born and died, when and why, and that writing it down changes nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.small import MODELS, cascade, configured, layered, stream

import plasticity as p
from plasticity.ground.errors import Mistake
from plasticity.learner import Learner
from plasticity.lives import Event, Lives
from plasticity.networks import Network
from plasticity.results.lives.history import history
from plasticity.rules import Change, Dead, Every, RandomUnits, Scratch
from plasticity.runs import build, pages
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.folder import LIVES, Folder
from plasticity.runs.progress import Quiet

Make = Callable[..., Config]


def page_of(network: Network, lives: Lives | None = None, task: int = 0) -> Lives:
    lives = lives or Lives()
    lives.look(task, network, stream().samples(0))
    return lives


def test_what_a_rule_does_to_units_becomes_births_and_deaths_by_serial_number() -> None:
    lives = page_of(cascade(0))
    rule = Every(80)
    lives.follow(80, "grow", rule, Change(add=3), False)
    lives.follow(90, "prune", Dead(), Change(drop=[1]), False)
    lives.follow(95, "mine", rule, Change(renew=[1], add=1), False)  # the second unit that is left: number 2
    assert lives.units == [0, 3, 4]
    assert lives.page.events == [
        *(Event(80, None, None, unit) for unit in range(3)),
        Event(90, 1, "silent", None), Event(95, 2, "mine", 3), Event(95, None, None, 4),
    ]  # fmt: skip


def test_a_change_renews_before_it_drops_and_both_mean_the_units_that_there_were() -> None:
    lives = page_of(layered(1, 4))
    lives.follow(5, "mine", Every(5), Change(renew=[3], drop=[0, 2]), False)
    assert lives.units == [1, 4]


def test_scratch_ends_all_lives_and_a_fixed_network_begins_as_many() -> None:
    grown, fixed = page_of(cascade(0)), page_of(layered(1, 3))
    grown.follow(1, "grow", Every(1), Change(add=2), False)
    for lives, fixed_size in ((grown, False), (fixed, True)):
        lives.follow(7, "scratch", Scratch(), Change(redraw="all"), fixed_size)
    assert (grown.units, fixed.units) == ([], [3, 4, 5])
    assert [(event.died, event.why) for event in grown.page.events[-2:]] == [(1, "redrawn"), (0, "redrawn")]


def test_a_look_is_what_units_do_on_the_samples_and_how_large_their_weights_are() -> None:
    network, samples = cascade(3), stream().samples(0)
    lives = page_of(network)
    hidden, looks = network.hidden(samples), lives.page.looks
    np.testing.assert_allclose(looks["fired"], (hidden > 0).mean(axis=0))
    np.testing.assert_allclose(looks["activity"], hidden.mean(axis=0))
    np.testing.assert_allclose(looks["incoming"], np.abs(network.weight[:, 10:]).sum(axis=0))
    np.testing.assert_allclose(looks["outgoing"], np.abs(network.weight[20:]).sum(axis=1))


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_sizes_of_a_layered_networks_units_go_by_layers(activation: str) -> None:
    network = layered(2, 3, activation=activation)
    first, second, last = (np.abs(weight) for weight in network.weight)
    incoming, outgoing = network.sizes
    np.testing.assert_allclose(incoming, [*first.sum(axis=0), *second.sum(axis=0)])
    both = [each.sum(axis=1) for each in (second, last)]
    np.testing.assert_allclose(outgoing, [sum(rows[unit::3]) for rows in both for unit in range(3)])


def learned(*overrides: str, lives: bool, tasks: int = 4) -> Learner:
    learner = replace(
        build.learner(configured("dataset=toy", "N=200", "K=80", *overrides)), lives=Lives() if lives else None
    )
    for _ in learner.records(0, tasks):
        pass
    return learner


CHANGING = (
    *((f"model={model}", *(["model.width=20"] if model == "ffcnn" else [])) for model in MODELS),
    ("model=agn", "method=scratch"),
    ("model=ffcnn", "model.width=20", "method=cbp", "model.rules.cbp.rate=0.01"),
    ("model=aen", "method=redo", "model.rules.redo.every=50", "model.rules.redo.threshold=0.5"),
)


@pytest.mark.slow
@pytest.mark.parametrize("settings", CHANGING, ids=" ".join)
def test_lives_change_no_weight_and_follow_every_unit(settings: tuple[str, ...]) -> None:
    with_lives, without = learned(*settings, lives=True), learned(*settings, lives=False)
    for one, other in zip(with_lives.network.parameters(), without.network.parameters(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert with_lives.lives
    assert len(set(with_lives.lives.units)) == with_lives.network.units


@pytest.mark.slow
@pytest.mark.parametrize("settings", CHANGING, ids=" ".join)
def test_the_file_agrees_with_the_rows_and_a_run_in_parts_writes_the_same(
    settings: tuple[str, ...], run_config: Make, tmp_path: Path
) -> None:
    whole = execute(run_config(*settings), Quiet())
    for tasks in (2, 5):
        parts = execute(run_config(*settings, f"tasks={tasks}", f"outputs={tmp_path}/parts"), Quiet())
    assert (parts.folder / LIVES).read_bytes() == (whole.folder / LIVES).read_bytes()
    found = history(whole.folder)
    for row in whole.rows:
        task = row["task"]
        born = [life for life in found.lives if life.born[0] == task and not (task == 0 and life.born[1] == 0)]
        died = [life for life in found.lives if life.died is not None and life.died[0] == task]
        if not any(life.why == "redrawn" for life in died):
            assert (row["added"] + row["renewed"], row["pruned"] + row["renewed"]) == (len(born), len(died))
        alive = [
            life.unit for life in found.lives if life.born < (task, 1) and not (life.died and life.died <= (task, 0))
        ]
        assert len(alive) == row["units"]


def test_without_the_key_there_is_no_file_and_the_numbers_are_the_same(run_config: Make, tmp_path: Path) -> None:
    one, other = (
        execute(run_config(f"lives={lives}", f"outputs={tmp_path}/{lives}"), Quiet()) for lives in ("true", "false")
    )
    assert one.digest == other.digest
    assert not (other.folder / LIVES).exists()
    assert [{**row, "seconds": 0} for row in one.rows] == [{**row, "seconds": 0} for row in other.rows]


def test_pages_beyond_the_checkpoint_are_cut_off_and_made_anew(run_config: Make) -> None:
    """As after a kill: pages and rows that no checkpoint holds, the last of them torn."""
    run = execute(run_config("tasks=3"), Quiet())
    path = run.folder / LIVES
    path.write_text(
        path.read_text() + path.read_text().splitlines()[-1].replace('"task":2', '"task":3') + '\n{"task":4'
    )
    execute(run_config(), Quiet())
    kept = path.read_bytes()
    assert path.read_bytes() == (execute(run_config("force=true"), Quiet()).folder / LIVES).read_bytes() == kept


@pytest.mark.parametrize("content", [None, b"", b"{}\n", b"[1]\n", b'{"task":0,"events":[[1]]}\n', b"\xff\n"])
def test_a_run_whose_file_is_missing_or_damaged_goes_on_without_one(run_config: Make, content: bytes | None) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    path = run.folder / LIVES
    path.unlink() if content is None else path.write_bytes(content)
    execute(run_config(), Quiet())
    assert len(run.rows) == 5
    assert "the lives of units are not written down" in (run.folder / "run.log").read_text()
    assert Folder(run.folder).pages == []
    with pytest.raises(Mistake, match=r"has no lives\.jsonl"):
        p.load(run.folder).lives  # noqa: B018


def test_a_run_that_begins_anew_begins_its_file_anew(run_config: Make) -> None:
    run = execute(run_config("tasks=3"), Quiet())
    (run.folder / "checkpoint").unlink()
    execute(run_config("tasks=2", "force=false"), Quiet())
    assert [page.task for page in pages.read(run.folder / LIVES)] == [0, 1]


def test_a_page_reads_back_as_it_was_to_three_digits() -> None:
    lives = page_of(cascade(4))
    lives.follow(9, "prune", RandomUnits(), Change(add=1), False)
    (again,) = pages.parse(pages.line(lives.page).encode())
    assert (again.task, again.events) == (0, lives.page.events)
    for name, values in lives.page.looks.items():
        np.testing.assert_allclose(again.looks[name], values, rtol=1e-3)


def test_a_number_beyond_the_range_is_written_as_the_largest() -> None:
    lives = page_of(cascade(1))
    lives.page.looks["activity"][:] = 1e9  # type: ignore[index]
    assert pages.parse(pages.line(lives.page).encode())[0].looks["activity"] == [65504]


def test_a_notebook_has_lives_and_looks_as_tables(run_config: Make) -> None:
    run = execute(run_config("model=aen_random"), Quiet())
    lives, looks = p.load(run.folder).lives, p.load(run.folder).looks
    assert list(lives.unit) == list(range(10))
    assert set(lives.why[lives.died_task.notna()]) == {"random"}
    assert list(looks.groupby("task").size()) == [
        row["units"] + row["pruned"] for row in run.rows if row["units"] + row["pruned"]
    ]
    np.testing.assert_allclose(looks.utility, looks.activity * looks.outgoing)
    assert json.loads((run.folder / LIVES).read_text().splitlines()[0])["events"] == [
        [80, None, None, 0],
        [160, None, None, 1],
    ]
