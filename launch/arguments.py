"""The command line as Hydra takes it, from the command line as a person types it."""

from collections.abc import Sequence

from hydra._internal.utils import get_args_parser
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

from plasticity.ground.errors import Mistake

BRACKETS = set("()[]{}")  # of a list, a sweep or a mapping: what is wrong with those is said


def tidy(words: Sequence[str]) -> list[str]:
    """Flags before settings, as Hydra wants them, and what it could not read as a value quoted, such as a path."""
    overrides = _overrides(words)
    flags, left = [], list(overrides)
    for word in words:
        left.remove(word) if word in left else flags.append(word)
    return [*flags, *map(_readable, overrides)]


def asks_for_help(words: Sequence[str]) -> bool:
    return any(word in ("-h", "--help") for word in words)


def _overrides(words: Sequence[str]) -> list[str]:
    parser = get_args_parser()

    def refuse(message: str) -> None:
        raise Mistake(f"{message}; --help shows what can be given")

    parser.error = refuse  # type: ignore[assignment]
    return parser.parse_intermixed_args(words).overrides


def _readable(override: str) -> str:
    key, equals, value = override.partition("=")
    if not equals or _parses(override) or BRACKETS & set(value):
        return override
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"{key}='{escaped}'" if _parses(f"{key}='{escaped}'") else override


def _parses(override: str) -> bool:
    try:
        OverridesParser.create().parse_override(override)
    except HydraException:
        return False
    return True
