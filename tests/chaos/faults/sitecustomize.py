"""Loaded by every Python process of a disturbed grid: while a file is there, writing fails now and then."""

import errno
import os
import random
from collections.abc import Callable
from typing import Any

FLAG = os.environ.get("CHAOS_FAULTS", "")
ONE_IN = 15
KINDS = (errno.EIO, errno.ENOSPC, errno.ESTALE, errno.EACCES)


def failing(function: Callable[..., Any]) -> Callable[..., Any]:
    def maybe(*arguments: Any, **options: Any) -> Any:
        if os.path.exists(FLAG) and not random.randrange(ONE_IN):
            with open(f"{FLAG}.count", "a") as file:
                file.write("x")
            kind = random.choice(KINDS)
            raise OSError(kind, os.strerror(kind))
        return function(*arguments, **options)

    return maybe


if FLAG:
    for name in ("fsync", "replace", "mkdir"):
        setattr(os, name, failing(getattr(os, name)))
