"""What a person sees in a terminal: output that no width and no letter breaks, and tables."""

from plasticity.terminal.output import console, lively, room, show, stream, take_streams

__all__ = ["console", "lively", "room", "show", "stream", "take_streams"]
