"""Pictures of networks: what they show is what the run wrote down."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from PIL import Image, ImageColor
from support.commands import run as command
from support.small import cascade, layered

import plasticity as p
from plasticity.ground.errors import Mistake
from plasticity.networks import Cascade, Layered
from plasticity.results.lives.history import history
from plasticity.results.lives.network_picture import MARKS, picture
from plasticity.results.lives.scenes import wiring
from plasticity.results.lives.titles import of_run
from plasticity.runs.folder import Folder

SMALL = ("model=aen_random", "dataset=toy", "tracker=none", "N=200", "K=60")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> p.Loaded:
    return p.run(*SMALL, outputs=tmp_path_factory.mktemp("scenes"), tasks=6)


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_scenes_are_what_the_run_wrote_down(done: p.Loaded) -> None:
    before, found = content(done.folder), history(done.folder)
    scenes = list(done.scenes(0, 5))
    assert [scene.task for scene in scenes] == list(range(6))
    for scene, glance in zip(scenes, found.glances, strict=True):
        assert scene.units.tolist() == glance.units.tolist()
        np.testing.assert_allclose(scene.fired, glance.looks["fired"], atol=1e-3)
        assert scene.going == {life.unit for life in found.lives if life.died == (scene.task, 0)}
        assert scene.new == {life.unit for life in found.lives if life.born[0] == scene.task - 1}
    assert any(scene.going for scene in scenes)
    assert content(done.folder) == before


def test_the_scene_after_the_last_task_comes_from_the_checkpoint_with_serial_numbers(done: p.Loaded) -> None:
    (from_checkpoint,) = done.scenes()
    *_, from_start = done.scenes(0)
    assert from_checkpoint.units.tolist() == from_start.units.tolist()
    assert (from_checkpoint.new, from_checkpoint.going) == (from_start.new, from_start.going)
    np.testing.assert_array_equal(from_checkpoint.wiring.between, from_start.wiring.between)


def test_a_run_that_wrote_down_no_lives_has_scenes_without_births(tmp_path: Path) -> None:
    (scene,) = p.run(*SMALL, "lives=false", outputs=tmp_path, tasks=3).scenes()
    assert scene.units.tolist() == list(range(len(scene.units)))
    assert scene.new == frozenset()


def test_a_task_that_is_not_there_is_a_sentence(done: p.Loaded) -> None:
    with pytest.raises(Mistake, match="task 7 is not one of"):
        next(done.scenes(7, 7))


@pytest.mark.parametrize("make", [lambda: cascade(4), lambda: layered(2, 5), lambda: layered(2, 5, activation="crelu")])
def test_the_wiring_has_every_weight_between_units_and_to_outputs(make: Callable[[], Cascade | Layered]) -> None:
    network = make()
    drawn = wiring(network)
    incoming, outgoing = network.sizes
    assert sum(map(len, drawn.layers)) == len(incoming)
    if getattr(network, "activation", "relu") == "relu":
        np.testing.assert_allclose(drawn.from_inputs + np.abs(drawn.between).sum(axis=0), incoming)
        np.testing.assert_allclose(np.abs(drawn.between).sum(axis=1) + np.abs(drawn.to_outputs).sum(axis=1), outgoing)


def test_new_units_and_those_about_to_go_are_marked_and_numbered(done: p.Loaded) -> None:
    scene = next(scene for scene in done.scenes(0) if scene.new and scene.going)
    (axes,) = picture(scene, "title").axes
    texts = {text.get_text() for text in axes.texts}
    assert {str(unit) for unit in scene.units} <= texts
    assert "784 inputs" in texts
    marks = [each for each in axes.collections if isinstance(each, PathCollection)]
    assert [len(np.asarray(each.get_offsets())) for each in marks] == [
        0,
        len(scene.units),
        len(scene.new),
        len(scene.going),
        10,
    ]


@pytest.mark.slow
def test_the_title_says_how_the_network_is_wired(tmp_path: Path) -> None:
    words = ("model=aen", "dataset=toy", "N=200", "K=100", "model.column=3", "model.depth=2", "model.shortcut=false")
    done = p.run(*words, outputs=tmp_path, tasks=1)
    assert of_run(Folder(done.folder).what) == "AEN, K = 100, column 3, depth 2, no shortcut, toy data, N = 200"


@pytest.mark.slow
def test_the_command_draws_a_picture_and_a_movie(done: p.Loaded, tmp_path: Path) -> None:
    said = command("draw", str(done.folder), "--task", "3", "--out", str(tmp_path))
    assert said.returncode == 0, said.stderr
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".pdf"}
    with Image.open(next(tmp_path.glob("*.png"))) as drawn:
        there = {color for _, color in drawn.convert("RGB").getcolors(10**6) or ()}
    assert {ImageColor.getrgb(mark) for mark in MARKS} <= there  # as they are, however few points have them
    said = command("draw", str(done.folder.parents[1]), "--movie", "--out", str(tmp_path))
    assert said.returncode == 0, said.stderr
    with Image.open(said.stdout.strip()) as movie:
        assert movie.n_frames == 7  # type: ignore[attr-defined]
    said = command("draw", str(done.folder), "--task", "9", "--out", str(tmp_path))
    assert (said.returncode, said.stderr.startswith("error: --task 9 is not one of")) == (1, True)
    said = command("draw", str(tmp_path), "--out", str(tmp_path))
    assert said.stderr.startswith(f"error: {tmp_path} is not the folder of a run")
