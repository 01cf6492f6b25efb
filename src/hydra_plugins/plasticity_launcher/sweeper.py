"""From the command line's sweeps to the jobs of a grid."""

from collections.abc import Sequence
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser


class GridSweeper(BasicSweeper):
    def sweep(self, arguments: list[str]) -> Any:
        assert self.hydra_context
        assert self.launcher
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        overrides = parser.parse_overrides([*self._parse_config(), *arguments])
        batches = self.split_arguments(overrides, self.max_batch_size)
        results: list[Sequence[Any]] = []
        for batch in batches:
            results.append(self.launcher.launch(batch, initial_job_idx=sum(map(len, results))))
        return results
