"""Keeping the standard streams to ourselves: the process that wandb starts would hold and write to them."""

import os
import sys
from typing import TextIO


def private(number: int) -> TextIO:
    """A standard stream under another number, which no process inherits; under its own there is nothing."""
    copy, nowhere = os.dup(number), os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, number)
    os.close(nowhere)
    return os.fdopen(copy, "r" if number == 0 else "w", buffering=1)


def hush() -> None:
    """From here on only this process writes to the terminal."""
    sys.stdout, sys.stderr = private(1), private(2)
