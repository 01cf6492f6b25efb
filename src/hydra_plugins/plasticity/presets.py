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

from hydra_plugins.plasticity.expansion import Combination, Expansion
from plasticity.errors import Mistake
from plasticity.results.figures import Preset
from plasticity.runs import identity
from plasticity.runs.config import Config
from plasticity.runs.identity import What

Cell = tuple[str, int]  # data set and N
SETTINGS = ("init.", "bias=", "order=", "probe=", "step_size=")  # how an override of one of `settings` begins


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
        """The default settings, by the names that networks and runs have for it."""
        first, *others = self.expansion.combinations(self.overrides)
        if others:
            raise Mistake(f"{' '.join(self.overrides)} is more than one setting of a key; give one value to each")
        init = asdict(first.config.init)
        init["initial_weights"], init["output_weights"] = init.pop("layers"), init.pop("outputs")
        return {**init, "bias": first.config.bias, **identity.settings(identity.identity(first.config))}

    def figures(self, names: Iterable[str], cells: Iterable[Cell]) -> list[Preset]:
        found = []
        for name in names:
            title = self._title(name)
            if title:
                curves = self.expansion.combinations([f"experiment={name}", *self.overrides])
                known = [cell for cell in cells if cell[0] in self._datasets]
                found += [Preset(name, title, *cell, self._whats(curves, cell)) for cell in known]
        return found

    @property
    def _datasets(self) -> list[str]:
        return self.expansion.loader.get_group_options("dataset", ObjectType.CONFIG)

    def _whats(self, curves: Sequence[Combination], cell: Cell) -> tuple[What, ...]:
        there = (at for curve in curves if (at := self._at(curve, *cell)) is not None and at.holds)
        return tuple(identity.curve(identity.identity(curve.config)) for curve in there)

    def _at(self, curve: Combination, dataset: str, N: int) -> Combination | None:
        """On another data set and N, unless its preset ties it to its own; not composed anew, which is slow."""
        tied = {override.partition("=")[0] for override in curve.overrides}
        if tied & {"dataset"} and curve.composed.dataset.name != dataset:
            return None
        if tied & {"samples", "N"} and curve.config.N != N:
            return None
        composed = deepcopy(curve.composed)
        composed.dataset, composed.N = self.expansion.group("dataset", dataset), N
        return replace(curve, composed=composed)


def presets(conf: Path, overrides: Sequence[str]) -> Presets:
    ConfigStore.instance().store(name="schema", node=Config)
    with initialize_config_dir(str(conf.resolve()), version_base="1.3"):
        return Presets(Expansion(GlobalHydra.instance().config_loader(), "config"), tuple(overrides))
