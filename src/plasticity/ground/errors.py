"""What can go wrong in a way that a person, not a programmer, should read about."""

import re

LASTING = 65  # the exit code of a run that would fail again in the same way

# What a bug raises; a disk, a device or memory that fails now and may do better later raises others.
BUGS = (
    *(ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, NotImplementedError),
    *(SyntaxError, TypeError, ValueError),
)


def printable(text: str) -> str:
    """On one line, with control characters, and what cannot be encoded, as their escapes: whatever a label, a path or
    an error holds, showing it does nothing to a terminal."""
    line = re.sub(r"\s*[\r\n]+\s*", " ", text.strip())
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in line)


def reason(error: BaseException) -> str:
    """Why something could not be read or written: in the system's words, or with the kind of error."""
    said = str(error) if isinstance(error, Mistake) else error.strerror if isinstance(error, OSError) else None
    return said or f"{type(error).__name__}: {error}"


class Mistake(Exception):
    """One sentence that names the value and what would be right; shown without a traceback."""

    def __init__(self, sentence: object = "") -> None:
        super().__init__(printable(str(sentence)))


class Diverged(Mistake):
    """The loss stopped being a number."""

    def __init__(self, sample: int, where: str = ""):
        super().__init__(f"the loss is not finite at sample {sample}{where}; a smaller step_size may help")
        self.sample = sample


def lasting(error: BaseException) -> bool:
    """Whether it would happen again to a run that is done again: a person has to mend something first."""
    passing = isinstance(error.__cause__ or error.__context__, (OSError, MemoryError))
    return isinstance(error, (Mistake, *BUGS)) and not passing
