"""What rules that renew units share: where they mean nothing, and what their settings may be."""

from math import inf, isfinite

from plasticity.errors import Mistake
from plasticity.networks import Network


class Renewing:
    """A rule that draws units anew in their place."""

    def refuses(self, network: Network) -> str | None:
        """Why it means nothing for such a network, in one sentence; asked before anything runs."""
        if getattr(network, "freezing", False):
            name = type(self).__name__
            return f"{name} renews units, and this network's are frozen: they would never learn; use another model"
        return None


def number(name: str, value: float, least: float, most: float) -> None:
    """A setting of a rule that must lie in a range; its ends are possible."""
    finite = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not (finite and least <= value <= most):
        wanted = f"from {least:g} to {most:g}" if most < inf else f"{least:g} or more"
        raise Mistake(f"{name}={value} is not possible; it must be a number, {wanted}")


def whole(name: str, value: object, least: int, also: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Mistake(f"{name}={value} is not possible; it must be a whole number, {least} or more{also}")


def after_every(every: int, sample: int, N: int) -> int | None:
    """When a rule is next due that acts after every so many samples of a task, the last included."""
    following = max(1, -(-sample // every)) * every
    return following if following <= N else None
