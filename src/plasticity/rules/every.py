"""The paper's growth: one unit every K samples, or one column of them."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.growing import Growing
from plasticity.rules.rule import Change, EveryK, Moment


@dataclass(frozen=True)
class Every(Growing, EveryK):
    """One column after samples K, 2K, …; counting starts anew in each task."""

    K: int
    column: int = 1

    def __post_init__(self) -> None:
        Growing.__post_init__(self)
        EveryK.__post_init__(self)

    def __call__(self, network: Network, now: Moment) -> Change:
        return self.columns(1)
