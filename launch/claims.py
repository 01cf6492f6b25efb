"""Say of each of the paper's claims whether the runs support it, and how many come out under other settings."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sentences import sentence

from hydra_plugins.plasticity.presets import SETTINGS, presets
from plasticity.errors import Mistake
from plasticity.files import write
from plasticity.results import sources
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper import statements as paper
from plasticity.results.paper.choices import Choice
from plasticity.results.paper.claims import Judgement, Verdict
from plasticity.results.words import cell
from plasticity.runs.identity import differences

CONF = Path(__file__).parent.parent / "conf"
COLORS = {Verdict.SUPPORTED: "green", Verdict.AGAINST: "red", Verdict.OPEN: "bright_black"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    args = parser.parse_intermixed_args()
    try:
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
        console = Console(highlight=False)
        console.width = max(console.width, 90)  # a row of the choices, whatever the output goes to
        show(judged, console)
        show_choices(studied, console)
        if not args.dataset:  # the files are of everything
            for path in write(source.folder / "figures", verdicts.texts(judged) | choices.texts(studied)):
                print(path)
    except (Mistake, OSError) as error:
        sys.exit(f"error: {error}")
    except (HydraException, OmegaConfBaseException) as error:
        sys.exit(f"error: {sentence(error)}")


def show(judged: Sequence[Judgement], console: Console) -> None:
    for place in dict.fromkeys((one.dataset, one.N) for one in judged):
        here = [one for one in judged if (one.dataset, one.N) == place]
        console.print(f"\n[bold]{cell(*place)}[/]  {verdicts.tally(here)}")
        for one in here:
            color = COLORS[one.verdict]
            console.print(f"[{color}]{verdicts.MARK[one.verdict]} {one.verdict:15}[/] {one.claim.says}")
            for finding in one.findings:
                text = escape(verdicts.sentence(finding))
                console.print(f"      [{COLORS[finding.verdict]}]{text}[/]", soft_wrap=True)
    console.print(f"\n{verdicts.tally(judged)}\n{verdicts.RULE}\n")


def show_choices(studied: Sequence[Choice], console: Console) -> None:
    if not studied:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, name in enumerate(choices.HEAD):
        table.add_column(name, justify="left" if place < 2 else "right", no_wrap=True)
    for row in choices.tallies(studied):
        table.add_row(*map(str, row))
    console.print("[bold]Settings other than the defaults[/]\n")
    console.print(table)
    console.print(f"\n{choices.HOW}\n")


if __name__ == "__main__":
    main()
