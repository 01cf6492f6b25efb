"""Makes .ci/requirements.lock: every dependency, direct and transitive, with the sha256 of each of its files in pip's
index.

Run it in an environment that `pip install -e '.[test]'` made, when a pin of pyproject.toml has changed: the versions
are those of that environment, which the tests ran in, and the hashes those that the index publishes. What torch needs
on Linux beyond that, such as CUDA, is read off the index too, since an environment with a CPU build does not have it.
"""

import re
import tomllib
import urllib.request
from collections import defaultdict
from contextlib import suppress
from email import message_from_string
from email.message import Message
from functools import cache
from html import unescape
from importlib.metadata import PackageNotFoundError, distribution
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from zipfile import ZipFile

from pip._internal.models.index import PyPI
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCK = ROOT / ".ci" / "requirements.lock"
FROM_INDEX = ("torch",)  # by its own metadata there: builds for other machines need less
FITTING = re.compile(r"(cp311|py3|py2\.py3)-(cp311|abi3|none)-(.*x86_64|any)\.whl$")
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "extra": ""}
HEAD = """# Every dependency of plasticity and its tests, for Linux, x86_64 and CPython 3.11 or later, with the hashes
# of all files that the package index has of it. Made by .ci/lock.py; tests/test_lock.py checks that it is current.
#   pip install --require-hashes -r .ci/requirements.lock && pip install --no-deps --no-build-isolation -e .
# torch is the index's build, with CUDA: a build from elsewhere has other hashes. To use a CPU build, install it
# first and leave out cuda-*, nvidia-* and triton: pip keeps a torch of the right version that is already there.
"""


def direct() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    own = project["project"]
    names = [*own["dependencies"], *own["optional-dependencies"]["test"], *project["build-system"]["requires"]]
    return list(map(Requirement, names))


def closure() -> dict[str, str]:
    """Versions by name, of everything that is needed."""
    found: dict[str, str] = {}
    asked: set[tuple[str, str]] = set()
    waiting = direct()
    while waiting:
        waiting.sort(key=_pinned)
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        version = found[name] = found.get(name) or _version(name, wanted)
        assert wanted.specifier.contains(version, prereleases=True), f"{wanted} is not {version}"
        for extra in ({"", *wanted.extras}) - {done for other, done in asked if other == name}:
            asked.add((name, extra))
            waiting += [each for each in needs(name, version) if _holds(each, extra)]
    return dict(sorted(found.items()))


def _version(name: str, wanted: Requirement) -> str:
    try:
        return distribution(name).version.partition("+")[0]  # a build for one kind of machine has a label of its own
    except PackageNotFoundError:  # the newest that whoever needs it takes
        return str(max(version for version in releases(name) if version in wanted.specifier))


def _pinned(wanted: Requirement) -> bool:
    """Such are looked at first: whoever needs any version takes the one that somebody else pins."""
    return any(each.operator == "==" for each in wanted.specifier)


def _holds(wanted: Requirement, extra: str) -> bool:
    return wanted.marker is None or wanted.marker.evaluate(LINUX | {"extra": extra})


def needs(name: str, version: str) -> list[Requirement]:
    try:
        installed = None if name in FROM_INDEX else distribution(name)
    except PackageNotFoundError:
        installed = None
    lines = (installed.requires or []) if installed else _metadata(name, version).get_all("Requires-Dist") or []
    return list(map(Requirement, lines))


def _metadata(name: str, version: str) -> Message:
    """Off the wheel itself, of which only the end is fetched."""
    wheels = [link for link, file in files(name, version).items() if FITTING.search(file)]
    with ZipFile(BufferedReader(Remote(wheels[0].partition("#")[0]), 1 << 16)) as wheel:
        (path,) = (path for path in wheel.namelist() if path.endswith(".dist-info/METADATA"))
        return message_from_string(wheel.read(path).decode())


class Remote(RawIOBase):
    """A file that is fetched piece by piece, where it is read."""

    def __init__(self, address: str) -> None:
        self._address, self._at = address, 0
        self._size = int(self._get("bytes=0-0")[1].rpartition("/")[2])

    def _get(self, part: str) -> tuple[bytes, str]:
        asked = urllib.request.Request(self._address, headers={"Range": part})
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.read(), answer.headers["Content-Range"]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self._at = offset + {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        content, _ = self._get(f"bytes={self._at}-{min(self._at + len(buffer), self._size) - 1}")
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


def files(name: str, version: str) -> dict[str, str]:
    """Names of a release's files, by their links, which end in their hashes."""
    return releases(name)[Version(version)]


@cache
def releases(name: str) -> dict[Version, dict[str, str]]:
    page = urljoin(PyPI.simple_url + "/", f"{name}/")
    with urllib.request.urlopen(page, timeout=120) as answer:
        links = re.findall(r'href="([^"]+)"', answer.read().decode())
    found: dict[Version, dict[str, str]] = defaultdict(dict)
    for link in (urljoin(page, unescape(link)) for link in links):
        file = link.partition("#")[0].rpartition("/")[2]
        with suppress(ValueError):  # a kind of file, or of version, that pip no longer installs
            parse = parse_wheel_filename if file.endswith(".whl") else parse_sdist_filename
            found[parse(file)[1]][link] = file
    return found


def entry(name: str, version: str) -> str:
    hashes = sorted(link.rpartition("#sha256=")[2] for link in files(name, version))
    assert hashes, f"{name}=={version} has no file in the index"
    return " \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{digest}" for digest in hashes)])


if __name__ == "__main__":
    LOCK.write_text(HEAD + "\n".join(entry(*each) for each in closure().items()) + "\n")
