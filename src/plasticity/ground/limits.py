"""What the value of a setting may be; anything else is one sentence."""

from math import inf, isfinite

from plasticity.ground.errors import Mistake


def number(name: str, value: object, least: float, most: float) -> None:
    """In a range; its ends are possible."""
    finite = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not (finite and least <= value <= most):  # type: ignore[operator]
        raise Mistake(f"{name}={value} is not possible; it must be a number, {_range(least, most)}")


def whole(name: str, value: object, least: int, also: str = "", most: float = inf) -> None:
    """`also`: what else the setting may be, for the sentence."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Mistake(f"{name}={value} is not possible; it must be a whole number, {_range(least, most)}{also}")


def _range(least: float, most: float) -> str:
    return f"from {least:g} to {most:g}" if most < inf else f"{least:g} or more"
