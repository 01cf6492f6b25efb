""".ci/requirements.lock is current: what pyproject.toml pins and all that it needs, each with its hashes."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / ".ci" / "requirements.lock").read_text()
LOCKED = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", TEXT, re.MULTILINE))


def direct() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    own = project["project"]
    pins = [*own["dependencies"], *own["optional-dependencies"]["test"], *project["build-system"]["requires"]]
    return list(map(Requirement, pins))


def needed_by(name: str, extras: set[str]) -> list[Requirement]:
    """Of what is installed here in the locked version: another version may need other things."""
    try:
        found = distribution(name)
    except PackageNotFoundError:  # what a CPU build does not need
        return []
    wanted = list(map(Requirement, found.requires or [])) if found.version.split("+")[0] == LOCKED[name] else []
    markers = [{"extra": extra} for extra in ("", *extras)]
    return [each for each in wanted if each.marker is None or any(map(each.marker.evaluate, markers))]


def test_every_pin_is_locked_at_its_version() -> None:
    unlike = [str(pin) for pin in direct() if LOCKED.get(canonicalize_name(pin.name), "") not in pin.specifier]
    assert unlike == [], "run python .ci/lock.py"


def test_all_that_is_needed_is_locked_and_fits() -> None:
    waiting, seen = direct(), set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        assert name in LOCKED, f"{wanted} is not locked; run python .ci/lock.py"
        assert wanted.specifier.contains(LOCKED[name], prereleases=True), f"{wanted} is locked at {LOCKED[name]}"
        if (name, *sorted(wanted.extras)) not in seen:
            seen.add((name, *sorted(wanted.extras)))
            waiting += needed_by(name, wanted.extras)
    assert len({name for name, *_ in seen}) > len(direct())


def test_every_entry_is_one_version_with_hashes_and_nothing_else() -> None:
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE).rstrip("\n"))
    assert len(entries) == len(LOCKED)
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9-]+==\S+( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry


def test_no_entry_says_where_it_comes_from() -> None:
    assert "://" not in TEXT
