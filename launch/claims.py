"""Say of each of the paper's claims whether the runs support it."""

import argparse
import sys
from pathlib import Path

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from rich.markup import escape

from hydra_plugins.plasticity_sweeper.presets import presets
from plasticity import paper, sources, verdicts
from plasticity.claims import Judgement, Verdict
from plasticity.errors import Mistake
from plasticity.files import replace
from plasticity.words import cell

CONF = Path(__file__).parent.parent / "conf"
COLORS = {Verdict.SUPPORTED: "green", Verdict.AGAINST: "red", Verdict.OPEN: "bright_black"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sources.arguments(parser)
    args = parser.parse_args()
    try:
        source = sources.read(args)
        judged = paper.judgements(source.curves, presets(CONF, args.overrides).settings())
        if args.dataset:
            judged = [one for one in judged if one.dataset == args.dataset]
        if not judged:
            raise Mistake(f"the paper has no claims about {args.dataset}")
        show(judged)
        if not args.dataset:  # the files are of everything
            _write(source.folder / "figures", judged)
    except (Mistake, HydraException, OmegaConfBaseException, OSError) as error:
        sys.exit(f"error: {error}")


def _write(folder: Path, judged: list[Judgement]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("claims.md", verdicts.as_markdown(judged)), ("claims.csv", verdicts.as_csv(judged))):
        replace(folder / name, text.encode())
        print(folder / name)


def show(judged: list[Judgement]) -> None:
    console = Console(highlight=False)
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


if __name__ == "__main__":
    main()
