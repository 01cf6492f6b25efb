"""How weights move."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from support import hand
from support.small import cascade, configured, layered, small_data, stream

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.networks import Cascade, Layered
from plasticity.streams import Samples
from plasticity.updates import L2, SGD, Adam, L2Init, Update


def test_sgd_moves_against_the_gradient_by_the_step_size() -> None:
    (change,) = SGD(0.5)(torch.tensor([1.0, 2.0]), torch.tensor([4.0, -2.0]))
    assert change.tolist() == [-2.0, 1.0]


def module(network: Layered) -> torch.nn.Sequential:
    layers: list[torch.nn.Module] = []
    for weight, bias in zip(network.weight, network.bias, strict=True):
        linear = torch.nn.Linear(*weight.shape, dtype=torch.float64)
        linear.weight.data, linear.bias.data = torch.tensor(weight.T.copy()), torch.tensor(bias.copy())
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


@pytest.mark.slow
def test_adam_is_torchs_own_adam() -> None:
    network = layered(2, 7)
    theirs = module(network)
    optimizer = torch.optim.Adam(theirs.parameters(), lr=0.01)
    samples = stream().samples(0)[:100]
    for x, y in zip(torch.tensor(samples.x), torch.tensor(samples.y), strict=True):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(theirs(x), y).backward()
        optimizer.step()
    update = Adam(0.01, 0.9, 0.999, 1e-8)
    network.remember(update.memory, {})
    Reference().learn(network, samples, update)
    for linear, weight in zip([part for part in theirs if hasattr(part, "weight")], network.weight, strict=True):
        np.testing.assert_allclose(linear.weight.detach().numpy().T, weight, rtol=1e-9, atol=1e-12)  # pyright: ignore


def test_memory_goes_on_where_the_last_segment_left_it() -> None:
    update, samples = Adam(0.01, 0.9, 0.999, 1e-8), stream().samples(0)[:60]
    whole, parts = cascade(4), cascade(4)
    for network in (whole, parts):
        network.remember(update.memory, {})
    Reference().learn(whole, samples, update)
    for part in (slice(0, 13), slice(13, 60)):
        Reference().learn(parts, samples[part], update)
    np.testing.assert_array_equal(whole.weight, parts.weight)


def test_a_weight_that_does_not_exist_or_is_frozen_never_moves_whatever_the_update() -> None:
    network = cascade(6, freezing=True)
    before, update = network.weight.copy(), Adam(0.01, 0.9, 0.999, 1e-8)
    network.remember(update.memory, {})
    Reference().learn(network, Samples.of(small_data().images[:20]), update)
    still = ~(network.connected & network.learning)
    np.testing.assert_array_equal(network.weight[still], before[still])
    assert (network.weight != before).any()


@dataclass(frozen=True)
class ToBirth:
    """Pulls weights to where they were at birth."""

    memory = ("birth",)
    work = 5
    linear = None

    def __call__(self, weight: Any, gradient: Any, birth: Any) -> tuple[Any, ...]:
        return 0.5 * (birth - weight), birth


@pytest.mark.parametrize("make", [lambda: cascade(3), lambda: layered(2, 7)])
def test_an_update_sees_the_weights_at_birth(make) -> None:
    network: Cascade | Layered = make()
    update: Update = ToBirth()
    network.remember(update.memory, {})
    birth = [values.copy() for values in network.parameters()]
    for values in network.parameters():
        values += 1.0 * (values != 0)
    Reference().learn(network, Samples.of(small_data().images[:1]), update)
    for own, born in zip(network.parameters(), birth, strict=True):
        np.testing.assert_allclose(own, born + 0.5 * (born != 0))


# support/hand.py has the gradients. step_size 0.1 and decay 0.5 keep 0.95 of a weight. Written out, weight by weight:
# L2: input weights 0.95·0.5 + 0.1·0.1 = 0.485, 0.95·1.5 − 0.1·0.05 = 1.42, 0.95·0.5 − 0.005 = 0.47, others 0.95 times;
# output weights 0.95·0.3 + 0.05 = 0.335, 0.95·0.1 − 0.05 = 0.045, 0 + 0.1 = 0.1, 0.95·0.1 − 0.1 = −0.005.
BY_L2 = (
    [[0.485, -0.95, 1.42], [0.19, 0.38, -0.19], [0.485, 0.0, 0.47], [0.095, 0.095, 0.095]],
    [[0.335, 0.045], [0.665, -0.665], [0.1, -0.005]],
)
# L2-init, where every weight was 0.1 higher at birth, adds 0.1·0.5·0.1 = 0.005 to plain descent: 0.5 + 0.015, and
# 1.5 − 0.005 + 0.005 = 1.5, 0.5 + 0 = 0.5; 0.3 + 0.05 + 0.005 = 0.355, 0.1 − 0.05 + 0.005 = 0.055, 0.105, 0.005.
BY_L2_INIT = (
    [[0.515, -0.995, 1.5], [0.205, 0.405, -0.195], [0.515, 0.005, 0.5], [0.105, 0.105, 0.105]],
    [[0.355, 0.055], [0.705, -0.695], [0.105, 0.005]],
)


@pytest.mark.parametrize("engine", [Reference(), Fused()])
@pytest.mark.parametrize(("update", "expected"), [(L2(0.1, 0.5), BY_L2), (L2Init(0.1, 0.5), BY_L2_INIT)])
def test_a_step_with_decay_is_what_paper_and_pencil_give(engine: Engine, update: Update, expected: Any) -> None:
    layers, flat = hand.layered(), hand.flat()
    for network in (layers, flat):
        network.remember(tuple(update.memory), {})
        for birth in network.memory("birth")[: len(network.weights)] if update.memory else []:
            birth += 0.1 * (network.connected if isinstance(network, Cascade) else 1)
        engine.learn(network, hand.SAMPLE, update)
    for own, wanted in ((layers.weight, expected), ((flat.weight[:4, 2:], flat.weight[4:, :2]), expected)):
        np.testing.assert_allclose(own[0], wanted[0], atol=1e-12)
        np.testing.assert_allclose(own[1], wanted[1], atol=1e-12)
    np.testing.assert_allclose(layers.bias[0], [0.01, 0, -0.005], atol=1e-12)
    np.testing.assert_allclose(flat.bias, [0.05, -0.05, 0.01, 0, -0.005], atol=1e-12)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ("step_size=0", "step_size=0.0 is not possible"),
        ("update=adam engine=torch update.beta1=1.0", "update.beta1=1.0 is not possible"),
        ("update=adam engine=torch update.beta2=true", "update.beta2=True is not possible"),
        ("update=adam engine=torch update.epsilon=true", "epsilon=True is not possible"),
        ("update=adam engine=torch update.epsilon=-1", "epsilon=-1 is not possible"),
        ("method=l2 update.decay=-0.1", "update.decay=-0.1 is not possible; it must be 0 or more, and below 1/step"),
        ("method=l2_init update.decay=nan", "update.decay=nan is not possible"),
        ("method=l2 update.decay=many", "update.decay=many is not possible"),
        ("method=l2 update.decay=true", "update.decay=True is not possible"),
        ("method=l2 update.decay=inf", "update.decay=inf is not possible"),
        ("method=l2 update.decay=2000", "update.decay=2000 is not possible"),
        ("method=l2 update.decay=900", "engine=fused keeps at least 0.5 of a weight at each step"),
        ("+update.beta1=0.9", "SGD takes no beta1=0.9; it takes step_size"),
        ("update=adam", "engine=fused cannot do the update Adam exactly; use engine=torch"),
    ],
)
def test_impossible_updates_are_one_sentence_before_anything_runs(overrides: str, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        configured(*overrides.split())
