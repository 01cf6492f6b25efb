"""Growth when learning stalls."""

from dataclasses import dataclass

from plasticity.ground.limits import number, whole
from plasticity.networks import Network
from plasticity.rules.rule import Change, Moment, Untraced, after_every


@dataclass(frozen=True)
class Stall(Untraced):
    """After every `window` samples of a task, from the second time on: one unit if accuracy over the latest window is
    not at least `gain` above that over the window before it."""

    window: int
    gain: float
    resizes = True

    def __post_init__(self) -> None:
        whole("window", self.window, 1)
        number("gain", self.gain, -1, 1)

    @property
    def needs_boundaries(self) -> bool:
        return True

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return after_every(self.window, max(sample, 2 * self.window), N)

    def __call__(self, network: Network, now: Moment) -> Change:
        before, latest = now.correct[-2 * self.window : -self.window], now.correct[-self.window :]
        return Change(add=int(int(latest.sum()) - int(before.sum()) < self.gain * self.window))
