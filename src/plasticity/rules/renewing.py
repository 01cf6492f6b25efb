"""What rules that renew units share: where they mean nothing, and what their settings may be."""

from math import inf

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
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        wanted = f"from {least:g} to {most:g}" if most < inf else f"{least:g} or more"
        raise Mistake(f"{name}={value} is not possible; it must be a number, {wanted}")


def whole(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Mistake(f"{name}={value} is not possible; it must be a whole number, {least} or more")
