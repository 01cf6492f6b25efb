"""The presets as figures: which curves each has for a data set and an N."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hydra import initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from omegaconf import OmegaConf

from hydra_plugins.plasticity.expansion import Combination, Expansion
from plasticity.errors import Mistake
from plasticity.results.curves import WHAT, What
from plasticity.results.figures import Preset
from plasticity.runs.config import Config

Cell = tuple[str, int]  # data set and N
SETTINGS = ("init.", "bias=", "order=", "probe=", "step_size=")  # how an override of one of `settings` begins
PLACES = {"dataset": ("dataset", "dataset.name"), "N": ("samples", "N")}


@dataclass(frozen=True)
class Presets:
    expansion: Expansion
    overrides: tuple[str, ...]  # as they were given to the runs

    @property
    def names(self) -> list[str]:
        return self.expansion.loader.get_group_options("experiment", ObjectType.CONFIG)

    def check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.names:
                raise Mistake(f"--figure {name} is not known; choose {', '.join(self.names)}")
            if not self._title(name):
                raise Mistake(f"--figure {name} is a grid without a title, not a figure; name its figures instead")

    def _title(self, name: str) -> str | None:
        """Without one it is a grid only, as `paper` is."""
        return self.expansion.preset(f"experiment={name}").title

    def settings(self) -> dict[str, Any]:
        """What is usual, by the names that networks and runs have for it."""
        first, *others = self.expansion.combinations(self.overrides)
        if others:
            raise Mistake(f"{' '.join(self.overrides)} is more than one setting of a key; give one value to each")
        config = first.config
        init = {
            "incoming": config.init.incoming,
            "outgoing": config.init.outgoing,
            "first": config.init.first,
        }
        init |= {"initial_weights": config.init.layers, "bias": config.bias}
        return init | {"step_size": config.step_size, "order": config.order, "probe": config.probe}

    def figures(self, names: Iterable[str], cells: Iterable[Cell]) -> list[Preset]:
        found = []
        for name in names:
            title = self._title(name)
            if title:
                curves = self.expansion.combinations([f"experiment={name}", *self.overrides])
                found += [Preset(name, title, *cell, _whats(curves, cell)) for cell in cells]
        return found


def _whats(curves: Sequence[Combination], cell: Cell) -> tuple[What, ...]:
    there = (at for curve in curves if (at := _at(curve, *cell)) is not None and at.holds)
    configs = [asdict(curve.config) for curve in there]
    return tuple({key: config[key] for key in WHAT} for config in configs)


def _at(curve: Combination, dataset: str, N: int) -> Combination | None:
    """On another data set and N, unless its preset ties it to its own; not composed anew, which is slow."""
    tied = {override.partition("=")[0] for override in curve.overrides}
    composed = deepcopy(curve.composed)
    for value, keys in ((dataset, PLACES["dataset"]), (N, PLACES["N"])):
        if tied.intersection(keys) and OmegaConf.select(composed, keys[1]) != value:
            return None
        OmegaConf.update(composed, keys[1], value)
    return replace(curve, composed=composed)


def presets(conf: Path, overrides: Sequence[str]) -> Presets:
    ConfigStore.instance().store(name="schema", node=Config)
    with initialize_config_dir(str(conf.resolve()), version_base="1.3"):
        return Presets(Expansion(GlobalHydra.instance().config_loader(), "config"), tuple(overrides))
