"""Fresh weights: how wide the uniform draw is."""

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.ground.errors import Mistake

# What each kind of connection can start from. "split" draws a unit's input and hidden weights as two blocks, each with
# a fan-in of its own; "layer" counts every source of the output layer, where the plain word counts the new unit alone.
CHOICES = {
    "incoming": ("kaiming", "kaiming_split", "torch", "torch_split", "uniform:A"),
    "outgoing": ("kaiming", "kaiming_layer", "torch", "torch_layer", "uniform:A", "zero"),
    "first": ("kaiming", "torch", "uniform:A", "zero"),
    "layers": ("kaiming", "torch", "uniform:A"),
    "outputs": ("kaiming", "linear", "torch", "uniform:A"),
}


@dataclass(frozen=True)
class Initial:
    """`kaiming`: U(±√(6/fan-in)), for ReLU. `linear`: the same without ReLU's gain, U(±√(3/fan-in)). `torch`: what
    torch.nn.Linear does, U(±1/√fan-in). `uniform:A`: U(±A)."""

    kind: str
    scope: str = ""
    bound: float = 0.0

    def draw(self, rng: np.random.Generator, fan_in: int, shape: tuple[int, ...]) -> Floats:
        bound = {
            "kaiming": sqrt(6 / max(fan_in, 1)),
            "linear": sqrt(3 / max(fan_in, 1)),
            "torch": sqrt(1 / max(fan_in, 1)),
            "uniform": self.bound,
            "zero": 0.0,
        }[self.kind]
        return rng.uniform(-bound, bound, shape)


def initial(role: str, text: str) -> Initial:
    kind, _, number = str(text).partition(":")
    known = f"{kind}:A" if number else kind
    if known not in CHOICES[role] or (number and not _positive(number)):
        raise Mistake(f"init.{role}={text} is not known; choose {', '.join(CHOICES[role])} (A a positive number)")
    name, _, scope = kind.partition("_")
    return Initial(name, scope, float(number or 0))


def _positive(number: str) -> bool:
    try:
        return 0 < float(number) and isfinite(float(number))
    except ValueError:
        return False
