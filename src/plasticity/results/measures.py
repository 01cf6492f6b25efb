"""Every measure, named once: what csv, wandb, dashboard, figures, table and report call it and how they show it."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from plasticity.ground.errors import Mistake


@dataclass(frozen=True)
class Measure:
    name: str  # its column in tasks.csv
    title: str
    meaning: str  # in one line
    section: str  # of wandb's panels
    unit: str = ""
    scale: float = 1.0  # what is stored times this is what is shown
    size: bool = False  # a number of things: whole, and on a logarithmic axis where curves are far apart
    least: float | None = None  # no value is below it
    most: float | None = None
    from_zero: bool = False  # its axis begins at 0
    kept: bool = False  # in committed curves
    compared: bool = False  # models are compared by it on a dashboard

    @property
    def axis(self) -> str:
        """Of a picture, which shows it scaled."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def stored_axis(self) -> str:
        """Of a dashboard, which shows what is stored."""
        return f"{self.title} (share)" if self.unit == "%" else self.axis


def _share(name: str, title: str, meaning: str, section: str, **more: bool) -> Measure:
    return Measure(name, title, meaning, section, "%", 100.0, least=0.0, most=1.0, **more)


MEASURES = {
    measure.name: measure
    for measure in (
        _share("accuracy", "Accuracy", "share of the task's samples predicted right, each before its step", "accuracy",
               kept=True, compared=True),
        _share("accuracy_first_tenth", "Accuracy, first tenth", "the same of the task's first tenth, rounded up",
               "accuracy"),
        _share("accuracy_last_tenth", "Accuracy, last tenth", "the same of its last tenth", "accuracy"),
        Measure("loss", "Loss", "mean cross-entropy of the task's predictions, each before its step", "accuracy",
                "nats", least=0.0),
        _share("dormancy", "Dormancy", "share of units silent on a part of the task, at its start, after pruning",
               "dormancy", from_zero=True, kept=True, compared=True),
        _share("dormancy_before_pruning", "Dormancy before pruning", "the same before pruning", "dormancy",
               from_zero=True),
        Measure("units", "Hidden units", "at the start of the task, after pruning", "size", size=True, least=0.0,
                kept=True, compared=True),
        Measure("connections", "Connections", "weights that exist, biases not counted; then, too", "size", size=True,
                least=0.0, kept=True, compared=True),
        Measure("pruned", "Units pruned", "dropped by rules in the task", "size", least=0.0),
        Measure("added", "Units added", "added by rules in the task", "size", least=0.0),
        Measure("renewed", "Units renewed", "drawn anew in their place by rules in the task", "size", least=0.0),
        Measure("effective_rank", "Effective rank", "exp of the entropy of the normalised singular values of the "
                "hidden units' outputs (Roy and Vetterli, 2007)", "plasticity", least=0.0, compared=True),
        Measure("weight_magnitude", "Weight magnitude", "mean absolute weight over connections", "plasticity",
                least=0.0),
        Measure("work", "Operations", "arithmetic of the task, counted as networks/work.py says", "cost", least=0.0),
        Measure("memory", "State in memory", "weights, biases, and what is remembered of them and of units, at the "
                "start of the task, after pruning", "cost", "bytes", least=0.0),
        Measure("seconds", "Time per task", "time the task took", "cost", "s", least=0.0),
        Measure("us_per_sample", "Time per sample", "seconds over N", "cost", "µs", least=0.0, compared=True),
    )
}  # fmt: skip
# By measures=field; each may also be of one hidden layer, `…_layer2`.
FIELD = {
    f"dormancy_{digits}": _share(
        f"dormancy_{digits}",
        f"Dormancy at {threshold}",
        f"share of units whose mean output is at most {threshold} of their layer's (Sokar et al., 2023)",
        "dormancy",
        from_zero=True,
    )
    for digits, threshold in (("010", 0.01), ("025", 0.025), ("100", 0.1))
}
PRUNING = {  # by measures=pruning
    "wrongly_pruned": _share("wrongly_pruned", "Living units pruned", "share of the units that fire anywhere in the "
                             "task that were dropped when it began", "dormancy", from_zero=True),
}  # fmt: skip
OF_LAYER = re.compile(r"(?P<name>.+)_layer(?P<layer>\d+)")
KEPT = tuple(name for name, measure in MEASURES.items() if measure.kept)
COMPARED = tuple(name for name, measure in MEASURES.items() if measure.compared)
SHARES = tuple(name for name in KEPT if MEASURES[name].unit == "%")
SIZES = tuple(name for name in KEPT if MEASURES[name].size)


def check(names: Iterable[str], there: Collection[str], origin: object) -> None:
    """Whether some run has them."""
    for name in names:
        if name not in there:
            close = get_close_matches(name, there, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(there))}"
            raise Mistake(f"no run of {origin} has the measure {name}; {hint}")


def measure(name: str) -> Measure:
    """One of a user's own has its column's name for a title."""
    known = MEASURES | FIELD | PRUNING
    if (part := OF_LAYER.fullmatch(name)) and part["name"] in known:
        return _of_layer(known[part["name"]], int(part["layer"]))
    return known.get(name) or Measure(name, name.replace("_", " "), "a measure of one's own", "own")


def _of_layer(whole: Measure, layer: int) -> Measure:
    name, title = f"{whole.name}_layer{layer}", f"{whole.title}, layer {layer}"
    meaning = f"{whole.meaning}; of hidden layer {layer} alone"
    return replace(whole, name=name, title=title, meaning=meaning, kept=False, compared=False)
