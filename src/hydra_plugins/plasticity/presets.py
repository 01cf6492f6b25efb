"""The presets as figures: which curves each has for a data set and an N."""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hydra.core.object_type import ObjectType
from omegaconf import DictConfig

from hydra_plugins.plasticity.compose import loader
from hydra_plugins.plasticity.expansion import Combination, Expansion, Words, any_curve
from plasticity.ground.errors import Mistake
from plasticity.results import choosing
from plasticity.results.curves import Curve
from plasticity.results.figures import Preset
from plasticity.runs import identity, keys
from plasticity.runs.identity import What

Cell = tuple[str, int]  # data set and N
Chooses = Callable[[Words], bool]  # by their overrides, curves of a preset


@dataclass(frozen=True)
class Swept:
    """A figure that has a setting on its axis, and its curves."""

    name: str
    title: str
    key: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Presets:
    expansion: Expansion
    overrides: tuple[str, ...]  # as they were given to the runs

    @property
    def names(self) -> list[str]:
        return self.expansion.loader.get_group_options("experiment", ObjectType.CONFIG)

    def composed(self) -> list[DictConfig]:
        """What the overrides mean, not yet resolved."""
        return [each.composed for each in self.expansion.combinations(self.overrides)]

    def check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.names:
                raise Mistake(f"--figure {name} is not known; choose {', '.join(self.names)}")
            if not self._title(name):
                raise Mistake(f"--figure {name} is a grid without a title, not a figure; name its figures instead")

    def _title(self, name: str) -> str | None:
        """Without one it is a grid only, as `paper` is."""
        return self.expansion.preset(f"experiment={name}").title

    def _titled(self, name: str) -> str | None:
        """With what was given to all its curves."""
        title, given = self._title(name), anywhere(self.overrides)
        return ", ".join([title, *given]) if title else None

    def settings(self) -> dict[str, Any]:
        """The default settings, by the names that networks and runs have for it."""
        first, *others = self.expansion.combinations(self.overrides)
        if others:
            raise Mistake(f"{' '.join(self.overrides)} is more than one setting of a key; give one value to each")
        init = {f"init.{key}": value for key, value in asdict(first.config.init).items()}
        return {**init, "bias": first.config.bias, **keys.settings(identity.identity(first.config))}

    def figures(self, names: Iterable[str], cells: Iterable[Cell], possible: Chooses = any_curve) -> list[Preset]:
        """Of presets that may have curves that are possible, with all that they have."""
        known, found = [cell for cell in cells if cell[0] in self._datasets], []
        for name in names:
            title, arguments = self._titled(name), [f"experiment={name}", *self.overrides]
            if title and self._over_tasks(name) and self._may_have(arguments, possible):
                curves = self.expansion.combinations(arguments)
                found += [Preset(name, title, *cell, self._whats(curves, cell)) for cell in known]
        return found

    def _may_have(self, arguments: Sequence[str], possible: Chooses) -> bool:
        return any(possible(anywhere(overrides)) for overrides, *_ in self.expansion.curves(arguments))

    def sweeps(self, names: Iterable[str], curves: Sequence[Curve]) -> list[Swept]:
        """Those that are drawn against a setting that is not given, with their curves on whatever data sets and N there
        are."""
        known, given = self._datasets, [word.partition("=")[0] for word in self.overrides]
        cells = dict.fromkeys((one.dataset, one.N) for one in curves if one.dataset in known)
        found = []
        for name in names:
            against, title = self._against(name), self._titled(name)
            if against and title and cells and not any(f"{against}.".startswith(f"{key}.") for key in given):
                keys = self._keys(name, list(cells), choosing.Possible(curves))
                there = {curve.key: curve for curve in curves}
                shown = tuple(there[key] for key in keys if key in there)
                found += [Swept(name, title, against, shown)] if shown else []
        return found

    def _keys(self, name: str, cells: Sequence[Cell], possible: Chooses) -> list[str]:
        """Of a preset's curves in all these places, in its order."""
        dataset, N = cells[0]
        arguments = [f"experiment={name}", f"dataset={dataset}", f"N={N}", *self.overrides]
        composed = self.expansion.combinations(arguments, lambda overrides: possible(anywhere(overrides)))
        there = [self._moved(one, *cell) for one in composed for cell in cells]
        keys = (identity.curve_key(identity.identity(one.config)) for one in there if one.holds)
        return list(dict.fromkeys(keys))

    def _over_tasks(self, name: str) -> bool:
        preset = self.expansion.preset(f"experiment={name}")
        return preset.over_tasks or not preset.against

    def _against(self, name: str) -> str | None:
        return self.expansion.preset(f"experiment={name}").against

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
        return self._moved(curve, dataset, N)

    def _moved(self, curve: Combination, dataset: str, N: int) -> Combination:
        composed = deepcopy(curve.composed)
        composed.dataset, composed.N = self.expansion.group("dataset", dataset), N
        return replace(curve, composed=composed)


def anywhere(overrides: Words) -> Words:
    """Whatever the data set and N."""
    return tuple(word for word in overrides if not word.startswith(("dataset=", "N=")))


def presets(conf: Path, overrides: Sequence[str], more: Sequence[Path] = ()) -> Presets:
    """`more`: folders of one's own, as --config-dir names them."""
    return Presets(Expansion(loader(conf, more), "config"), tuple(overrides))
