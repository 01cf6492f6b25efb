"""The server that wandb is set to: whether it can be reached, and what it was given of a run."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import requests
import wandb

from plasticity.ground import files
from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.runs import hints

DOWN = (404, 405, 429, 500, 502, 503, 504)  # 404 and 405: something else than wandb is there
ANSWER_SECONDS = 3.0  # for a server's first answer, finding its address included


class Unreachable(ConnectionError):
    """Said before anything was sent: wandb itself would wait for half a minute and more."""


def server() -> str:
    """Without the name and password that an address may carry."""
    address = urlsplit(wandb.setup().settings.base_url)
    return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}".rstrip("/")


def unreachable() -> str | None:
    """Why the server cannot be reached, within seconds."""
    said: list[str | None] = []
    asking = Thread(target=lambda: said.append(_trouble()), daemon=True)
    asking.start()
    asking.join(ANSWER_SECONDS)  # looking up a name has no limit of its own, and each of its addresses has one
    return said[0] if said else f"{server()} does not answer"


def _trouble() -> str | None:
    try:
        answer = requests.post(
            f"{server()}/graphql",
            json={"query": "query ServerInfo { serverInfo { cliVersionInfo } }"},
            auth=lambda request: request,  # or requests would send the API key that `wandb login` keeps in ~/.netrc
            timeout=2 * ANSWER_SECONDS,
        )
    except requests.RequestException as error:
        return f"{server()} cannot be reached ({type(error).__name__})"
    return f"{server()} answers {answer.status_code}" if answer.status_code in DOWN else None


class Note:
    """`wandb/sent.json`: a digest of each row that was handed over, by server. Should the run be started
    over and come to other numbers, the two must not be mixed."""

    def __init__(self, folder: Path, entity: str | None, project: str):
        self._path = folder / "wandb" / "sent.json"
        self._outputs = hints.outputs_of(folder)
        self._place = f"{server()}/{entity or ''}/{project}"
        try:
            self._all = json.loads(self._path.read_text())
        except (OSError, ValueError):
            self._all = {}

    def check(self, rows: Sequence[Record]) -> None:
        if any(known != own for known, own in zip(self._all.get(self._place, []), _digests(rows), strict=False)):
            command = hints.command("sync", self._outputs, "--project", "NAME")
            elsewhere = f"publish it to another project, with {command}"
            raise Mistake(f"the server has other numbers of this run, from before it was started over; {elsewhere}")

    def write(self, rows: Sequence[Record]) -> None:
        self._all[self._place] = _digests(rows)
        files.replace(self._path, json.dumps(self._all, indent=1).encode())


def _digests(rows: Sequence[Record]) -> list[str]:
    """Of the numbers that a run comes to each time: not of how long it took."""
    numbers = [json.dumps({name: row[name] for name in sorted(row) if name != "seconds"}) for row in rows]
    return [hashlib.sha256(text.encode()).hexdigest()[:16] for text in numbers]
