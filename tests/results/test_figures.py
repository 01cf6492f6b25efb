import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.synthetic import SETTINGS, family, trace, what

from plasticity.results import figures as figures_module
from plasticity.results import table, webpage, words
from plasticity.results.curves import Curve, curve
from plasticity.results.drawing import draw
from plasticity.results.figures import Figure, Preset, figures, idle
from plasticity.results.pagedata import data
from plasticity.results.saving import save_canvas
from plasticity.runs.identity import What

AEN = ("aen one", "aen two", "aen three", "aen_random one", "agn one", "ffcnn 3x200")


def preset(name: str = "aen", curves: tuple[str, ...] = AEN) -> Preset:
    return Preset(name, "A title", "mnist", 10_000, tuple(what(one) for one in curves))


def figure(*curves: Curve, names: tuple[str, ...] = AEN) -> Figure:
    return figures([preset(curves=names)], curves, SETTINGS)[0]


def test_a_preset_without_runs_is_no_figure() -> None:
    assert figures([preset()], [family("sgn one", seeds=1)], SETTINGS) == []


def test_curves_come_in_the_presets_order_and_missing_ones_in_the_papers_words() -> None:
    found = figure(family("agn one"), family("aen two"))
    assert [found.legend(one) for one in found.curves] == ["AEN, two new units per task", "AGN"]
    assert found.missing == (
        "AEN, one new unit per task",
        "AEN, three new units per task",
        "AEN-random",
        "F-FCNN 3×200",
    )
    assert "no runs of AEN-random" in found.notes


def test_a_seed_that_only_some_curves_have_is_named() -> None:
    found = figure(family("aen one", seeds=3), family("agn one", seeds=2), names=("aen one", "agn one"))
    assert found.notes == ["AGN: no run of seed 2"]


def test_an_unfinished_seed_is_named_once() -> None:
    traces = [trace(0, 90), trace(1, 90), trace(2, 9, asked=90)]
    found = figure(family("aen one", seeds=3, tasks=90), curve(what("agn one"), traces), names=("aen one", "agn one"))
    assert found.notes == ["AGN: seed 2 has 9 of 90 tasks (finished), left out"]


def test_a_shorter_curve_is_named() -> None:
    found = figure(family("aen one", tasks=50), family("agn one", tasks=80), names=("aen one", "agn one"))
    assert found.notes == ["AEN, one new unit per task: 50 tasks, others 80"]


def test_the_drawn_mean_and_band_are_those_of_the_seeds() -> None:
    one = family("aen one", units=np.arange(120))
    ax = draw(figure(one)).axes[0]
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_ydata(), float), 100 * one.series("accuracy").mean(axis=0))
    assert len(ax.collections) == 1


def test_accuracy_dormancy_units_and_connections_are_drawn_where_sizes_change() -> None:
    canvas = draw(figure(family("aen one", units=np.arange(120))))
    assert [ax.get_title("left") for ax in canvas.axes] == [
        "Accuracy (%)",
        "Dormancy (%)",
        "Hidden units",
        "Connections",
    ]


def test_sizes_are_not_drawn_where_none_changes() -> None:
    assert len(draw(figure(family("ffcnn 3x200", units=600))).axes) == 2


def test_smoothing_is_said_in_the_caption() -> None:
    caption = draw(figure(family("aen one")), width=5).legends[0].get_title().get_text()
    assert "moving mean of 5 tasks" in caption


def test_the_caption_names_what_is_missing() -> None:
    caption = draw(figure(family("aen one"))).legends[0].get_title().get_text()
    assert "Mean over 5 seeds; band: 95 % t interval" in caption
    assert "AEN-random" in caption


def save(figure: Figure, folder: Path, width: int) -> list[Path]:
    """In this process, where warnings are heard."""
    return save_canvas(draw(figure, width), folder, figure.name)


@pytest.mark.slow
def test_one_seed_uneven_lengths_and_nan_are_drawn_without_a_warning(tmp_path: Path) -> None:
    broken = np.full(40, 0.5)
    broken[10:] = np.nan
    curves = [
        family("aen one", seeds=1, tasks=120, units=np.arange(120)),
        curve(what("agn one"), [trace(seed, 40, accuracy=broken) for seed in range(3)]),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paths = save(figure(*curves), tmp_path, 3)
    assert [path.name for path in paths] == ["aen-mnist-N10000.png", "aen-mnist-N10000.pdf"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert paths[1].read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "dormancy", "units", "connections"])
def test_a_curve_that_lacks_a_measure_is_drawn_without_a_warning(measure: str, tmp_path: Path) -> None:
    lacking = family("agn one", seeds=3, units=np.arange(120))
    for one in lacking.traces:
        one.values[measure][:] = np.nan
    found = figure(family("aen one", seeds=3, units=np.arange(120), connections=7840 + np.arange(120)), lacking)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(found, tmp_path, 3)
        page_data = webpage.data(data([found], found.curves))
    assert len(found.panels) == 4
    assert "NaN" not in page_data


def test_one_curve_without_sizes_leaves_the_others_their_logarithmic_axis() -> None:
    small, large = family("aen one", units=10 + np.arange(120)), family("aen two", units=10_000)
    assert figure(small, large).logarithmic("units")
    assert figure(small, large, family("agn one", units=np.nan)).logarithmic("units")


@pytest.mark.slow
def test_the_same_curves_make_the_same_files(tmp_path: Path) -> None:
    one = figure(family("aen one", units=np.arange(120)))
    first = [path.read_bytes() for path in save(one, tmp_path, 1)]
    assert first == [path.read_bytes() for path in save(one, tmp_path, 1)]


SIZES = tuple(f"ffcnn {layers}x{width}" for layers in (1, 2, 3) for width in (50, 100, 200, 500))
BOTH = tuple(f"{model} {growth}" for model in ("aen", "aen_two_layer") for growth in ("one", "two", "three"))
SETS = (AEN, SIZES, (*BOTH, "agn one", "agn_two_layer one"), ("agn one", "sgn one", "ffcnn 3x200"))


@pytest.mark.parametrize("names", SETS)
def test_every_curve_of_a_figure_looks_different(names: tuple[str, ...]) -> None:
    found = figure(*(family(name, seeds=1, tasks=5) for name in names), names=names)
    assert len({found.style(one) for one in found.curves}) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("names", SETS)
def test_the_legend_lies_within_the_figure_and_below_the_panels(names: tuple[str, ...]) -> None:
    canvas = draw(figure(*(family(name, seeds=1, tasks=5) for name in names), names=names))
    canvas.draw_without_rendering()
    legend, whole = canvas.legends[0].get_window_extent(), canvas.bbox
    panels = min(ax.get_tightbbox().y0 for ax in canvas.axes)  # type: ignore[union-attr]
    assert whole.x0 <= legend.x0 < legend.x1 <= whole.x1
    assert whole.y0 <= legend.y0 < legend.y1 <= panels


def test_a_model_looks_the_same_in_every_figure() -> None:
    agn = family("agn one")
    assert figure(agn).style(agn) == figure(agn, names=("sgn one", "agn one")).style(agn)


def test_curves_in_other_settings_are_told_apart_in_words_and_looks() -> None:
    whats = (what("aen one"), what("aen one", outgoing="zero"), what("aen one", outgoing="torch"))
    curves = [curve(one, [trace(0, 20)]) for one in whats]
    found = figures([Preset("choices", "", "mnist", 10_000, whats)], curves, SETTINGS)[0]
    assert found.legend(found.curves[1]) == "AEN, one new unit per task (init.outgoing=zero)"
    assert len({found.style(one) for one in found.curves}) == 3


def with_rule(**settings: Any) -> What:
    own = what("ffcnn 3x200")
    return own | {"model": own["model"] | {"rules": [["cbp", {"kind": "ContinualBackprop", **settings}]]}}


def test_curves_that_would_read_alike_say_in_what_they_differ() -> None:
    whats = [with_rule(rate=rate, maturity=100, source=source) for rate, source in ((0.1, "a1"), (0.2, "a1"))]
    assert words.legends([*whats, what("sgn one")], SETTINGS) == [
        "F-FCNN 3×200 (model.rules.cbp.rate=0.1)",
        "F-FCNN 3×200 (model.rules.cbp.rate=0.2)",
        "SGN",
    ]


def test_curves_of_a_rule_before_and_after_it_was_edited_are_told_apart() -> None:
    sources = ("a1", "b2")
    whats = [with_rule(source=source) for source in sources]
    assert words.legends(whats, SETTINGS) == [f"F-FCNN 3×200 (model.rules.cbp.source={source})" for source in sources]


HOSTILE = "<b>a</b> | [red] $x^$ <!--<script>"


def test_a_label_is_drawn_as_it_is_written() -> None:
    own = what("aen one", outgoing=HOSTILE)
    found = figures([Preset("own", HOSTILE, "mnist", 10_000, (own,))], [curve(own, [trace(0, 20)])], SETTINGS)[0]
    canvas = draw(found)
    canvas.draw_without_rendering()  # a formula that cannot be read stops this
    (legend,) = canvas.legends[0].get_texts()
    assert legend.get_text() == found.legend(found.curves[0]).replace("$", r"\$")
    assert canvas.texts[0].get_text() == found.title.replace("$", r"\$")


def test_a_label_with_a_bar_stays_in_its_cell_of_a_table() -> None:
    rows = table.rows([curve(what("aen one", outgoing=HOSTILE), [trace(0, 20)])], SETTINGS)
    *_, line = table.as_markdown(rows).split("\n\n")[0].splitlines()
    assert len(re.split(r"(?<!\\)\|", line)) == len(table.COLUMNS) + 2
    assert "<" not in line


def test_no_label_can_end_or_comment_out_the_pages_script() -> None:
    own = what("aen one", outgoing=HOSTILE)
    found = figures([Preset("own", HOSTILE, "mnist", 10_000, (own,))], [curve(own, [trace(0, 20)])], SETTINGS)
    text = webpage.data(data(found, found[0].curves))
    assert "<" not in text
    assert json.loads(text)["figures"][0]["title"] == HOSTILE


def test_a_figure_that_another_one_shows_better_is_idle() -> None:
    agn, ffcnn = family("agn one", seeds=1), family("ffcnn 3x200", seeds=1)
    two = Preset("agn", "", "mnist", 10_000, (what("agn one"), what("ffcnn 3x200")))
    found = figures([preset(), two], [agn, ffcnn], SETTINGS)
    assert [idle(one, found) for one in found] == [True, False]


@pytest.mark.parametrize(
    ("name", "N", "legend"),
    [
        ("ffcnn 2x50", 10_000, "F-FCNN 2×50"),
        ("sgn one", 10_000, "SGN"),
        ("agn three", 10_000, "AGN, three new units per task"),
        ("aen three", 40_000, "AEN, three new units per task"),
        ("aen_random one", 40_000, "AEN-random"),
        ("aen_two_layer two", 10_000, "Two-layer AEN, two new units per task"),
    ],
)
def test_legends_are_in_the_papers_words(name: str, N: int, legend: str) -> None:
    assert words.legend(what(name, N=N), SETTINGS) == legend


def test_a_K_that_is_none_of_the_papers_is_named() -> None:
    other = what("aen one")
    other["model"]["rules"][1] = ["grow", {"kind": "Every", "K": 500}]
    assert words.legend(other, SETTINGS) == "AEN, K = 500"


def test_a_band_of_shares_stays_between_0_and_100() -> None:
    wide = [trace(seed, 30, accuracy=0.9 + 0.1 * (seed == 1), dormancy=0.6 * (seed == 2)) for seed in range(3)]
    drawn = draw(figure(curve(what("aen one"), wide)))
    for panel in drawn.axes[:2]:
        (band,) = panel.collections
        heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
        assert heights.min() >= 0
        assert heights.max() <= 100


def test_tasks_are_counted_from_0_as_in_a_runs_csv() -> None:
    drawn = draw(figure(curve(what("aen one"), [trace(0, 30)])))
    lines = [list(np.asarray(line.get_xdata())) for panel in drawn.axes for line in panel.lines]
    assert lines == [list(range(30))] * len(lines)
    assert len(lines) >= len(drawn.axes)


def test_markers_of_curves_on_top_of_each_other_can_be_seen_in_a_short_run_too() -> None:
    names = ("aen one", "agn one", "sgn one")
    alike = [curve(what(name), [trace(0, 12, accuracy=np.full(12, 0.7))]) for name in names]
    lines = draw(figure(*alike, names=names)).axes[0].lines
    assert [line.get_markevery() for line in lines if line.get_marker()] == [(0, 3), (1, 3), (2, 3)]


def test_a_figure_of_many_curves_looks_at_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report shows all curves of a data set in one, be they a thousand."""
    curves = [family("aen one"), family("agn one"), family("sgn one")]
    one, asked = figure(*curves, names=("aen one", "agn one", "sgn one")), []
    keys = figures_module.curve_key
    monkeypatch.setattr(figures_module, "curve_key", lambda what: asked.append(what) or keys(what))
    assert len({one.style(curve) for curve in curves}) == 3
    assert len(asked) == 3
