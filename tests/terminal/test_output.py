"""What is written for a person arrives whole, or nobody notices."""

import os
import sys
from pathlib import Path

import pytest

from plasticity import terminal


def written(file: Path, text: str, encoding: str) -> bytes:
    with file.open("wb") as opened, file.open("w", encoding=encoding) as like:
        stream = terminal.stream(opened.fileno(), like)
        stream.write(text)
        stream.flush()
    return file.read_bytes()


def test_a_terminal_with_plain_letters_is_shown_others(tmp_path: Path) -> None:
    assert written(tmp_path / "plain", "0.1 → 0.2, 3×200, ☃", "ascii") == b"0.1 -> 0.2, 3x200, ?"
    assert written(tmp_path / "whole", "0.1 → 0.2", "utf-8") == "0.1 → 0.2".encode()


def test_a_closed_pipe_stops_nobody() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = terminal.stream(writing, sys.__stdout__ or sys.stdout)
    for _ in range(3):
        stream.write("nobody reads this\n" * 1000)
        stream.flush()
    os.close(writing)


def test_the_width_that_somebody_said_counts_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "47")
    assert terminal.console().width == 47
    assert terminal.room(terminal.console()) == 47
