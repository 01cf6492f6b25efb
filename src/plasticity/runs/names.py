"""What may be the name of a model, a data set, a rule or a measure: it becomes a folder, a column, a tag, a legend."""

from typing import Any

from plasticity.ground.errors import Mistake

MOST_BYTES = 240
RULE = (
    f"a name has 1 to {MOST_BYTES} bytes, does not begin with a dot, nor begin or end with a space, and has no slash "
    "and no control character"
)


def check(key: str, name: Any) -> None:
    if not (isinstance(name, str) and _possible(name)):
        raise Mistake(f"{key}={name!r} is not possible; {RULE}")


def _possible(name: str) -> bool:
    plain = name.isprintable() and name == name.strip() and not set(name) & set("/\\")
    return plain and not name.startswith(".") and 0 < len(name.encode()) <= MOST_BYTES


def check_column(key: str, name: Any) -> None:
    """Of a csv."""
    check(key, name)
    if set(name) & set(',"'):
        raise Mistake(f"{key} is not possible; the name of a measure is a column's, without commas and quotes")


def check_path(key: str, path: str) -> None:
    """Where somebody keeps things is theirs to choose, as long as it is somewhere and can be written down."""
    if not path.strip() or not path.isprintable():
        raise Mistake(f"{key}={path!r} is not possible; name a folder, without control characters")
