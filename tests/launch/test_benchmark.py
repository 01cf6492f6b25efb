"""The benchmark measures what it says, on toy data and for moments."""

import json
import sys
from pathlib import Path

import benchmark
import benchmark_kinds
import benchmark_methods
import numpy as np
import pytest
import timing

from plasticity.data import Toy
from plasticity.engines.reference import Reference
from plasticity.networks import Network
from plasticity.streams import Samples
from plasticity.updates import Update


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "MNIST", Toy)
    monkeypatch.setattr(benchmark, "DATA", [(name, Toy()) for name, _ in benchmark.DATA])
    monkeypatch.setattr(
        benchmark, "CASES", [case for case in benchmark.CASES if case.name in ("cascade 10", "flat 100")]
    )
    monkeypatch.setattr(benchmark, "start_up", lambda: {"command_to_first_task_s": 1.0})
    monkeypatch.setattr(benchmark_methods, "METHODS", {"none": "", "cbp": ""})
    monkeypatch.setattr(benchmark_methods, "GROWN", 5)
    for module in (benchmark, benchmark_methods):
        monkeypatch.setattr(module, "in_jax", lambda peers, seconds: [12.0] * len(peers))
    monkeypatch.setattr(benchmark_kinds, "measured_in", lambda kind, seconds: dict.fromkeys(benchmark_kinds.CASES, 3.5))


@pytest.mark.thorough
def test_quick_keeps_a_table_of_ratios(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    kept = tmp_path / "table.json"
    monkeypatch.setattr(sys, "argv", ["benchmark.py", "--quick", "--json", str(kept)])
    benchmark.main()
    numbers = json.loads(kept.read_text())
    (row,) = (row for row in numbers["rows"] if row["network"] == "flat 100")
    assert row["plain_ratio"] == pytest.approx(row["plain_us"] / row["fused_us"])
    assert row["share_of_peak"] == pytest.approx(row["gflops"] / numbers["peak_gflops"])
    assert 0 < numbers["between_tasks"]["share_between_tasks"] < 1
    assert row["jax_ratio"] == pytest.approx(12 / row["fused_us"])
    named = [(row["network"], row["method"]) for row in numbers["methods"]]
    assert named == [(network, name) for network in ("F-FCNN 3×200", "cascade 5") for name in ("none", "cbp")]
    assert all(row["over_none"] > 0 and row["after_tasks"] > 0 for row in numbers["methods"])
    assert all(0 < row["firing"] <= 1 for row in numbers["methods"])
    assert numbers["kinds"]["plain"]["cascade 100"] == 3.5
    assert "flat 100" in capsys.readouterr().out


def test_a_method_that_acts_between_tasks_is_compared_with_jaxs_plain_step() -> None:
    assert benchmark_methods.peer_of("ffcnn", "redo") == ("layered", 3, 200, "none")
    assert benchmark_methods.peer_of("agn", "l2") == ("cascade", 0, benchmark_methods.GROWN, "l2")
    assert benchmark_methods.peer_of("agn", "cbp") is None


def test_a_method_is_measured_from_the_state_that_learning_without_it_led_to(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, began = timing.mnist(100, Toy()), []

    def noted(engine: Reference, network: Network, samples: Samples, update: Update) -> None:
        began.append([values.copy() for values in network.parameters()])
        network.parameters()[0][:] = 0  # of a copy

    plain, fresh = (benchmark_methods.with_method(name, "ffcnn", "torch", stream) for name in ("none", "cbp"))
    list(plain.records(0, 1))
    monkeypatch.setattr(Reference, "learn", noted)
    benchmark_methods.from_one_state(fresh, plain, stream.samples(1))
    learned = plain.network.parameters()
    assert len(began) == 2 * benchmark_methods.ROUNDS
    assert all(np.array_equal(a, b) for state in began for a, b in zip(state, learned, strict=True))


def test_without_jax_its_column_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "find_spec", lambda name: None)
    assert np.isnan(timing.in_jax([("flat", 0, 3)], 1.0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("network", [timing.cascade(3), timing.cascade(3, lateral=False), timing.layered(5)])
def test_the_plain_loop_has_as_many_weights_as_the_network_it_stands_for(network) -> None:
    weights = [values for values in timing.PlainLoop(network).module.parameters() if values.ndim == 2]
    assert sum(values.numel() for values in weights) == network.connections


@pytest.mark.slow
def test_the_plain_loop_learns_like_the_reference() -> None:
    network = timing.layered(5)
    plain = timing.PlainLoop(network)
    for layer, linear in enumerate(plain.module[::2]):  # type: ignore[index]
        linear.weight.data[:] = timing.torch.from_numpy(network.weight[layer].T)
        linear.bias.data[:] = 0
    made = Toy().load(50)
    samples = Samples.of(made.images, made.labels)
    plain.learn(network, samples, timing.UPDATE)
    Reference().learn(network, samples, timing.UPDATE)
    np.testing.assert_allclose(plain.module[0].weight.detach().numpy().T, network.weight[0], atol=1e-6)  # type: ignore[index]


def test_a_dense_step_of_f_fcnn_counts_forward_back_and_update() -> None:
    network = timing.layered(7)
    deeper = 7 * 7 * 2 + 7 * 10
    assert timing.operations(network) == 2 * (2 * (784 * 7 + deeper) + deeper)


@pytest.mark.slow
def test_a_kind_of_vectors_that_the_cpu_lacks_has_no_times() -> None:
    assert all(np.isnan(time) for time in benchmark_kinds.measured_in("avx1024", 0.1).values())
    assert "avx1024 is not known" in (benchmark_kinds.lacking("avx1024") or "")
