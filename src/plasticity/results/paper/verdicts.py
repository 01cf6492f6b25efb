"""Verdicts in words and as rows: for the terminal, Markdown and csv."""

import csv
from collections.abc import Sequence
from io import StringIO
from math import isfinite

from plasticity.results import markdown, words
from plasticity.results.paper.claims import Finding, Judgement, Verdict
from plasticity.results.paper.statements import CLAIMS, counts
from plasticity.results.statistics import ENOUGH, LARGE, SMALL

MARK = {Verdict.SUPPORTED: "✓", Verdict.AGAINST: "✗", Verdict.OPEN: "…"}
RULE = (
    "A claim is supported if the whole 95 % t interval over seeds lies on the claimed side of its bound, not "
    "supported if it lies wholly on the other, and without enough runs if it reaches across or there are fewer "
    f"than {ENOUGH} seeds. Differences are paired by seed where both sides share at least {ENOUGH}. A size settles if "
    f"the interval of its drift reaches into ±{SMALL:.0%} and lies within ±{LARGE:.0%}."
)


def sentence(finding: Finding) -> str:
    """What was found, in one line."""
    part, found = finding.part, finding.found
    who = part.words or words.spoken(part.curves[0])
    if finding.missing:
        return f"{who}: no runs of {'; '.join(map(words.spoken, finding.missing))}"
    if not found.known:
        return f"{who}: {found.n} seed{'s' if found.n != 1 else ''}; at least {ENOUGH} seeds are needed for an interval"
    numbers = f"{_number(finding, found.mean)} [{_number(finding, found.low)}, {_number(finding, found.high)}]"
    how = "" if len(part.curves) == 1 else ", paired" if finding.paired else ", unpaired"
    return f"{who}: {part.statistic.words} {numbers}{part.statistic.unit}, {found.n} seeds{how}"


def _number(finding: Finding, value: float) -> str:
    size = abs(value * finding.part.statistic.scale)
    text = f"{value * finding.part.statistic.scale:{finding.part.statistic.sign}.{2 if size < 1 else 1}f}"
    return text.replace("-", "−")


def texts(judged: Sequence[Judgement]) -> dict[str, str]:
    return {"claims.csv": as_csv(judged), "claims.md": as_markdown(judged)}


def as_markdown(judged: Sequence[Judgement]) -> str:
    cells = list(dict.fromkeys((one.dataset, one.N) for one in judged))
    claims = statements(judged)
    found = {(one.claim.says, one.dataset, one.N): one for one in judged}
    lines = [markdown.row(["the paper says", *(words.cell(*cell) for cell in cells)]), "|---" * (len(cells) + 1) + "|"]
    for claim in claims:
        judgements = [found.get((claim, *cell)) for cell in cells]
        marks = [f"{MARK[one.verdict]} {one.verdict}" if one else "" for one in judgements]
        lines.append(markdown.row([claim, *marks]))
    lines += ["", f"{tally(judged)}. {RULE}"]
    for cell in cells:
        lines += ["", f"## {words.cell(*cell)}", ""]
        for one in judged:
            if (one.dataset, one.N) == cell:
                lines.append(f"- **{one.claim.says}**: {one.verdict} (asked: {asked(one)})")
                lines += [f"  - {MARK[finding.verdict]} {sentence(finding)}" for finding in one.findings]
    return "\n".join(lines) + "\n"


def statements(judged: Sequence[Judgement]) -> list[str]:
    """In the paper's order, though not every claim is made everywhere."""
    there = {one.claim.says for one in judged}
    return [claim.says for claim in CLAIMS if claim.says in there]


def asked(judgement: Judgement) -> str:
    joint = " or " if judgement.claim.enough is any else " and "
    return joint.join(dict.fromkeys(finding.part.expect.words for finding in judgement.findings))


def tally(judged: Sequence[Judgement]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts(judged).items())


def as_csv(judged: Sequence[Judgement]) -> str:
    """One row per part of a claim."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = (
        "claim",
        "dataset",
        "N",
        "verdict",
        "curves",
        "statistic",
        "asked",
        "mean",
        "low",
        "high",
        "seeds",
    )
    writer.writerow((*names, "paired", "part_verdict"))
    for one in judged:
        for finding in one.findings:
            part, found = finding.part, finding.found
            numbers = [f"{value:.6g}" if isfinite(value) else "" for value in (found.mean, found.low, found.high)]
            row = [
                one.claim.says,
                one.dataset,
                one.N,
                one.verdict,
                "; ".join(part.curves),
                part.statistic.words,
            ]
            row += [
                part.expect.words,
                *numbers,
                found.n,
                finding.paired and len(part.curves) > 1,
                finding.verdict,
            ]
            writer.writerow(row)
    return text.getvalue()
