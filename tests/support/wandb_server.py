"""A stand-in for wandb's server on loopback: all that online mode, `wandb sync` and workspaces ask for."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from socket import SHUT_RDWR, socket
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import yaml

KEY = "0123456789abcdef" * 2 + "01234567"  # the client wants 40 characters
Place = tuple[str, str]  # a run's project and name
SWEEP = "s1w2e3p4"
PROJECT = {"id": "cA==", "name": "plasticity", "entity": {"id": "ZQ==", "name": "me"}}


@dataclass
class Stored:
    """A run as the server holds it. Rows have a place: one sent again to the same place replaces it."""

    upserts: dict[str, Any] = field(default_factory=dict)  # the latest word on each field
    lines: list[str] = field(default_factory=list)
    gaps: int = 0  # rows sent to a place beyond the end: a real server would have lost some
    replaced: int = 0
    exit_code: int | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def tasks(self) -> list[int]:
        return [row["task"] for row in self.rows]

    @property
    def config(self) -> dict[str, Any]:
        return {key: node["value"] for key, node in json.loads(self.upserts["config"]).items()}

    @property
    def summary(self) -> dict[str, Any]:
        return json.loads(self.upserts.get("summaryMetrics") or "{}")

    def put(self, offset: int, lines: list[str]) -> None:
        self.gaps += offset > len(self.lines)
        self.replaced += len(self.lines[offset : offset + len(lines)])
        self.lines[offset : offset + len(lines)] = lines


@dataclass
class Server:
    url: str = ""
    failing: str | None = None  # answer `code` wherever the path contains this
    code: int = 500
    hanging: str | None = None  # and never where it contains this
    runs: dict[Place, Stored] = field(default_factory=dict)
    views: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)
    sweep: str = ""  # its yaml
    begun: int = 0  # runs of it
    closed: Event = field(default_factory=Event)

    @property
    def environment(self) -> dict[str, str]:
        return {"WANDB_BASE_URL": self.url, "WANDB_API_KEY": KEY}

    def stream(self, place: Place, body: dict[str, Any]) -> None:
        stored = self.runs.setdefault(place, Stored())
        for name, part in (body.get("files") or {}).items():
            if name == "wandb-history.jsonl":
                stored.put(part["offset"], part["content"])
            if name == "wandb-summary.json":
                stored.upserts["summaryMetrics"] = part["content"][-1]
        if body.get("complete"):
            stored.exit_code = body.get("exitcode")

    def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        for asked, reply in (
            ("upsertBucket", self._upsert),
            ("historyTail", self._resume),
            ("createRunFiles", self._files),
            ("upsertSweep", self._upsert_sweep),
            ("SweepWithRuns", self._sweep),
            ("createAgent", lambda _: {"createAgent": {"agent": {"id": "YQ=="}}}),
            ("agentHeartbeat", self._heartbeat),
            ("upsertView", self._upsert_view),
            ("allViews", self._views),
        ):
            if asked in query:
                return reply(variables)
        if "viewer" in query:
            return {"viewer": {"id": "dQ==", "entity": "me", "username": "me", "email": "", "flags": "{}"}}
        if "serverInfo" in query:
            versions = {"max_cli_version": "99.0.0", "min_cli_version": "0.0.1"}
            return {"serverInfo": {"cliVersionInfo": versions, "features": []}}
        self.unknown.append(query)
        return {}

    def _upsert(self, variables: dict[str, Any]) -> dict[str, Any]:
        place = project, name = variables["project"], variables["name"]
        new = place not in self.runs
        stored = self.runs.setdefault(place, Stored())
        stored.upserts |= {key: value for key, value in variables.items() if value is not None}
        where = {"project": PROJECT | {"name": project}, "description": "", "sweepName": None}
        bucket = _bucket(name, stored) | where
        return {"upsertBucket": {"bucket": bucket, "inserted": new}}

    def _resume(self, variables: dict[str, Any]) -> dict[str, Any]:
        stored = self.runs.get((variables["project"], variables["name"]))
        return {"model": PROJECT | {"bucket": stored and _bucket(variables["name"], stored)}}

    def _files(self, variables: dict[str, Any]) -> dict[str, Any]:
        files = [{"name": name, "uploadUrl": f"{self.url}/upload/{name}"} for name in variables["files"]]
        return {"createRunFiles": {"runID": "cg==", "uploadHeaders": [], "files": files}}

    def _upsert_sweep(self, variables: dict[str, Any]) -> dict[str, Any]:
        self.sweep = variables["config"]
        return {"upsertSweep": {"sweep": {"name": SWEEP, "project": PROJECT}, "configValidationWarnings": []}}

    def _sweep(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"project": {"sweep": {"name": SWEEP, "config": self.sweep, "runs": {"edges": []}}}}

    def _heartbeat(self, variables: dict[str, Any]) -> dict[str, Any]:
        """The grid's next run, once the agent has none; at its end, to exit."""
        commands = [] if json.loads(variables["runState"]) else [self._next()]
        return {"agentHeartbeat": {"agent": {"id": "YQ=="}, "commands": json.dumps(commands)}}

    def _next(self) -> dict[str, Any]:
        sweep = yaml.safe_load(self.sweep)
        values = [each["values"] for each in sweep["parameters"].values()]
        left = list(product(*values))[self.begun :]
        if not left:
            return {"type": "exit"}
        self.begun += 1
        args = {name: {"value": value} for name, value in zip(sweep["parameters"], left[0], strict=True)}
        return {"type": "run", "run_id": f"sweeprun{self.begun}", "program": sweep["program"], "args": args}

    def _upsert_view(self, variables: dict[str, Any]) -> dict[str, Any]:
        new = variables["name"] not in self.views
        self.views[variables["name"]] = variables
        return {"upsertView": {"view": {"id": "dg==", "name": variables["name"]}, "inserted": new}}

    def _views(self, variables: dict[str, Any]) -> dict[str, Any]:
        view = self.views.get(variables["viewName"])
        nodes = [{"node": {"id": "dg==", **{key: view[key] for key in ("displayName", "spec")}}}] if view else []
        return {"project": PROJECT | {"allViews": {"edges": nodes}}}


def _bucket(name: str, stored: Stored) -> dict[str, Any]:
    return {
        "id": base64.b64encode(name.encode()).decode(),
        "name": name,
        "displayName": stored.upserts.get("displayName", name),
        "summaryMetrics": stored.upserts.get("summaryMetrics", "{}"),
        "config": stored.upserts.get("config", "{}"),
        "historyLineCount": len(stored.lines),
        "historyTail": json.dumps(stored.lines[-1:]),
        "eventsLineCount": 0,
        "eventsTail": "[]",
        "logLineCount": 0,
        "tags": [],
        "wandbConfig": json.dumps({"t": {}}),
    }


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None: ...

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except ConnectionError:  # a client that was killed
                self.close_connection = True

        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.requests.append(self.path)
            server.credentials.append(self.headers.get("Authorization") or "")
            if server.hanging is not None and server.hanging in self.path:
                server.closed.wait()
                raise ConnectionError
            if server.failing is not None and server.failing in self.path:
                return self._write(server.code, {"error": "out of order"})
            with server.lock:
                self._write(200, self._content(body))

        def _content(self, body: bytes) -> dict[str, Any]:
            if self.path == "/graphql":
                asked = json.loads(body)
                return {"data": server.answer(asked["query"], asked.get("variables") or {})}
            if self.path.endswith("/file_stream"):
                project, run = self.path.split("/")[-3:-1]
                server.stream((project, run), json.loads(body))
            return {}

        def _write(self, code: int, content: dict[str, Any]) -> None:
            encoded = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_PUT = do_POST = _reply  # noqa: N815

    return Handler


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}"
    Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.closed.set()
        http.shutdown()
        http.server_close()


@contextmanager
def silent_address(asked: list[float] | None = None) -> Iterator[str]:
    """A server that takes every connection and never says a word; when each came is added to `asked`."""

    def take() -> None:
        held = []
        with suppress(OSError):  # the end
            while True:
                held.append(listening.accept())
                if asked is not None:
                    asked.append(monotonic())

    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(SHUT_RDWR)
