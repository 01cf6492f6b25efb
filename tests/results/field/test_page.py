"""The page of the comparison, in a browser: what is picked is what is drawn."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
import pytest
from support import chromium

from plasticity.results.field import comparison
from plasticity.results.field.page import page
from plasticity.results.field.selection import choices

TASKS = 12
HOSTILE = "</script><b>L2"
WHO = {"aen": ("AEN", 0.8), "l2": (HOSTILE, 0.7), "scratch": ("Scratch", 0.6)}


def rows(dataset: str, equal: str, step_size: float, seed: int, **more: object) -> list[dict]:
    """One of each contestant; each data set and match has accuracies and sizes of its own."""
    off = 0.1 * (dataset == "fmnist") + 0.05 * (equal == "work") + step_size + 0.001 * seed
    sizes = {"connections": 100.0, "work": 2e6, "memory": 400.0}
    return [
        {"dataset": dataset, "N": 10_000, "boundaries": "not used", "seed": seed}
        | {"contestant": name, "title": title, "line": f"model={name}", "accuracy": level - off}
        | {"setting": f"probe={probe}", "step_size": step_size} | sizes | more
        for name, (title, level) in WHO.items() for probe in (0.1, 0.2)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Chromium]:
    if chromium.PATH is None:
        pytest.skip("needs a Chromium")
    steps = (0.001, 0.01)  # of which the first is better
    tried = pd.DataFrame([row for name in ("mnist", "fmnist") for step in steps for row in rows(name, "", step, 0)])
    classes = product(("mnist", "fmnist"), ("connections", "work"), ("paper", "tuned"))
    fresh = pd.DataFrame([
        row
        for (name, match, regime), seed, task in product(classes, (100, 101, 102), range(TASKS))
        for row in rows(name, match, steps[0], seed, growth="one", match=match, regime=regime, task=task)
    ])  # fmt: skip
    chosen = choices(tried)
    file = tmp_path_factory.mktemp("field") / "index.html"
    file.write_text(page(comparison.evaluated(chosen, fresh), tried, chosen))
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as opened:
        opened.open(file)
        opened.evaluate("ready")
        yield opened


def pick(browser: chromium.Chromium, **wanted: str) -> None:
    for name, value in wanted.items():
        browser.evaluate(f"pick({name!r}).value = {value!r}, pick({name!r}).onchange()")


pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_the_page_draws_everything_and_asks_the_network_for_nothing(browser: chromium.Chromium) -> None:
    boxes = browser.evaluate("[...document.querySelectorAll('#figures .js-plotly-plot')].map(box => box.id)")
    assert boxes == ["ranking", "against-connections", "against-work", "over-tasks", "gap"]
    assert browser.evaluate("document.querySelectorAll('#panels .js-plotly-plot').length") == 6  # probe and step size
    assert browser.errors == []
    assert [address for address in browser.requests if not address.startswith(("file:", "data:", "blob:"))] == []


def test_a_title_is_text_whatever_it_says(browser: chromium.Chromium) -> None:
    assert HOSTILE in browser.evaluate("document.querySelector('#comparison tbody').textContent")


@pytest.mark.parametrize(
    ("cell", "match", "accuracy"),
    [
        ("MNIST, N = 10,000", "connections", 80 - 0.1 - 10.1),
        ("FMNIST, N = 10,000", "operations per task", 80 - 10 - 5 - 0.1 - 10.1),
    ],
)
def test_what_is_picked_is_drawn(browser: chromium.Chromium, cell: str, match: str, accuracy: float) -> None:
    pick(browser, cell=cell, match=match, regime="step size 0.001")
    drawn = browser.evaluate("document.getElementById('ranking').data.at(-1).x")
    assert np.round(drawn[0], 6) == pytest.approx(accuracy)
    assert len(drawn) == 3


def test_the_table_follows_what_is_picked(browser: chromium.Chromium) -> None:
    pick(browser, cell="FMNIST, N = 10,000", match="connections", regime="step size tuned")
    shown = "[...document.querySelectorAll('#comparison tbody tr')].filter(row => !row.hidden)"
    assert browser.evaluate(f"{shown}.map(row => [0, 1, 3, 4].map(at => row.cells[at].textContent))") == [
        ["FMNIST, N = 10,000", "connections", "step size tuned", title] for title, _ in WHO.values()
    ]


def test_a_fresh_network_has_no_gap_to_itself(browser: chromium.Chromium) -> None:
    names = browser.evaluate("document.getElementById('gap').data.filter(one => one.showlegend).map(one => one.name)")
    assert names == ["AEN", "&lt;/script&gt;&lt;b&gt;L2"]
