"""Say of each of the paper's claims whether the runs support it, and how many come out under other settings."""

import command  # isort: skip

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from hydra_plugins.plasticity.presets import presets
from plasticity import terminal
from plasticity.ground.errors import Mistake
from plasticity.ground.files import write
from plasticity.results import sources
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper import statements as paper
from plasticity.results.paper.choices import Choice
from plasticity.results.paper.claims import Judgement, Verdict
from plasticity.results.words import cell
from plasticity.runs.keys import differences
from plasticity.terminal.tables import Column, table

CONF = Path(__file__).parent.parent / "conf"
SETTINGS = ("init.", "bias=", "order=", "probe=", "step_size=")  # how an override that claims are judged under begins
COLORS = {Verdict.SUPPORTED: "green", Verdict.AGAINST: "red", Verdict.OPEN: "bright_black"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    args = parser.parse_intermixed_args()
    for override in args.overrides:
        if not override.startswith(SETTINGS):
            known = ", ".join(f"{name}…" for name in SETTINGS)
            raise Mistake(f"{override} is no setting to judge claims under; there are {known}")
    source = sources.read(args)
    settings = presets(CONF, args.overrides).settings()
    if all(differences(curve.what, settings) for curve in source.curves):
        raise Mistake(f"no run of {source.origin} has the settings {' '.join(args.overrides) or 'of the defaults'}")
    judged = paper.judgements(source.curves, settings)
    if args.dataset:
        judged = [one for one in judged if one.dataset == args.dataset]
    if not judged:
        raise Mistake(f"the paper has no claims about {args.dataset}")
    studied = choices.choices(source.curves, settings)
    console = terminal.console()
    show(judged, console)
    show_choices(studied, console)
    if not args.dataset:  # the files are of everything
        for path in write(source.folder / "figures", verdicts.texts(judged) | choices.texts(studied)):
            print(path)


def show(judged: Sequence[Judgement], console: Console) -> None:
    """Those that some run speaks to."""
    shown = [one for one in judged if one.begun]
    if not shown:
        return terminal.show(console, ["no claim of the paper has runs of all the curves that it compares"])
    for place in dict.fromkeys((one.dataset, one.N) for one in shown):
        here = [one for one in shown if (one.dataset, one.N) == place]
        console.print(f"\n[bold]{escape(cell(*place))}[/]  {verdicts.tally(here)}")
        for one in here:
            _show(one, console)
    left = len({one.claim.says for one in judged} - {one.claim.says for one in shown})
    more = f"\n{left} more claims are about curves without runs" if left else ""
    console.print(f"\n{verdicts.tally(shown)}{more}\n{verdicts.RULE}\n")


def _show(one: Judgement, console: Console) -> None:
    color = COLORS[one.verdict]
    text = f"[{color}]{verdicts.MARK[one.verdict]} {one.verdict:15}[/] {escape(one.claim.says)}"
    console.print(text, soft_wrap=True)
    for finding in one.findings:
        text = escape(verdicts.sentence(finding))
        console.print(f"      [{COLORS[finding.verdict]}]{text}[/]", soft_wrap=True)


def show_choices(studied: Sequence[Choice], console: Console) -> None:
    if not studied:
        return
    columns = [Column(name, left=place < 2, what=place < 2) for place, name in enumerate(choices.HEAD)]
    console.print("[bold]Settings other than the defaults[/]\n")
    rows = [list(map(str, row)) for row in choices.tallies(studied)]
    terminal.show(console, table(columns, rows, terminal.room(console)))
    console.print(f"\n{choices.HOW}\n")


if __name__ == "__main__":
    command.run(main)
