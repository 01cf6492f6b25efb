"""What takes long the first time is told to whoever listens: downloading and compiling know nothing of terminals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []


def tell(line: str) -> None:
    for listener in _listeners[-1:]:
        listener(line)


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
