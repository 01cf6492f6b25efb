"""From a preset's lines and the command line to the runs they mean, each once."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, flag_override

from hydra_plugins.plasticity.composed import Composed
from plasticity.ground.errors import Mistake
from plasticity.runs.config import Config
from plasticity.runs.resolve import resolve
from plasticity.runs.run import Run

Axes = dict[str, list[str]]  # key → the overrides it is swept over
Words = tuple[str, ...]

# Groups whose choice brings a sweep of its own, which Hydra would drop if the group itself were swept.
SWEEPING = ("experiment", "seeds")


@dataclass(frozen=True)
class Line:
    """One line of a preset: overrides as on the command line, and where it does not hold."""

    axes: Axes
    unless: Words = ()


@dataclass(frozen=True)
class Combination:
    """One curve of the grid: its overrides and its seeds."""

    overrides: Words
    seeds: Words
    unless: Words
    composed: DictConfig

    @cached_property
    def config(self) -> Config:
        return resolve(self.composed)

    @property
    def holds(self) -> bool:
        return not self.unless or not all(self._has(*text.split("=")) for text in self.unless)

    def _has(self, key: str, value: str) -> bool:
        found = OmegaConf.select(self.composed, key)
        return str(found.name if isinstance(found, DictConfig) else found) == value

    def runs(self) -> list[tuple[object, Words]]:
        """What makes each run distinct, and its overrides."""
        curve = (Run(replace(self.config, seed=0)).folder, self.config.tasks)
        seeds = self.seeds or (f"seed={self.config.seed}",)
        words = [self.overrides + self.seeds[turn : turn + 1] for turn in range(len(seeds))]
        return [((*curve, seed), overrides) for seed, overrides in zip(seeds, words, strict=True)]


def any_curve(overrides: Words) -> bool:
    return True


@dataclass(frozen=True)
class Expansion:
    loader: ConfigLoader
    config_name: str
    always: Words = ()  # overrides of Hydra itself, which every run shares

    def jobs(self, arguments: Sequence[str]) -> list[Words]:
        """Seed after seed, so that a grid that is stopped has as many seeds of every curve."""
        if not any(preset.curves for _, preset in self._chosen(self.axes(arguments))):
            return self._product(arguments)
        curves = [combination.runs() for combination in self.combinations(arguments) if combination.holds]
        if not curves:
            raise Mistake(f"nothing to run: no curve of the preset holds for {' '.join(arguments)}")
        turns = range(max(map(len, curves)))
        rounds = [curve[turn] for turn in turns for curve in curves if turn < len(curve)]
        distinct = dict(reversed(rounds))  # of two that mean the same run, the first
        return list(dict.fromkeys(distinct[run] for run, _ in rounds))

    def _product(self, arguments: Sequence[str]) -> list[Words]:
        """A plain grid: every combination, not composed here, which would be slow for a thousand."""
        given, jobs = self.axes(arguments), []
        for picked, preset in self._chosen(given):
            jobs += product(*(self._params(preset) | given | picked).values())
        return list(dict.fromkeys(jobs))

    def _chosen(self, given: Axes) -> Iterator[tuple[Axes, DictConfig]]:
        """Each choice of the groups that bring sweeps of their own, and what it brings."""
        for chosen in product(*(given.get(group, [""]) for group in SWEEPING)):
            picked = {group: [choice] for group, choice in zip(SWEEPING, chosen, strict=True) if choice}
            yield picked, self.preset(*filter(None, chosen))

    def _params(self, preset: DictConfig) -> Axes:
        return self.axes([f"{key}={value}" for key, value in (self._said(preset, "params") or {}).items()])

    def combinations(self, arguments: Sequence[str], wanted: Callable[[Words], bool] = any_curve) -> list[Combination]:
        """Those whose overrides are wanted, composed."""
        found: dict[object, Combination] = {}
        for overrides, seeds, unless in self.curves(arguments):
            words = frozenset(overrides), seeds, unless
            if words not in found and wanted(overrides):
                found[words] = Combination(overrides, seeds, unless, self._compose(*overrides, *seeds[:1]))
        return list(found.values())

    def curves(self, arguments: Sequence[str]) -> Iterator[tuple[Words, Words, Words]]:
        """Overrides, seeds and where it does not hold: the product of what each line says, and the command line's word
        last."""
        given = self.axes(arguments)
        for picked, preset in self._chosen(given):
            lines = list(self._lines(self._said(preset, "curves") or [""]))
            for line in filter(None, (self._chosen_of(line, lines, given) for line in lines)):
                axes = self._params(preset) | line.axes | picked
                seeds = tuple(dict.fromkeys(axes.pop("seed", ())))
                yield from ((overrides, seeds, line.unless) for overrides in product(*axes.values()))

    @staticmethod
    def _chosen_of(line: Line, lines: Sequence[Line], given: Axes) -> Line | None:
        """With the command line's word. What the preset has of a key is chosen from: a line that has nothing of it is
        left out, None. What no line has, or only one that does not always hold, comes into all of them."""
        axes, always = line.axes | given, [each.axes for each in lines if not each.unless]
        for key in line.axes.keys() & given.keys():
            there = {override for each in always for override in each.get(key, ())}
            if there.issuperset(given[key]):
                axes[key] = [override for override in given[key] if override in line.axes[key]]
        return Line(axes, line.unless) if all(axes.values()) else None

    def _lines(self, curves: Sequence[str], within: Words = ()) -> Iterator[Line]:
        for text in curves:
            words, _, unless = text.partition(" unless ")
            axes, exceptions = self.axes(shlex.split(words)), tuple(unless.split())
            chosen = [choice.partition("=")[2] for choice in axes.pop("curves_of", ())]
            presets = [name for choice in chosen for name in self.presets(choice)]
            if not presets:
                yield Line(axes, exceptions)
            for name in presets:
                if name in within:
                    raise Mistake(f"experiment={name} takes curves_of={name}, its own")
                for line in self._lines(self._said(self.preset(f"experiment={name}"), "curves") or [], (*within, name)):
                    yield Line(line.axes | axes, line.unless + exceptions)

    def presets(self, name: str) -> list[str]:
        """`field/*` is every preset of that folder; any other name is itself."""
        folder, _, last = name.rpartition("/")
        if last != "*":
            return [name]
        return [f"{folder}/{each}" for each in self.loader.get_group_options(f"experiment/{folder}", ObjectType.CONFIG)]

    def preset(self, *choices: str) -> DictConfig:
        """The sweeper's part of the configuration under these choices."""
        return self._whole(*choices).hydra.sweeper

    @staticmethod
    def _said(preset: DictConfig, key: str) -> Any:
        """As the preset's file has it: what stands there for another key means that of each run."""
        return OmegaConf.to_container(preset, resolve=False)[key]  # type: ignore[index,call-overload]

    def _compose(self, *overrides: str) -> DictConfig:
        """Composing takes a tenth of a second, so curves that presets share are composed once."""
        return self._run(*(word for word in overrides if not self._sweeps_only(word)))

    @cache  # noqa: B019 (an Expansion lives as long as the process)
    def _sweeps_only(self, choice: str) -> bool:
        """A preset that sets nothing of its own."""
        return choice.startswith("experiment=") and _plain(self._whole(choice)) == _plain(self._whole())

    @cache  # noqa: B019
    def _whole(self, *choices: str) -> DictConfig:
        """A preset comes last of all groups, so one that is a file by itself is put over what the others compose."""
        for choice in choices:
            if (alone := self._alone(choice)) is not None:
                whole = deepcopy(self._whole(*(each for each in choices if each != choice)))
                with flag_override(whole, "struct", None):  # as Hydra merges: only what is typed is closed
                    whole.merge_with(alone)
                return whole
        overrides = [*self.always, *choices]
        return self.loader.load_configuration(self.config_name, overrides, run_mode=RunMode.MULTIRUN)

    def _alone(self, choice: str) -> DictConfig | None:
        """What a preset's file says, if no other file comes with it and no override may win over it."""
        group, _, name = choice.partition("=")
        if group != "experiment" or self.always:
            return None
        assert isinstance(self.loader, ConfigLoaderImpl)
        found = self.loader.repository.load_config(f"{group}/{name}")
        whole = found is not None and not found.defaults_list and found.header["package"] == "_global_"
        return found.config if found is not None and whole and isinstance(found.config, DictConfig) else None

    @cache  # noqa: B019
    def group(self, name: str, choice: str) -> DictConfig:
        """One choice of a group, as it is composed."""
        return self._run(f"{name}={choice}")[name]

    def _run(self, *words: str) -> DictConfig:
        """Groups are composed once; plain values are set in copies, as Hydra does after composing."""
        parsed = OverridesParser.create(config_loader=self.loader).parse_overrides(list(words))
        plain = [self._is_plain(override) for override in parsed]
        config = deepcopy(self._groups(*(word for word, each in zip(words, plain, strict=True) if not each)))
        values = [override for override, each in zip(parsed, plain, strict=True) if each]
        ConfigLoaderImpl._apply_overrides_to_config(values, config)
        return config

    def _is_plain(self, override: Override) -> bool:
        """A key within a part, or one that is not a part itself; anything else may decide which files are read."""
        key = override.key_or_group
        return not override.is_hydra_override() and ("." in key or key in self._values)

    @cached_property
    def _values(self) -> set[object]:
        return {key for key, value in _plain(self._whole()).items() if not isinstance(value, dict)}

    @cache  # noqa: B019
    def _groups(self, *words: str) -> DictConfig:
        return self._composed.of(words)

    @cached_property
    def _composed(self) -> Composed:
        return Composed(self.loader, self.config_name, self.always)

    def axes(self, words: Sequence[str]) -> Axes:
        axes: Axes = {}
        for override in OverridesParser.create(config_loader=self.loader).parse_overrides(list(words)):
            key = override.get_key_element()
            if not override.is_sweep_override():
                axes[key] = [override.input_line or ""]
            elif override.is_discrete_sweep():
                axes[key] = [f"{key}={value}" for value in override.sweep_string_iterator()]
            else:
                raise Mistake(f"{override.input_line} is no list; write {key}=a,b or {key}=range(a,b)")
        return axes


def _plain(composed: DictConfig) -> dict[object, object]:
    container = OmegaConf.to_container(composed)
    assert isinstance(container, dict)
    return {key: value for key, value in container.items() if key != "hydra"}
