"""Calling a kernel by name: its file, and numba, are imported when one is first called, not to look at runs."""

from typing import Any

_ready: dict[tuple[str, tuple[Any, ...]], Any] = {}


def call(kernel: str, variant: tuple[Any, ...], *arguments: Any) -> Any:
    """`kernel` is FILE.FUNCTION; `variant` names the types of the arguments: finding them out anew would take longer
    than a short kernel runs."""
    if (kernel, variant) not in _ready:
        from plasticity.compiled.cache import ready

        _ready[kernel, variant] = ready(kernel, variant, arguments)
    return _ready[kernel, variant](*arguments)
