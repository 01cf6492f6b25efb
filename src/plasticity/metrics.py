"""What is measured of a network: dormancy, size, effective rank, weight magnitude."""

import numpy as np

from plasticity.arrays import Floats
from plasticity.networks import Network


def dormancy(hidden: Floats) -> float:  # (n, units)
    """The share of hidden units that are silent on every sample; 0 without hidden units."""
    return float(1 - (hidden > 0).any(axis=0).mean()) if hidden.shape[1] else 0.0


def effective_rank(hidden: Floats) -> float:  # (n, units)
    """exp of the entropy of the normalised singular values (Roy and Vetterli, 2007); 0 where nothing fires."""
    hidden = hidden.astype(np.float64)  # squared in float32, what is small would be lost in rounding
    gram = hidden.T @ hidden if hidden.shape[1] < hidden.shape[0] else hidden @ hidden.T
    singular = np.sqrt(np.clip(np.linalg.eigvalsh(gram), 0, None)) if gram.size else np.zeros(1)
    if singular.sum() == 0:
        return 0.0
    share = singular / singular.sum()
    share = share[share > 0]
    return float(np.exp(-(share * np.log(share)).sum()))


def weight_magnitude(network: Network) -> float:
    """Mean absolute weight over the connections there are."""
    return float(sum(np.abs(weight).sum(dtype=np.float64) for weight in network.weights) / network.connections)
