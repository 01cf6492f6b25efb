"""The presets of conf/experiment/field as entries of the comparison: each setting of each contestant, in each class."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace

from hydra_plugins.plasticity.expansion import Combination
from hydra_plugins.plasticity.presets import Presets
from plasticity.results.field.entries import STEP_SIZES, Class, Entry
from plasticity.runs import identity
from plasticity.runs.growth import paper_K

FOLDER = "field/*"
SHARED = ("experiment", "model", "model.width", "method", "timing")  # the keys of which a contestant has one value only


def entries(found: Presets, classes: Iterable[Class]) -> Iterator[Entry]:
    """Every contestant's settings are composed once; data set, N, K and step size are put into copies."""
    classes = list(classes)
    for name in found.expansion.presets(FOLDER):
        preset = found.expansion.preset(f"experiment={name}")
        for combination in found.expansion.combinations([f"experiment={name}", *found.overrides]):
            words = [word for word in combination.overrides if not word.startswith("experiment=")]
            own = [word.replace("\\", "") for word in words if word.partition("=")[0] not in SHARED]  # as one reads it
            for where in classes:
                for step_size in STEP_SIZES:
                    yield Entry(
                        contestant=name.rpartition("/")[2],
                        title=preset.title or name,
                        boundaries=preset.boundaries or "not said",
                        where=where,
                        step_size=step_size,
                        setting=" ".join(own),
                        line=" ".join([*words, _typed(where), f"step_size={step_size:g}"]),
                        key=_key(_at(combination, where, step_size, found)),
                    )


def _typed(where: Class) -> str:
    return f"dataset={where.dataset} N={where.N} growth={where.growth} match={where.match}"


def _at(combination: Combination, where: Class, step_size: float, found: Presets) -> Combination:
    composed = deepcopy(combination.composed)
    composed.dataset, composed.N = found.expansion.group("dataset", where.dataset), where.N
    composed.K, composed.match, composed.step_size = paper_K(where.N, where.growth), where.match, step_size
    return replace(combination, composed=composed)


def _key(combination: Combination) -> str:
    return identity.curve_key(identity.curve(identity.identity(combination.config)))
