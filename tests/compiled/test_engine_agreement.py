"""The fused engine agrees with the reference; short, to be run again with each kind of vector."""

import copy
from collections.abc import Callable

import numpy as np
import pytest
from support.agreement import same_predictions
from support.small import cascade, layered, small_data, stream

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Network
from plasticity.updates import SGD

NETWORKS: dict[str, Callable[[], Network]] = {
    "cascade": lambda: cascade(40, 37, np.float32),
    "flat": lambda: cascade(40, 37, np.float32, lateral=False),
    "columns without shortcut": lambda: cascade(40, 37, np.float32, column=3, shortcut=False),
    "frozen": lambda: cascade(40, 37, np.float32, freezing=True),
    "layers": lambda: layered(3, 18, 37, np.float32),
    "crelu": lambda: layered(3, 18, 37, np.float32, activation="crelu"),
    "layer norm": lambda: layered(3, 18, 37, np.float32, normalise=True),
}


MARKS = {  # what is compiled by itself, for seconds
    "columns without shortcut": pytest.mark.thorough,
    "crelu": pytest.mark.thorough,
    "layer norm": pytest.mark.slow,
}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=MARKS.get(kind, ())) for kind in NETWORKS])
def test_the_fused_engine_agrees_with_the_reference_to_1e_5(kind: str) -> None:
    fused = NETWORKS[kind]()
    torch = copy.deepcopy(fused)
    samples = stream(small_data(300, 37, np.float32)).samples(0)
    same_predictions(Fused().learn(fused, samples, SGD(0.001)), Reference().learn(torch, samples, SGD(0.001)), 1e-5)
    for one, other in zip(fused.snapshot().values(), torch.snapshot().values(), strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)
