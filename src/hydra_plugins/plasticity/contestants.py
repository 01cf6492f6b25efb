"""The presets of conf/experiment/field as the comparison needs them: each setting of each contestant, in any class."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from hydra_plugins.plasticity.expansion import Combination
from hydra_plugins.plasticity.presets import Cell, Presets
from plasticity.results.field.entries import ANY, MATCHED, STEP_SIZES, Choice, Class, Placed, Sizes, Tried, chosen_for
from plasticity.runs import identity
from plasticity.runs.growth import paper_K
from plasticity.runs.resolve import matched

FOLDER = "field/*"
GROWTH = "growth="
# The keys of which a contestant has one value only.
SHARED = ("experiment", "model", "model.width", "method", "timing", "growth")
SELECTED = "one", "connections"  # growth and match of the networks with which settings are chosen


@dataclass(frozen=True)
class Setting:
    """Of a contestant, composed once; data set, N, K, step size and width are put into copies."""

    contestant: str
    title: str
    boundaries: str
    combination: Combination

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word in self.combination.overrides if not word.startswith("experiment="))

    @property
    def line(self) -> str:
        return " ".join(self.words)

    @property
    def own(self) -> str:
        """As one reads it, without what all settings of the contestant share."""
        return " ".join(word.replace("\\", "") for word in self.words if word.partition("=")[0] not in SHARED)

    @property
    def is_matched(self) -> bool:
        """Whether its size follows an AEN's."""
        return MATCHED in self.words

    def growth(self, general: str) -> str:
        own = [word.removeprefix(GROWTH) for word in self.words if word.startswith(GROWTH)]
        return own[0] if own else general


def settings(found: Presets) -> list[Setting]:
    every = []
    for name in found.expansion.presets(FOLDER):
        preset = found.expansion.preset(f"experiment={name}")
        who = name.rpartition("/")[2], preset.title or name, preset.boundaries or "not said"
        combinations = found.expansion.combinations([f"experiment={name}", *found.overrides])
        every += [Setting(*who, combination) for combination in combinations]
    return every


def tried(found: Presets, every: Sequence[Setting], cells: Iterable[Cell]) -> Iterator[Tried]:
    """Each setting at each step size."""
    growth, match = SELECTED
    for setting in every:
        for dataset, N in cells:
            for step_size in STEP_SIZES:
                there = _at(setting, Class(dataset, N, growth, match, ""), step_size, found)
                who = setting.contestant, setting.title, setting.boundaries
                yield Tried(*who, dataset, N, step_size, setting.own, setting.line, _key(there))


def placed(
    found: Presets, every: Sequence[Setting], chosen: Sequence[Choice], classes: Iterable[Class], sizes: Sizes
) -> Iterator[Placed]:
    """What was chosen in every class: F-FCNNs as large as the AEN there, once it is known where that one settles."""
    by_line, own = {(setting.contestant, setting.line): setting for setting in every}, set()
    for where in classes:
        for choice in chosen_for(chosen, where):
            setting = by_line.get((choice.contestant, choice.line))
            if setting and setting.is_matched and _place(where) in sizes:
                yield _as_large(setting, choice, where, sizes, found)
            elif setting and not setting.is_matched and (once := (replace(where, match=ANY), choice.line)) not in own:
                own.add(once)
                yield _placed(setting, choice, once[0], _at(setting, once[0], choice.step_size, found))


def _place(where: Class) -> tuple[str, int, str, str]:
    return where.dataset, where.N, where.growth, where.regime


def _as_large(setting: Setting, choice: Choice, where: Class, sizes: Sizes, found: Presets) -> Placed:
    """What has as many connections is near enough in the rest, too, unless its method takes work or memory: then it is
    one network and not two."""
    wanted, rather = sizes[_place(where)], None
    if where.match != "connections":
        alike = _at(setting, replace(where, match="connections"), choice.step_size, found)
        rather = matched(alike.composed, wanted["connections"]).width
    there = _at(setting, where, choice.step_size, found)
    match = matched(there.composed, wanted[where.match], rather)
    there.composed.model.width = match.width
    note = "" if match.is_close else f"{setting.title} in {where.name} comes no nearer than {match}"
    return _placed(setting, choice, where, there, f"model.width={match.width}", note)


def _placed(
    setting: Setting, choice: Choice, where: Class, there: Combination, width: str = "", note: str = ""
) -> Placed:
    words = [width if word == MATCHED else word for word in setting.words if not word.startswith(GROWTH)]
    typed = f"dataset={where.dataset} N={where.N} growth={setting.growth(where.growth)} step_size={choice.step_size:g}"
    line = " ".join([*words, typed])
    return Placed(choice.contestant, where, choice.step_size, choice.setting, line, _key(there), note)


def _at(setting: Setting, where: Class, step_size: float, found: Presets) -> Combination:
    composed = deepcopy(setting.combination.composed)
    composed.dataset, composed.N = found.expansion.group("dataset", where.dataset), where.N
    composed.K, composed.step_size = paper_K(where.N, setting.growth(where.growth)), step_size
    if where.match != ANY:
        composed.match = where.match
    return replace(setting.combination, composed=composed)


def _key(combination: Combination) -> str:
    return identity.curve_key(identity.curve(identity.identity(combination.config)))
