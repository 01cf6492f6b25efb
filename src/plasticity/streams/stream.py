"""What a stream is."""

from typing import Protocol

from plasticity.streams.samples import Samples


class Stream(Protocol):
    """A sequence of tasks. A yaml in conf/stream names its class, which is made from the yaml's keys and from
    `dataset` and `seed`. Task t must depend on (seed, t) alone: then every model of one seed meets the same tasks, and
    a run resumes with no generator saved.

    A stream that changes all the time says so with `boundaries = False`: its tasks are only what is reported together,
    and a rule that acts when a task begins is refused."""

    def samples(self, task: int) -> Samples:
        """The samples of task number `task`, from 0, in the order learned; every task has as many."""
        ...


def has_boundaries(stream: Stream) -> bool:
    return getattr(stream, "boundaries", True)
