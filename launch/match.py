"""Say how wide F-FCNN must be to equal an AEN that has settled: match.py model.layers=1 method=cbp match=work."""

import command  # isort: skip

import argparse
from collections.abc import Sequence
from pathlib import Path

import yaml
from omegaconf import DictConfig

from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import Mistake
from plasticity.results import curves
from plasticity.results.field.entries import MATCHED
from plasticity.results.statistics import level
from plasticity.runs import matching
from plasticity.runs.identity import growth, name
from plasticity.runs.keys import differences
from plasticity.runs.resolve import matched

CONF = Path(__file__).parent.parent / "conf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    hint = "the network, its method, data set, N and growth, as launch/main.py takes them; model=ffcnn"
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help=hint)
    hint = "instead, print where the AENs whose runs lie in DIR settled, as lines of runs/settled.yaml"
    parser.add_argument("--settled", type=Path, metavar="DIR", help=hint)
    args = parser.parse_intermixed_args()
    if args.settled:
        print(yaml.safe_dump(settled(args.settled), sort_keys=False, default_flow_style=None), end="")
    else:
        print(matched(_network(args.overrides)))


def _network(overrides: Sequence[str]) -> DictConfig:
    if width := next((word for word in overrides if word.startswith("model.width=") and word != MATCHED), None):
        raise Mistake(f"{width} is given; match.py says which width it must be, so leave it out")
    network, *others = presets(CONF, ["model=ffcnn", *overrides]).composed()
    if others:
        raise Mistake(f"{' '.join(overrides)} is {1 + len(others)} networks; give one value to each key")
    return network


def settled(outputs: Path) -> dict:
    """By data set, N and growth: means over seeds of the last third of the tasks of AENs in the default settings."""
    settings, found = presets(CONF, []).settings(), {}
    for curve in curves.read(outputs)[0]:
        if name(curve.what).startswith("aen ") and not differences(curve.what, settings):
            sizes = {measure: round(float(level(curve.series(measure)).mean())) for measure in matching.MEASURES}
            found.setdefault(curve.dataset, {}).setdefault(curve.N, {})[growth(curve.what)] = sizes
    if not found:
        raise Mistake(
            f"{outputs} has no runs of AEN in the default settings; python launch/main.py experiment=aen makes some"
        )
    return found


if __name__ == "__main__":
    command.run(main)
