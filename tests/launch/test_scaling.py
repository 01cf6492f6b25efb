"""How cost grows: exponents are those of the powers that points lie on, and a point measures what it says."""

import json
import sys

import pytest
import scaling
import timing

from plasticity.data import Toy
from plasticity.ground.errors import Mistake


def test_exponents_are_those_of_the_largest_points() -> None:
    small = scaling.Point("units", 1, seconds=99, megabytes=99, work=99, numbers=99)
    powers = [scaling.Point("units", n, 3 * n**2, 5 * n, 7 * n**1.5, 11) for n in (10, 100, 1000)]
    (found,) = scaling.growth([small, *powers])
    assert found.varied == "units"
    exponents = found.time, found.memory, found.time_expected, found.memory_expected
    assert exponents == pytest.approx((2, 1, 1.5, 0))


@pytest.mark.slow
@pytest.mark.parametrize(("varied", "value"), [("units", 3), ("width", 5), ("N", 70), ("tasks", 3)])
def test_a_point_is_measured(varied: str, value: int, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    for name, small in (("UNITS", 2), ("N", 60)):
        monkeypatch.setattr(scaling, name, small)
    monkeypatch.setattr(timing, "MNIST", Toy)
    monkeypatch.setattr(sys, "argv", ["scaling.py", "--point", varied, str(value)])
    scaling.main()
    point = scaling.Point(**json.loads(capsys.readouterr().out))
    network = timing.layered(5) if varied == "width" else timing.cascade(3 if varied == "units" else 2)
    samples = {"N": 70, "tasks": 3 * 60}.get(varied, 60)
    assert (point.varied, point.value) == (varied, value)
    assert point.numbers == network.connections + 784 * (70 if varied == "N" else 60)
    assert point.work == timing.operations(network) * samples
    assert point.seconds > 0
    assert point.megabytes >= 0


@pytest.mark.parametrize("point", [("foo", "3"), ("width", "x"), ("units", "-3"), ("tasks", "0")])
def test_a_point_that_is_not_possible_is_one_sentence(point: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["scaling.py", "--point", *point])
    said = f"^--point {' '.join(point)} is not possible; give units, width, N, tasks and a whole number$"
    with pytest.raises(Mistake, match=said):
        scaling.main()
