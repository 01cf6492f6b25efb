"""Growing and elastic neural networks in online continual learning."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import plasticity.runs  # noqa: F401

if TYPE_CHECKING:
    from plasticity.notebook import Loaded, curves, load, run, runs

__version__ = "0.2.0"
__all__ = ["Loaded", "curves", "load", "run", "runs"]


def __getattr__(name: str) -> Any:
    """What a notebook calls is imported when it is called: a run need not wait for pandas."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from plasticity import notebook

    return getattr(notebook, name)


class _Runs(ModuleType):
    """The room of that name, and what a notebook calls: `plasticity.runs("outputs")`."""

    def __call__(self, *arguments: Any) -> Any:
        from plasticity import notebook

        return notebook.runs(*arguments)


_room: ModuleType = sys.modules["plasticity.runs"]
_room.__class__ = _Runs
