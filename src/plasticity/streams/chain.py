"""What follows from task to task."""

from collections.abc import Callable
from typing import Generic, TypeVar

State = TypeVar("State")


class Chain(Generic[State]):
    """The state of task t, from that of task t − 1. The latest is kept: going on takes one step, whatever t is, and a
    run that resumes goes through the steps before it once."""

    def __init__(self, first: State, step: Callable[[State, int], State]):
        self._first, self._step, self._latest = first, step, (0, first)

    def at(self, task: int) -> State:
        done, state = self._latest if self._latest[0] <= task else (0, self._first)
        for following in range(done + 1, task + 1):
            state = self._step(state, following)
        self._latest = task, state
        return state
