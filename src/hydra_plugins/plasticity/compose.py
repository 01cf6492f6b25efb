"""The configurations of a grid's runs, fast: groups are composed once, plain values are set in copies.

Hydra reads and merges some twenty files for every job. Jobs that choose the same groups differ only in plain values,
which Hydra itself sets after composing, with the very function that is used here.
"""

import re
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import ConfigRepository
from hydra._internal.utils import create_config_search_path
from hydra.core.config_search_path import ConfigSearchPath, SearchPathQuery
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.plugins.config_source import ConfigResult
from omegaconf import DictConfig, OmegaConf

from hydra_plugins.plasticity.composed import Composed
from plasticity.ground.errors import Mistake
from plasticity.runs.config import Config
from plasticity.runs.resolve import resolve, with_seed


def loader(conf: Path, more: Sequence[Path] = ()) -> ConfigLoaderImpl:
    """Of the suite's settings and, as --config-dir has them, of folders of one's own; outside of Hydra's own start."""
    ConfigStore.instance().store(name="schema", node=Config)
    search = create_config_search_path(str(conf.resolve()))
    for folder in more:
        if not folder.is_dir():
            raise Mistake(f"--config-dir {folder} is not a folder")
        before = SearchPathQuery(provider="schema", path=None)
        search.prepend("command-line", f"file://{folder.resolve()}", before)
    return remembering(ConfigLoaderImpl(search))


def remembering(loader: ConfigLoaderImpl) -> ConfigLoaderImpl:
    """The same, which reads each file once: Hydra would read all of them again for each composition."""
    if not isinstance(loader.repository, Remembering):
        loader.repository = Remembering(loader.config_search_path)
    return loader


class Remembering(ConfigRepository):
    def initialize_sources(self, config_search_path: ConfigSearchPath) -> None:
        super().initialize_sources(config_search_path)
        self._read: dict[str, ConfigResult | None] = {}  # what was read from other folders no longer holds

    def load_config(self, config_path: str) -> ConfigResult | None:
        """A copy: Hydra puts what it finds into other configurations."""
        if config_path not in self._read:
            self._read[config_path] = super().load_config(config_path)
        return deepcopy(self._read[config_path])

    def __deepcopy__(self, memo: dict[int, Any]) -> "Remembering":
        """Hydra makes one for each composition; it shares what was read until it looks in other folders."""
        return copy(self)


SEED = "seed"
SIMPLE = re.compile(rf"{SEED}=\d+")


def refers_to_seed(node: Any) -> bool:
    """Whether anything in a configuration, before it is filled in, may be filled in from the seed: it names it, takes
    all the values of a mapping, or is what a name is put together from."""
    if isinstance(node, dict | list):
        return any(map(refers_to_seed, node.values() if isinstance(node, dict) else node))
    if not isinstance(node, str):
        return False
    return (SEED in node or "oc.dict" in node) if "${" in node else node.strip(".") == SEED


class Composer:
    def __init__(self, loader: ConfigLoaderImpl, master: DictConfig):
        hydras = OmegaConf.to_container(master.hydra.overrides.hydra)
        assert isinstance(hydras, list)
        # This repository also knows the groups of a hydra.searchpath.
        _, self._repository = loader._parse_overrides_and_create_caching_repo(master.hydra.job.config_name, hydras)
        self._base = cache(Composed(remembering(loader), master.hydra.job.config_name, hydras).of)
        self._parse = cache(lambda line: OverridesParser.create().parse_override(line))

    def configs(self, jobs: Sequence[Sequence[str]]) -> Iterator[Config]:
        """Resolved and checked. Those that differ in their seed alone are resolved once."""
        known: dict[tuple[str, ...], Config] = {}
        for overrides in jobs:
            seed, others = self._seed(overrides)
            if seed is not None and others in known:
                yield with_seed(known[others], seed)
                continue
            composed = self.config(overrides)
            config = resolve(composed)
            if seed is not None and not refers_to_seed(OmegaConf.to_container(composed)):
                known[others] = deepcopy(config)
            yield config

    def _seed(self, overrides: Sequence[str]) -> tuple[int | None, tuple[str, ...]]:
        """What sets it and nothing else, with the other overrides; None: it is not that simple."""
        lines = [line for line in overrides if self._parse(line).key_or_group == SEED]
        others = tuple(line for line in overrides if line not in lines)
        value = self._parse(lines[0]).value() if len(lines) == 1 and SIMPLE.fullmatch(lines[0]) else None
        return (value if type(value) is int else None), others

    def config(self, overrides: Sequence[str]) -> DictConfig:
        parsed = [self._parse(line) for line in overrides]
        shaping = tuple(line for line, override in zip(overrides, parsed, strict=True) if self._shapes(override))
        config = deepcopy(self._base(shaping))
        plain = [override for override in parsed if not self._shapes(override)]
        ConfigLoaderImpl._apply_overrides_to_config(plain, config)
        return config

    def _shapes(self, override: Override) -> bool:
        """Does it decide which files are read (Hydra's own distinction), or what Hydra does?"""
        group = self._repository.group_exists(override.key_or_group) and not isinstance(override.value(), dict)
        return group or override.is_hydra_override()
