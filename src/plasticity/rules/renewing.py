"""What rules that renew units share: where they mean nothing."""

from plasticity.networks import Network


class Renewing:
    """A rule that draws units anew in their place."""

    why = "renewed"  # a unit died

    def refuses(self, network: Network) -> str | None:
        """Why it means nothing for such a network, in one sentence; asked before anything runs."""
        if getattr(network, "freezing", False):
            name = type(self).__name__
            return f"{name} renews units, and this network's are frozen: they would never learn; use another model"
        return None
