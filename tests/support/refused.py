"""Settings that a rule must refuse, and the sentence that says so."""

from math import inf, nan
from typing import Any

import pytest

from plasticity.ground.errors import Mistake
from plasticity.runs.parts import make

Refused = tuple[str, Any, str]  # the key, its value, what is said of it

NO_NUMBERS = (nan, inf, -inf, True, "low", None, [1])


def share(key: str) -> list[Refused]:
    return _cases(key, "a number, from 0 to 1", *NO_NUMBERS, -0.1, 1.5)


def positive(key: str) -> list[Refused]:
    return _cases(key, "a number, 0 or more", *NO_NUMBERS, -0.1)


def whole(key: str, least: int, also: str = "") -> list[Refused]:
    values = [value for value in NO_NUMBERS if not (value is None and "null" in also)]
    return _cases(key, f"a whole number, {least} or more{also}", *values, least - 1, least + 0.5)


def known(key: str, *choices: str) -> list[Refused]:
    return [(key, value, f"{key}={value} is not known; choose {' or '.join(choices)}") for value in ("charm", None, 3)]


def _cases(key: str, wanted: str, *values: Any) -> list[Refused]:
    return [(key, value, f"{key}={value} is not possible; it must be {wanted}") for value in values]


def refuses(good: dict[str, Any], case: Refused) -> None:
    """The settings are good, and with this one of them they are not."""
    key, value, says = case
    make(good)
    with pytest.raises(Mistake) as caught:
        make({**good, key: value})
    assert str(caught.value) == says
