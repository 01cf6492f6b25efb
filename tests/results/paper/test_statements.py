from typing import Any

import numpy as np
import pytest
from support.synthetic import SETTINGS, family, what

from plasticity.results.curves import Curve, curve
from plasticity.results.paper.claims import Verdict
from plasticity.results.paper.statements import CELLS, CLAIMS, counts, in_order, judgements
from plasticity.results.paper.verdicts import as_csv, as_markdown, sentence
from plasticity.results.words import ACROSS
from plasticity.runs.growth import PAPER_K

TASKS = np.arange(120)
FALL = 0.86 - 0.06 * TASKS / 119
RISE = 0.80 + 0.03 * (1 - np.exp(-TASKS / 20))


def sizes(level: float) -> dict[str, Any]:
    units = np.round(level * (1 - np.exp(-TASKS / 6)))
    return {"units": units, "connections": 7840 + 794 * units}


def as_the_paper_has_it(dataset: str, N: int) -> list[Curve]:
    place: dict[str, Any] = {"dataset": dataset, "N": N}
    growing: dict[str, Any] = {"units": TASKS, "connections": 7840 + 794 * TASKS}
    waking: dict[str, Any] = {"dormancy": 0.3 * TASKS / 119}
    levels = {"mnist": (18, 27, 39), "fmnist": (13, 29, 33)}[dataset]
    if (dataset, N) == ("fmnist", 40_000):
        levels = (17, 34, 37)
    larger = 1.4 if dataset == "mnist" else 1.02
    curves = [
        family("sgn one", accuracy=FALL, **waking, **growing, **place),
        family("agn one", accuracy=RISE, **waking, **growing, **place),
        family("agn_two_layer one", accuracy=RISE, **waking, **growing, **place),
        family("aen_random one", accuracy=0.6, **place),
    ]
    shapes = [f"{layers}x{width}" for layers in (1, 2, 3) for width in (50, 100, 200, 500)]
    curves += [family(f"ffcnn {shape}", accuracy=FALL, **waking, **place) for shape in shapes]
    for place_, (growth, level) in enumerate(zip(("one", "two", "three"), levels, strict=True)):
        if (growth, N) != ("two", 40_000):
            better = RISE + 0.005 * place_
            curves.append(family(f"aen {growth}", accuracy=better, **sizes(level), **place))
            curves.append(family(f"aen_two_layer {growth}", accuracy=better, **sizes(larger * level), **place))
    return curves


@pytest.mark.parametrize(("dataset", "N"), CELLS)
def test_runs_that_do_what_the_paper_says_support_every_claim(dataset: str, N: int) -> None:
    judged = [
        one for one in judgements(as_the_paper_has_it(dataset, N), SETTINGS) if (one.dataset, one.N) == (dataset, N)
    ]
    assert len(judged) >= 18
    assert {one.claim.says for one in judged if one.verdict is not Verdict.SUPPORTED} == set()


def across(curves: list[Curve]) -> dict[str, Verdict]:
    judged = judgements(curves, SETTINGS)
    return {one.claim.says: one.verdict for one in judged if (one.dataset, one.N) == ACROSS}


def test_runs_that_do_what_the_paper_says_support_the_claims_across_data_sets_and_sizes() -> None:
    found = across([curve for cell in CELLS for curve in as_the_paper_has_it(*cell)])
    assert found == {says: Verdict.SUPPORTED for says in found}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("dataset", "at_40k", "says"),
    [
        ("mnist", 26, "AEN: settled size at one new unit per task hardly changes with N on MNIST"),
        ("fmnist", 18, "AEN: settled size at one new unit per task changes with N on FMNIST"),
    ],
)
def test_a_claim_across_sizes_can_come_out_against_the_paper(dataset: str, at_40k: float, says: str) -> None:
    sizes_at = {10_000: 18.0, 40_000: at_40k}
    curves = [family("aen one", dataset=dataset, N=N, **sizes(level)) for N, level in sizes_at.items()]
    assert across(curves)[says] is Verdict.AGAINST


@pytest.mark.parametrize(("smaller", "verdict"), [(1, Verdict.AGAINST), (2, Verdict.SUPPORTED)])
def test_several_cases_are_at_least_two(smaller: int, verdict: Verdict) -> None:
    curves = []
    for N, rates in PAPER_K.items():
        for name in (f"{model} {rate}" for model in ("aen", "aen_two_layer") for rate in rates):
            level = 12 if len(curves) < 2 * smaller else 25
            curves += [family(name, dataset="fmnist", N=N, **sizes(level)), family(name, N=N, **sizes(20))]
    assert across(curves)["Settled size is smaller on FMNIST than on MNIST in several cases"] is verdict


def test_a_claim_across_sizes_names_the_sizes_that_have_no_runs() -> None:
    judged = [one for one in judgements([], SETTINGS) if (one.dataset, one.N) == ACROSS]
    assert "AEN, one new unit per task (MNIST, N = 40,000)" in sentence(judged[0].findings[0])


def test_a_late_peak_is_none_of_the_papers() -> None:
    judged = judgements([family("ffcnn 3x200", accuracy=RISE + 0.05 * TASKS / 119)], SETTINGS)
    found = {(one.claim.says, one.dataset, one.N): one.verdict for one in judged}
    assert found["F-FCNN peaks early", "mnist", 10_000] is Verdict.AGAINST


def test_a_verdict_can_come_out_against_the_paper() -> None:
    curves = as_the_paper_has_it("mnist", 10_000)
    falling = [family("aen one", accuracy=FALL, **sizes(18)) if one.label == "aen-K6500" else one for one in curves]
    judged = {
        one.claim.says: one.verdict
        for one in judgements(falling, SETTINGS)
        if one.N == 10_000 and one.dataset == "mnist"
    }
    assert judged["AENs do not decline"] is Verdict.AGAINST


def test_linear_sizes_contradict_what_the_paper_says_of_fmnist() -> None:
    curves = [
        family(f"aen {growth}", dataset="fmnist", **sizes(level))
        for growth, level in (("one", 10), ("two", 20), ("three", 30))
    ]
    judged = {
        one.claim.says: one.verdict
        for one in judgements(curves, SETTINGS)
        if (one.dataset, one.N) == ("fmnist", 10_000)
    }
    assert judged["AEN: settled size does not rise linearly"] is Verdict.AGAINST


def test_without_runs_every_claim_of_every_cell_is_short_of_runs() -> None:
    judged = judgements([], SETTINGS)
    assert {(one.dataset, one.N) for one in judged} == {*CELLS, ACROSS}
    assert counts(judged) == {Verdict.SUPPORTED: 0, Verdict.AGAINST: 0, Verdict.OPEN: len(judged)}


def test_at_40k_no_claim_asks_for_two_new_units_a_task() -> None:
    asked = {
        curve
        for one in judgements([], SETTINGS)
        if one.N == 40_000
        for found in one.findings
        for curve in found.part.curves
    }
    assert {"aen one", "aen three"} <= asked
    assert not {curve for curve in asked if curve.endswith("two")}


def test_claims_are_judged_on_the_usual_settings_only() -> None:
    other = curve(what("sgn one", outgoing="zero"), family("sgn one", accuracy=FALL).traces)
    declines = [one for one in judgements([other], SETTINGS) if one.claim.says == "SGN declines"]
    assert {one.verdict for one in declines} == {Verdict.OPEN}
    changed = [
        one for one in judgements([other], SETTINGS | {"init.outgoing": "zero"}) if one.claim.says == "SGN declines"
    ]
    assert [one.verdict for one in changed if (one.dataset, one.N) == CELLS[0]] == [Verdict.SUPPORTED]


def test_every_claim_is_made_somewhere_in_the_paper() -> None:
    assert {one.claim.says for one in judgements([], SETTINGS)} == {claim.says for claim in CLAIMS}


def test_a_finding_says_its_numbers_in_one_line() -> None:
    judged = judgements([family("sgn one", accuracy=FALL, noise=0)], SETTINGS)
    finding = next(one for one in judged if one.claim.says == "SGN declines").findings[0]
    assert sentence(finding) == "SGN: accuracy, last minus peak −5.5 [−5.5, −5.5] points, 5 seeds"


def test_a_finding_without_runs_names_the_curve_in_the_papers_words() -> None:
    finding = next(one for one in judgements([], SETTINGS) if one.claim.says == "AENs do not decline").findings[1]
    assert "no runs of AEN, two new units per task" in sentence(finding)


def test_markdown_and_csv_hold_every_judgement() -> None:
    judged = judgements(as_the_paper_has_it("mnist", 10_000), SETTINGS)
    assert as_markdown(judged).count("- **") == len(judged)
    assert as_csv(judged).count("\n") == 1 + sum(len(one.findings) for one in judged)


def test_curves_come_in_the_papers_order() -> None:
    names = ["aen three", "aen one", "sgn one", "ffcnn 3x200", "ffcnn 1x50"]
    curves = [family("agn one", dataset="fmnist", seeds=1), *(family(name, seeds=1) for name in names)]
    labels = [(one.dataset, one.label) for one in in_order(curves)]
    expected = ["ffcnn-1x50", "ffcnn-3x200", "sgn-K6500", "aen-K6500", "aen-K3000"]
    assert labels == [*(("mnist", label) for label in expected), ("fmnist", "agn-K6500")]
