"""Curves in the paper's words, and how each is drawn so that it looks the same in every figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plasticity.ground.errors import printable
from plasticity.runs.identity import What, grows_every, growth
from plasticity.runs.keys import apart, columns, differences

DATASETS = {"mnist": "MNIST", "fmnist": "FMNIST", "toy": "toy data"}
MODELS = {
    "ffcnn": "F-FCNN",
    "sgn": "SGN",
    "agn": "AGN",
    "aen": "AEN",
    "aen_random": "AEN-random",
    "agn_two_layer": "Two-layer AGN",
    "aen_two_layer": "Two-layer AEN",
}
BY_GROWTH = ("aen", "aen_two_layer")  # the paper has them at several rates: the legend names the rate always
UNITS_PER_TASK = {
    "one": "one new unit per task",
    "two": "two new units per task",
    "three": "three new units per task",
}

# Okabe and Ito's colours, told apart with every common colour blindness; markers for print without colour.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"


@dataclass(frozen=True)
class Style:
    color: str
    dash: str = "solid"  # solid, dash, dot, dashdot
    marker: str = "circle"


COLORS = {
    "ffcnn": BLACK,
    "sgn": VERMILION,
    "agn": BLUE,
    "aen_random": ORANGE,
    "aen one": GREEN,
    "aen two": SKY,
    "aen three": PURPLE,
}
MARKERS = {
    "ffcnn": "square",
    "sgn": "cross",
    "agn": "diamond",
    "aen_random": "x",
    "aen one": "circle",
    "aen two": "triangle-up",
    "aen three": "triangle-down",
}
WIDTHS = (ORANGE, GREEN, BLUE, BLACK)  # light to dark, so that wider is darker
DASHES = ("solid", "dash", "dot", "dashdot")


def dataset(name: str) -> str:
    return DATASETS.get(name, name)


FEW = 2  # keys that a legend has room for
ACROSS = ("", 0)  # where a claim is that compares data sets or N


def cell(name: str, N: int) -> str:
    return f"{dataset(name)}, N = {N:,}" if (name, N) != ACROSS else "across data sets and N"


def where(name: str | None, N: int | None) -> str:
    """A figure over several data sets, or several N, does not say them."""
    if name is not None and N is not None:
        return cell(name, N)
    return dataset(name) if name is not None else f"N = {N:,}" if N is not None else ""


def placed(curve: str, name: str, N: int) -> str:
    """How a claim across cells names a curve."""
    return f"{curve} @{name}/{N}"


def legend(what: What, settings: Mapping[str, Any], rate: bool = True) -> str:
    """`rate`: with how fast it grows."""
    return _with(_network(what, rate), _unlike(what, settings))


def _network(what: What, rate: bool = True) -> str:
    """Without its settings."""
    model = what["model"]
    words: str = MODELS.get(model["name"]) or what["label"]
    if size(what):
        words += " " + "×".join(map(str, size(what)))
    elif rate and model["name"] in MODELS and growth(what) and (model["name"] in BY_GROWTH or growth(what) != "one"):
        words += ", " + _rate(what)
    return words


def _rate(what: What) -> str:
    """How fast it grows; a column is more than one unit, whatever K is."""
    rate = f"K={grows_every(what)}" if "column" in what["model"]["network"] else growth(what)
    return UNITS_PER_TASK.get(rate, rate.replace("=", " = "))


def _unlike(what: What, settings: Mapping[str, Any]) -> list[str]:
    """A method's name says which update it brings."""
    unlike = differences(what, settings)
    named = any(word.startswith("method=") for word in unlike)
    return [word for word in unlike if not (named and word.startswith("update"))]


def _with(network: str, words: Sequence[str]) -> str:
    return printable(f"{network} ({', '.join(words)})" if words else network)


def legends(whats: Sequence[What], settings: Mapping[str, Any]) -> list[str]:
    """Of curves that are shown together: those of one network say in what they differ, all of them if that is little,
    and otherwise those that would read alike."""
    networks = list(map(_network, whats))
    own = [_unlike(what, settings) for what in whats]
    own = _telling(whats, networks, own, FEW)
    return list(map(_with, networks, _telling(whats, list(map(_with, networks, own)), own, None)))


def names(whats: Sequence[What]) -> list[str]:
    """As legends, where nobody knows the default settings: only those that would read alike say in what they differ."""
    networks = list(map(_network, whats))
    return list(map(_with, networks, _telling(whats, networks, [[] for _ in whats], None)))


def _telling(whats: Sequence[What], alike: Sequence[str], own: list[list[str]], most: int | None) -> list[list[str]]:
    found = list(own)
    for words in {words for words in alike if alike.count(words) > 1}:
        places = [place for place, other in enumerate(alike) if other == words]
        unlike = apart([whats[place] for place in places])
        if most is None or len(columns(unlike)) <= most:
            for place, each in zip(places, unlike, strict=True):
                found[place] = [*dict.fromkeys([*own[place], *(f"{key}={value}" for key, value in each.items())])]
    return found


def spoken(curve: str) -> str:
    """The legend of a curve that a claim names, whether it has runs or not."""
    curve, _, where = curve.partition(" @")
    if where:
        name, _, N = where.partition("/")
        return f"{spoken(curve)} ({cell(name, int(N))})"
    model, _, size = curve.partition(" ")
    if model == "ffcnn":
        return f"{MODELS[model]} {size.replace('x', '×')}"
    return MODELS[model] + (f", {UNITS_PER_TASK[size]}" if model in BY_GROWTH else "")


def style(what: What, settings: Mapping[str, Any], place: int) -> Style:
    """Two-layer variants are their cascade, dashed; what the paper does not have goes by its place."""
    model = what["model"]
    cascade = model["name"].removesuffix("_two_layer")
    key = f"{cascade} {growth(what)}" if cascade == "aen" else cascade
    if key not in COLORS or differences(what, settings):
        return by_place(place)
    if key == "ffcnn" and size(what) != (3, 200):
        return by_size(*size(what))
    return Style(COLORS[key], "solid" if model["name"] == cascade else "dash", MARKERS[key])


def by_place(place: int) -> Style:
    colors, markers = list(COLORS.values()), list(MARKERS.values())
    return Style(colors[place % len(colors)], DASHES[place // len(colors) % 4], markers[place % len(markers)])


def size(what: What) -> tuple[int, ...]:
    """Layers and width of a layered network; of another one nothing."""
    network = what["model"]["network"]
    return (network["layers"], network["width"]) if "layers" in network else ()


def by_size(layers: int, width: int) -> Style:
    """Width is the colour, depth the dash and the marker."""
    shade = sum(width > bound for bound in (50, 100, 200))
    return Style(WIDTHS[shade], DASHES[(layers - 1) % 4], list(MARKERS.values())[(layers - 1) % 7])
