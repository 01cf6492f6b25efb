"""Which columns measures are, and that a layered network's layers have their own."""

import pytest
from support.small import configured

from plasticity.ground.errors import Mistake
from plasticity.runs import build, measuring

NODES = {"a": {"_target_": "one.a"}, "b_layer": {"_target_": "one.b", "per_layer": True}}


def test_what_is_measured_per_layer_is_a_column_for_each() -> None:
    assert measuring.columns(NODES, 2) == {"a": ("one.a", None), "b_layer1": ("one.b", 0), "b_layer2": ("one.b", 1)}


def test_what_is_measured_per_layer_is_no_column_without_layers() -> None:
    assert measuring.columns(NODES, 0) == {"a": ("one.a", None)}


def test_the_fields_measures_of_a_layered_network() -> None:
    learner = build.learner(
        configured("dataset=toy", "N=50", "model=ffcnn", "model.layers=2", "model.width=6", "measures=field")
    )
    row = list(learner.records(0, 2))[-1]
    names = ("dormancy", "dormancy_010", "dormancy_025", "dormancy_100")
    assert {f"{name}_layer{layer}" for name in (*names, "effective_rank") for layer in (1, 2)} <= set(row)
    for name in names:  # layers of one width: the whole is their mean
        assert row[name] == pytest.approx((row[f"{name}_layer1"] + row[f"{name}_layer2"]) / 2)
    assert "dormancy_layer3" not in row


def test_the_fields_measures_of_a_growing_network_have_no_layers() -> None:
    columns = build.learner(configured("dataset=toy", "N=50", "model=agn", "measures=field")).columns
    assert [name for name in columns if "layer" in name or name.startswith("dormancy_")] == [
        "dormancy_before_pruning", "dormancy_010", "dormancy_025", "dormancy_100",
    ]  # fmt: skip


def test_per_layer_is_true_or_false() -> None:
    with pytest.raises(Mistake, match=r"measures.mine.per_layer=3 is not possible; it is true or false"):
        configured("+measures.mine={_target_: plasticity.metrics.dormancy, per_layer: 3}")
