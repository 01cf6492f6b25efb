"""The launchers: every configuration of a grid is composed and checked before the first run goes anywhere."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

if TYPE_CHECKING:
    from plasticity.grid.board import Plain
    from plasticity.runs.config import Config
    from plasticity.runs.signals import Interrupts


ended: list[str] = []  # the outputs of a grid that was followed to its end and is to be drawn


class GridLauncher(Launcher):
    """Imports late, as all its kind: Hydra loads every plugin at every start."""

    def __init__(self, **settings: Any) -> None:
        self.settings: dict[str, Any] = {
            key: OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
            for key, value in settings.items()
        }

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self.hydra_context, self.master = hydra_context, config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        from hydra_plugins.plasticity.compose import Composer
        from plasticity import terminal
        from plasticity.grid.board import board_for
        from plasticity.runs.signals import Interrupts

        board = board_for(terminal.console())
        composer = Composer(cast(ConfigLoaderImpl, self.hydra_context.config_loader), self.master)
        with Interrupts() as interrupts:
            with interrupts.breakable():
                composed = composer.configs(job_overrides)
                configs = list(board.steps("checking the runs:", composed, len(job_overrides)))
            self.go(configs, board, interrupts)
        if configs[0].report and not self.settings.get("detach"):
            ended.append(configs[0].outputs)
        return []

    @abstractmethod
    def go(self, configs: "list[Config]", board: "Plain", interrupts: "Interrupts") -> None: ...


class SerialLauncher(GridLauncher):
    def go(self, configs: "list[Config]", board: "Plain", interrupts: "Interrupts") -> None:
        from plasticity.grid.launch import in_turn

        in_turn(configs, board.console, interrupts)


class LocalLauncher(GridLauncher):
    def go(self, configs: "list[Config]", board: "Plain", interrupts: "Interrupts") -> None:
        from plasticity.grid.clusters import Local
        from plasticity.grid.launch import in_jobs
        from plasticity.grid.packing import LocalPacking

        retries, detach = self.settings["retries"], self.settings["detach"]
        in_jobs(configs, Local(), LocalPacking(self.settings, configs), retries, detach, board, interrupts)


class SlurmLauncher(GridLauncher):
    def go(self, configs: "list[Config]", board: "Plain", interrupts: "Interrupts") -> None:
        from plasticity.grid.clusters import Slurm
        from plasticity.grid.launch import in_jobs
        from plasticity.grid.packing import SlurmPacking

        settings = self.settings
        packing = SlurmPacking(settings, configs)
        cluster = Slurm(packing.parameters, settings["array_parallelism"], settings["submitit_folder"])
        in_jobs(configs, cluster, packing, settings["retries"], settings["detach"], board, interrupts)
