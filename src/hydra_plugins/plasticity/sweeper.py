"""The sweeper: a preset is a set of curves, one line each, and not a product of axes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

from hydra_plugins.plasticity.expansion import Expansion


@dataclass
class CurvesConf:
    _target_: str = "hydra_plugins.plasticity.sweeper.Curves"
    title: str | None = None  # of the figure, or of a contestant in the comparison with the field
    against: str | None = None  # a key: the figure has this on its axis, and not the tasks
    over_tasks: bool = False  # with `against`: a figure over the tasks as well
    boundaries: str | None = None  # of a contestant: what it does where one task ends and the next begins
    curves: list[str] = field(default_factory=list)  # each like a command line; may end in `unless KEY=VALUE`
    params: dict[str, str] = field(default_factory=dict)  # swept for every curve, as in Hydra's own sweeper


ConfigStore.instance().store(group="hydra/sweeper", name="curves", node=CurvesConf, provider="plasticity")


class Curves(Sweeper):
    def __init__(
        self,
        title: str | None,
        against: str | None,
        over_tasks: bool,
        boundaries: str | None,
        curves: Sequence[str],
        params: dict[str, str],
    ):
        # Read again from the configuration, once for each preset when several are swept.
        self.launcher: Launcher | None = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.config, self.hydra_context = config, hydra_context
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        assert self.config is not None
        assert self.hydra_context is not None
        assert self.launcher is not None
        always = OmegaConf.to_container(self.config.hydra.overrides.hydra)
        assert isinstance(always, list)
        name = self.config.hydra.job.config_name
        jobs = Expansion(self.hydra_context.config_loader, name, tuple(map(str, always))).jobs(arguments)
        results = self.launcher.launch([list(job) for job in jobs], initial_job_idx=0)
        for result in results:
            _ = result.return_value  # raises what the run raised
        return [results]
