"""What a run is: its configuration, its identity, and where its folder is."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from plasticity.record import Record
from plasticity.runs import identity, measuring
from plasticity.runs.config import Config
from plasticity.runs.folder import Folder


@dataclass(frozen=True)
class Run:
    config: Config

    @cached_property
    def what(self) -> identity.What:
        return identity.identity(self.config)

    @cached_property
    def digest(self) -> str:
        return identity.digest(self.what)

    @property
    def name(self) -> str:
        return f"{identity.place(self.what)}/seed{self.config.seed}-{self.digest}"

    @property
    def folder(self) -> Path:
        return Path(self.config.outputs) / self.name

    @property
    def rows(self) -> list[Record]:
        return Folder(self.folder).rows

    @property
    def finished(self) -> bool:
        return Folder(self.folder).finished(self.config.tasks)

    @property
    def unmeasured(self) -> list[str]:
        """Columns that it is asked for now, and was not when it ran: measures are no part of what a run is."""
        asked = measuring.columns(self.config.measures, self.config.model.get("layers", 0))
        there = Folder(self.folder).table[0] if asked else {}
        return [name for name in asked if name not in there]
