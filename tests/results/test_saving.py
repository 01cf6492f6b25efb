"""A figure is drawn again if, and only if, it would look otherwise or is not there as it was drawn."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import SETTINGS, family

from plasticity.results import drawn, saving
from plasticity.results.curves import Curve
from plasticity.results.figures import Figure, Preset
from plasticity.runs import kept

NAMES = ["one-mnist-N10000.png", "one-mnist-N10000.pdf"]
Draw = Callable[..., list[str]]


def figure(*curves: Curve, name: str = "one") -> Figure:
    preset = Preset(name, "A title", "mnist", 10_000, tuple(curve.what for curve in curves))
    return Figure(preset, curves, (), SETTINGS)


@pytest.fixture
def draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Draw:
    """As a command of its own would: the names of those that it drew."""
    monkeypatch.setattr(kept, "user_cache_dir", lambda name: str(tmp_path / "cache"))
    monkeypatch.setattr(saving, "ProcessPoolExecutor", lambda workers: InTurn())
    calls: list[str] = []

    def content(kind: str) -> Callable[[Figure], bytes]:
        return lambda one, *_: calls.append(f"{one.name}.{kind}") or f"a picture of {one.name}".encode()

    monkeypatch.setattr(saving, "draw", lambda one, width: one)
    monkeypatch.setattr(saving, "_png", content("png"))
    monkeypatch.setattr(saving, "_pdf", content("pdf"))

    def go(*figures: Figure, width: int | None = None) -> list[str]:
        calls.clear()
        paths = list(saving.save_all(figures, tmp_path / "figures", width))
        assert [path.name for pair in paths for path in pair] == [f"{one.name}.{k}" for one in figures for k in KINDS]
        assert all(path.exists() for pair in paths for path in pair)
        return list(calls)

    return go


class InTurn:
    """In place of several processes."""

    map = staticmethod(map)

    def __enter__(self) -> "InTurn":
        return self

    def __exit__(self, *_: object) -> None: ...


KINDS = saving.KINDS


def test_the_same_figure_is_drawn_once(draw: Draw) -> None:
    assert draw(figure(family("aen one"))) == NAMES
    assert draw(figure(family("aen one"))) == []


def test_of_several_only_those_that_changed_are_drawn(draw: Draw) -> None:
    one, two = figure(family("aen one")), figure(family("agn one"), name="two")
    assert len(draw(one, two)) == 4
    assert draw(one, figure(family("agn one", seeds=2), name="two")) == [name.replace("one", "two") for name in NAMES]
    assert draw(one) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_somebody_deleted_is_drawn_again(name: str, draw: Draw, tmp_path: Path) -> None:
    draw(figure(family("aen one")))
    (tmp_path / "figures" / name).unlink()
    assert draw(figure(family("aen one"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_somebody_edited_is_drawn_again_though_its_size_and_time_are_the_same(
    name: str, draw: Draw, tmp_path: Path
) -> None:
    draw(figure(family("aen one")))
    path = tmp_path / "figures" / name
    about, content = path.stat(), path.read_bytes()
    path.write_bytes(content[::-1])
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert draw(figure(family("aen one"))) == NAMES
    assert path.read_bytes() == content


def test_another_figure_in_its_place_is_drawn_over(draw: Draw, tmp_path: Path) -> None:
    draw(figure(family("aen one")), figure(family("agn one"), name="two"))
    (tmp_path / "figures" / "two-mnist-N10000.png").replace(tmp_path / "figures" / NAMES[0])
    assert NAMES[0] in draw(figure(family("aen one")))


def test_a_value_that_moved_by_its_last_bit_is_drawn(draw: Draw) -> None:
    curve = family("aen one")
    draw(figure(curve))
    first, *rest = curve.traces
    accuracy = first.values["accuracy"].copy()
    accuracy[3] = np.nextafter(accuracy[3], 2)
    moved = replace(first, values={**first.values, "accuracy": accuracy})
    assert draw(figure(replace(curve, traces=(moved, *rest)))) == NAMES


def test_another_moving_mean_is_drawn(draw: Draw) -> None:
    draw(figure(family("aen one")))
    assert draw(figure(family("aen one")), width=5) == NAMES


def test_another_title_measure_or_missing_curve_is_drawn(draw: Draw) -> None:
    one = figure(family("aen one"))
    for other in (
        replace(one, preset=replace(one.preset, title="Another title")),
        replace(one, missing=("AGN",)),
        replace(one, settings={**SETTINGS, "bias": not SETTINGS["bias"]}),
    ):
        draw(one)
        assert draw(other) == NAMES


@pytest.mark.parametrize("name", ["files", "libraries", "fonts", "settings"])
def test_everything_is_drawn_again_when_what_draws_it_changes(
    name: str, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(figure(family("aen one")))
    changed = drawn.surroundings().replace(f'"{name}": {{', f'"{name}": {{"new": "", ')
    assert changed != drawn.surroundings()
    monkeypatch.setattr(drawn, "surroundings", lambda: changed)
    assert draw(figure(family("aen one"))) == NAMES


def test_code_libraries_fonts_and_settings_decide_how_a_figure_looks() -> None:
    said = drawn.surroundings()
    for word in ("results/drawing.py", "field/published.yaml", "matplotlib", "pillow", "DejaVu", "lines.linewidth"):
        assert word in said


@pytest.mark.parametrize("text", ["", "[1]", '{"one-mnist-N10000": 3}', '{"one-mnist-N10000": ["", 1]}', "{"])
def test_a_damaged_note_of_what_was_drawn_is_none(text: str, draw: Draw, tmp_path: Path) -> None:
    draw(figure(family("aen one")))
    (note,) = (tmp_path / "cache" / "figures").iterdir()
    note.write_text(text)
    assert draw(figure(family("aen one"))) == NAMES
    assert draw(figure(family("aen one"))) == []


def test_where_nothing_can_be_kept_figures_are_drawn(draw: Draw, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert draw(figure(family("aen one"))) == draw(figure(family("aen one"))) == NAMES


def test_arrays_of_the_same_bytes_and_another_shape_or_kind_are_not_the_same() -> None:
    zeros = np.zeros(4)
    others = (zeros.reshape(2, 2), zeros.astype(np.int64), [0.0] * 4, {0: 0.0}, "0000")
    assert len({drawn.source(value) for value in (zeros, *others)}) == 6
    assert drawn.source(["ab", "c"]) != drawn.source(["a", "bc"])
    assert drawn.source(1) != drawn.source(True) != drawn.source("True")
