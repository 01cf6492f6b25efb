"""A run's settings by the keys that one types for them, and which of them tell several runs apart."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from plasticity.ground.errors import Mistake
from plasticity.runs.identity import WORDS, What, curve

# Where a part of the identity is set by a shorter key, as conf says; any other is typed as it lies there.
TYPED = {
    "model.name": "model",
    "model.method": "method",
    "model.timing": "timing",
    "dataset.name": "dataset",
    "stream.kind": "stream",
    "update.kind": "update",
    "engine.kind": "engine",
    "engine.device": "device",
    "model.network.bias": "bias",
    "model.network.incoming": "init.incoming",
    "model.network.outgoing": "init.outgoing",
    "model.network.first": "init.first",
    "model.network.initial_weights": "init.layers",
    "model.network.output_weights": "init.outputs",
    "model.network.layers": "model.layers",
    "model.network.width": "model.width",
    "model.network.column": "model.column",
    "model.network.depth": "model.depth",
    "model.network.shortcut": "model.shortcut",
    "model.rules.grow.K": "K",
    "model.rules.grow_steady.K": "K",
    "stream.order": "order",
    "update.step_size": "step_size",
}
FIRST = ("dataset", "N", "model", "model.layers", "model.width", "method", "timing", "K")
LAST = ("seed",)
RANGE = re.compile(r"range\((\d+),(\d+)\)")
NO_METHOD = ("method", "none")
GROUPS = ("stream", "update", "engine")  # their kind is the name of a class, typed in small letters
LISTS = ("model.rules", "stream.turns")  # parts by name: lists, as their order counts
ENGINES = {"reference": "torch"}  # but for this one
# What a model, a method, a data set or a stream brings along: shown only where runs could not be told apart without it.
BROUGHT = re.compile(r"(.*\.)?(kind|source|lateral|freezing)|stream\.turns\..+")
# What a curve is rather than how it is set: its label says it, or its place.
LABELLED = re.compile(r"model|N|K|model\.(layers|width|rules\..+)|(dataset|engine)(\..+)?|device")


def typed(what: What) -> dict[str, Any]:
    """Every setting of a run or a curve, as `step_size`, `init.layers` or `model.rules.cbp.rate`."""
    named = {key: value for key, value in what.items() if key not in WORDS}
    own = {"timing": what["timing"]} if "timing" in what else {}  # as the model has it otherwise
    named["model"] = {**what["model"], "method": what.get("method", NO_METHOD[1]), **own}
    found = {TYPED.get(path, path): value for path, value in _flat(named).items()}
    for key in GROUPS:
        if isinstance(kind := found.get(key), str):
            small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()
            found[key] = ENGINES.get(small, small)
    return {key: found[key] for key in sorted(found, key=_place)}


def settings(what: What) -> dict[str, Any]:
    """How everything is set that a label does not say."""
    silent = ["method"] if "method" not in what else []
    found = typed(curve(what)).items()
    return {
        key: value for key, value in found if not (BROUGHT.fullmatch(key) or LABELLED.fullmatch(key) or key in silent)
    }


def differences(what: What, defaults: Mapping[str, Any]) -> list[str]:
    """In what a curve leaves the default settings, which are those of any network."""
    own = settings(what)
    known = [key for key in defaults if key in own and own[key] != defaults[key]]
    return [f"{key}={text(own[key])}" for key in (*known, *(key for key in own if key not in defaults))]


def apart(whats: Sequence[What]) -> list[dict[str, str]]:
    """For each of several runs or curves, the keys in which they are not all alike, with its own values as they are
    typed. A key that it does not have, or has at a neutral value, is not there."""
    settings = [typed(what) for what in whats]
    keys = sorted(dict.fromkeys(key for each in settings for key in each), key=_place)
    texts = [{key: text(value) for key, value in each.items()} for each in settings]
    unlike = [key for key in keys if len({each[key] for each in texts if key in each}) > 1]
    shown = [key for key in unlike if not BROUGHT.fullmatch(key)]
    for key in keys:
        others = [name for name in shown if name not in LAST]
        if key not in shown and _separates(key, others, texts):
            shown.append(key)
    return [{key: each[key] for key in sorted(shown, key=_place) if key in each} for each in texts]


def alike(whats: Sequence[What]) -> dict[str, str]:
    """Of the keys that say what a run is, those in which several are all alike."""
    settings = [typed(what) for what in whats]
    shared = {key: text(settings[0][key]) for key in (*FIRST, *LAST) if key in settings[0]} if settings else {}
    return {
        key: value
        for key, value in shared.items()
        if all(key in each and text(each[key]) == value for each in settings) and (key, value) != NO_METHOD
    }


def _separates(key: str, shown: Sequence[str], texts: Sequence[Mapping[str, str]]) -> bool:
    """Are there two that look alike by what is shown, and not by this key?"""
    without = {tuple(each.get(name) for name in shown) for each in texts}
    return len({tuple(each.get(name) for name in (*shown, key)) for each in texts}) > len(without)


def matching(whats: Sequence[What], wanted: Sequence[str]) -> list[bool]:
    """Which of several have all that is wanted, as `model=aen`, `step_size=0.1,0.01`, `K=6*` or `seed=range(0,5)`."""
    settings = [{key: text(value) for key, value in typed(what).items()} for what in whats]
    known = dict.fromkeys(key for each in settings for key in each)
    filters = [(key, listed(values)) for key, _, values in (word.partition("=") for word in wanted)]
    for key, _ in filters:
        check(key, known)
    return [all(meets(each.get(key), values) for key, values in filters) for each in settings]


def check(key: str, there: Collection[str]) -> None:
    if key not in there:
        plain = sorted((each for each in there if not BROUGHT.fullmatch(each)), key=_place)
        close = get_close_matches(key, plain, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(plain)}"
        raise Mistake(f"{key} is no key of these runs; {hint}")


def listed(values: str) -> list[str]:
    """Several, with commas or as range(0,5)."""
    return RANGE.sub(lambda ends: ",".join(map(str, range(int(ends[1]), int(ends[2])))), values).split(",")


def meets(value: str | None, wanted: Sequence[str]) -> bool:
    """A key at its neutral value is not there: null. 1e-3 is 0.001, True is true, as Hydra has it, * is anything."""
    return any(_same("null" if value is None else value, one) for one in wanted)


def _same(value: str, pattern: str) -> bool:
    try:
        return float(value) == float(pattern)
    except ValueError:
        return fnmatchcase(value, {"True": "true", "False": "false"}.get(pattern, pattern))


def columns(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The keys of `apart`, each once, in order."""
    return sorted(dict.fromkeys(key for row in rows for key in row), key=_place)


def said(settings: Mapping[str, str]) -> str:
    """As on the command line."""
    return " ".join(f"{key}={value}" for key, value in settings.items())


def text(value: Any) -> str:
    """As it is typed."""
    if value is None or isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _place(key: str) -> tuple[int, str]:
    if key in FIRST:
        return FIRST.index(key), ""
    return (len(FIRST) + (key in LAST), "" if key in LAST else key)


def _flat(node: Any, path: str = "") -> dict[str, Any]:
    """Leaves by the keys on the way to them."""
    if path in LISTS:
        node = dict(node)
    if not isinstance(node, Mapping):
        return {path: node}
    inner = [_flat(value, f"{path}.{key}" if path else key) for key, value in node.items()]
    return {key: value for leaves in inner for key, value in leaves.items()}
