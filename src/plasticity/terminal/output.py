"""Output for a person: whole whatever the width and the letters of a terminal, and no error where nobody reads it."""

import codecs
import io
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

# What a terminal without Unicode is shown instead; of any other letter a question mark.
SPELT = {"→": "->", "×": "x", "–": "-", "−": "-", "…": "...", "±": "+-", "µ": "u", "⁺": "+", "✓": "+", "✗": "x"}


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(SPELT.get(letter, "?") for letter in error.object[error.start : error.end]), error.end


codecs.register_error("plasticity.spelt", _spell)


class _Patient(io.FileIO):
    """Whoever read from a pipe may have seen enough: what is written goes on, to nowhere."""

    def write(self, data, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)


def stream(number: int, like: TextIO) -> TextIO:
    """The open file of that number as a stream of text that no letter and no closed pipe stops."""
    raw = _Patient(number, "w", closefd=False)
    by_line = like.isatty() or number == 2
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=like.encoding, errors="plasticity.spelt", line_buffering=by_line
    )


def take_streams() -> None:
    """From here on standard output and errors are such streams, unless a program has put its own in their place."""
    sys.stdout.flush()
    if sys.stdout is sys.__stdout__:
        sys.stdout = stream(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = stream(2, sys.stderr)


def console() -> Console:
    """`COLUMNS` counts on a dumb terminal, too, which rich takes to have 80."""
    made = Console(highlight=False)
    made.width = shutil.get_terminal_size().columns
    return made


def lively(console: Console) -> bool:
    """Can lines be drawn over on it?"""
    return console.is_terminal and not console.is_dumb_terminal


def room(console: Console) -> int | None:
    """Columns that a table has; None: as many as it likes, in a file or a pipe, unless somebody said."""
    return console.width if console.is_terminal or os.environ.get("COLUMNS", "").isdigit() else None


def show(console: Console, lines: Sequence[Text | str]) -> None:
    """Each as it is: a terminal that is too narrow wraps it."""
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)
