"""Signals that ask a run to stop."""

import os
import signal
from collections.abc import Iterator

import pytest

from plasticity.runs.signals import SIGNALS, Interrupted, Interrupts


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_each_of_them_interrupts_with_its_own_code(number: signal.Signals) -> None:
    with Interrupts() as interrupts, pytest.raises(Interrupted) as raised, interrupts.breakable():
        os.kill(os.getpid(), number)
    assert raised.value.code == 128 + number


def test_under_nohup_the_end_of_the_terminal_is_not_heard() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Interrupts() as interrupts, interrupts.breakable():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
