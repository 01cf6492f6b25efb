"""How arithmetic is counted: densely, by the weights that there are, whichever of them an engine really touches.

Of each sample, a weight costs 2 operations forward, a multiplication and an addition; if it learns, 2 more backward,
and as many as its update takes to change it, 2 with SGD: 6 in all. A frozen weight costs the 2 forward. A bias counts
as a weight, and weights from the inputs count like any other. What units and outputs do by themselves, ReLU and
softmax, is one operation in hundreds and is left out; a network whose units do more says so in its `work`.

Besides: a trace costs what `compiled/traces.py` says, for each unit and sample; a rule that looks at its probe pays a
forward pass for each of the probe's samples; a weight that is drawn costs 2 operations, and 3 more for each weight and
bias where a draw is mixed with what there was. What rules make of what they see, moving numbers about, and our own
measuring of a network are not counted, nor are its first weights.
"""

from typing import NamedTuple

FORWARD = 2
BACKWARD = 2
DRAW = 2  # a random number, scaled and shifted
MIX = 3  # scale · weight + noise · draw


class Work(NamedTuple):
    """Of a network as it is now, what one sample costs: operations, and how many numbers the update changes."""

    forward: int
    backward: int
    learning: int
    tracing: int = 0

    @staticmethod
    def of(weights: int, learning: int, tracing: int) -> "Work":
        """Of so many weights and biases, of which so many learn."""
        return Work(FORWARD * weights, BACKWARD * learning, learning, tracing)

    def step(self, change: float) -> float:
        """The operations of learning one sample, where an update takes so many to change one weight."""
        return self.forward + self.backward + self.learning * change + self.tracing
