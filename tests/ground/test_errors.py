"""What is said of errors, and which of them would happen again."""

import pytest

from plasticity.ground.errors import Diverged, Mistake, lasting


def caused(by: Exception) -> Mistake:
    mistake = Mistake("cannot write it")
    mistake.__cause__ = by
    return mistake


@pytest.mark.parametrize("error", [Diverged(3), Mistake("a rule returned None"), TypeError(), KeyError("x")])
def test_a_mistake_or_a_bug_would_happen_again(error: Exception) -> None:
    assert lasting(error)


@pytest.mark.parametrize("error", [OSError(28, "full"), MemoryError(), RuntimeError("CUDA"), caused(OSError(5, "x"))])
def test_what_a_disk_memory_or_a_device_does_may_pass(error: Exception) -> None:
    assert not lasting(error)
