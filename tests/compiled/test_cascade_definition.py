"""What compiled code says a cascade computes is what plain numpy says."""

import numpy as np
import pytest
from support.small import cascade, small_data, stream

from plasticity.networks.definition import responses


@pytest.mark.parametrize("units", [0, 1, 17, 40])
@pytest.mark.parametrize("lateral", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_units_and_outputs_follow_the_definition(units: int, lateral: bool, bias: bool) -> None:
    network = cascade(units, lateral=lateral, bias=bias)
    network.bias[:] = np.random.default_rng(0).normal(size=10 + units) * bias
    samples = stream(small_data()).samples(0)[:33]
    hidden, output = responses(network, samples)
    assert hidden.shape == (33, units)
    np.testing.assert_allclose(network.hidden(samples), hidden, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(network.output(samples), output, rtol=1e-12, atol=1e-12)
