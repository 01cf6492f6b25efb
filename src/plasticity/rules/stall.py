"""Growth when learning stalls."""

from dataclasses import dataclass

from plasticity.limits import number, whole
from plasticity.networks import Network
from plasticity.rules.growing import Growing
from plasticity.rules.rule import Change, Moment, after_every


@dataclass(frozen=True)
class Stall(Growing):
    """After every `window` samples of a task, from the second time on: one column if accuracy over the latest window is
    not at least `gain` above that over the window before it."""

    window: int
    gain: float
    column: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("window", self.window, 1)
        number("gain", self.gain, -1, 1)

    @property
    def needs_boundaries(self) -> bool:
        return True

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return after_every(self.window, max(sample, 2 * self.window), N)

    def __call__(self, network: Network, now: Moment) -> Change:
        before, latest = now.correct[-2 * self.window : -self.window], now.correct[-self.window :]
        return self.columns(int(int(latest.sum()) - int(before.sum()) < self.gain * self.window))
