"""Fresh weights: how wide each draw is."""

import numpy as np
import pytest
from support.small import cascade, layered


def widest(values: np.ndarray) -> float:
    return float(np.abs(values).max())


def test_incoming_kaiming_counts_all_that_the_unit_sees() -> None:
    network = cascade(500, inputs=300)
    assert widest(network.weight[:-1, -1]) == pytest.approx(np.sqrt(6 / 799), rel=0.02)


def test_incoming_split_draws_inputs_and_units_as_blocks_of_their_own() -> None:
    network = cascade(500, inputs=300, incoming="kaiming_split")
    assert widest(network.weight[:300, -1]) == pytest.approx(np.sqrt(6 / 300), rel=0.03)
    assert widest(network.weight[300:-1, -1]) == pytest.approx(np.sqrt(6 / 499), rel=0.03)


def test_incoming_of_a_flat_unit_counts_inputs_only() -> None:
    network = cascade(3, inputs=5000, lateral=False)
    assert widest(network.weight[:5000, -1]) == pytest.approx(np.sqrt(6 / 5000), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outgoing", "bound"),
    [
        ("kaiming", np.sqrt(6)), ("torch", 1), ("uniform:0.25", 0.25),
        ("kaiming_layer", np.sqrt(6 / 30)), ("torch_layer", np.sqrt(1 / 30)),
    ],
)  # fmt: skip
def test_outgoing_width(outgoing: str, bound: float) -> None:
    drawn = []
    for seed in range(300):
        network = cascade(9, outgoing=outgoing)
        network.grow(np.random.default_rng(seed))
        drawn.append(network.outgoing[-1].copy())
    assert widest(np.array(drawn)) == pytest.approx(bound, rel=0.02)


def test_outgoing_zero_is_zero() -> None:
    assert not cascade(3, outgoing="zero").outgoing.any()


@pytest.mark.parametrize(("first", "bound"), [("torch", np.sqrt(1 / 784)), ("kaiming", np.sqrt(6 / 784)), ("zero", 0)])
def test_first_weights_width(first: str, bound: float) -> None:
    assert widest(cascade(0, inputs=784, first=first).weight) == pytest.approx(bound, rel=0.01)


def test_layers_are_kaiming_by_their_own_fan_in() -> None:
    network = layered(2, 200, 784)
    assert [widest(weight) for weight in network.weight] == pytest.approx(
        [np.sqrt(6 / 784), np.sqrt(6 / 200), np.sqrt(6 / 200)], rel=0.01
    )


def test_linear_output_weights_lack_the_gain_of_relu() -> None:
    network = layered(2, 200, 784, output_weights="linear")
    assert widest(network.weight[1]) == pytest.approx(np.sqrt(6 / 200), rel=0.01)
    assert widest(network.weight[2]) == pytest.approx(np.sqrt(3 / 200), rel=0.01)


def test_output_weights_are_drawn_anew_as_at_first() -> None:
    network = layered(2, 200, 784, output_weights="linear")
    network.redraw("all", np.random.default_rng(1))
    assert [widest(weight) for weight in network.weight[1:]] == pytest.approx(
        [np.sqrt(6 / 200), np.sqrt(3 / 200)], rel=0.01
    )


def test_biases_are_zero_at_birth() -> None:
    assert not cascade(5).bias.any()
