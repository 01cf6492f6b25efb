"""Publishing, without a server: whoever else publishes, and a server that takes nothing."""

from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from support.synthetic import what, write_run
from support.wandb_server import silent_address

from plasticity.ground.errors import Mistake
from plasticity.ground.locks import Lock
from plasticity.tracking import server, sync
from plasticity.tracking.sync import Published, Unpublished, publish

DEFAULTS = {"project": "plasticity"}


class Taking:
    """A session with a server that takes everything, or fails as it is told."""

    error: Exception | None = None

    def __init__(self, *_: Any) -> None:
        self.sent = 0

    def __enter__(self) -> "Taking":
        if self.error:
            raise self.error
        return self

    def __exit__(self, *_: object) -> None: ...

    def send(self, rows: list[Any]) -> None: ...

    def finish(self, code: int) -> None: ...


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(sync, "Session", Taking)
    monkeypatch.setattr(sync, "discard", lambda: None)
    monkeypatch.setattr(sync, "unreachable", lambda: None)
    return [write_run(tmp_path, what("agn one"), seed, [0.5, 0.6]) for seed in range(6)]


def test_what_another_command_is_publishing_comes_last_and_does_not_fail(folders: list[Path]) -> None:
    (folders[0] / "wandb").mkdir()
    lock = Lock(folders[0] / "wandb" / ".online.lock")
    lock.acquire()
    done = []
    for outcome in publish(folders, DEFAULTS, {}):
        done.append(outcome)
        if len(done) == len(folders) - 1:
            lock.release()
    assert [outcome.folder for outcome in done] == [*folders[1:], folders[0]]
    assert all(isinstance(outcome, Published) for outcome in done)


def test_two_commands_at_once_publish_everything_and_neither_fails(folders: list[Path]) -> None:
    said: list[list[Any]] = [[], []]
    threads = [Thread(target=lambda own=own: own.extend(publish(folders, DEFAULTS, {}))) for own in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    for own in said:
        assert {outcome.folder for outcome in own} == set(folders)
        assert not any(isinstance(outcome, Unpublished) for outcome in own)


def test_a_server_that_takes_no_run_is_left_alone_after_two(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(sync, "sleep", pauses.append)
    monkeypatch.setattr(Taking, "error", TimeoutError("no answer"))
    done: list[Any] = []
    with pytest.raises(Mistake, match="no answer; nothing is lost, publish again later"):
        done.extend(publish(folders, DEFAULTS, {}))
    assert pauses == list(sync.BACK_OFF)


def test_the_second_run_that_a_server_may_not_take_is_given_less_time(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    monkeypatch.setattr(sync, "sleep", lambda _: None)
    monkeypatch.setattr(Taking, "error", TimeoutError("no answer"))
    monkeypatch.setattr(sync, "Session", lambda _, target, *__: given.append(target.patience) or Taking())
    with pytest.raises(Mistake):
        list(publish(folders, DEFAULTS, {}))
    assert given == [sync.PATIENCE, sync.HURRY]


def test_a_server_that_cannot_be_reached_is_asked_once(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Taking, "error", server.Unreachable("http://somewhere does not answer"))
    monkeypatch.setattr(sync, "unreachable", lambda: asked.append(1))
    with pytest.raises(Mistake, match="http://somewhere does not answer; nothing is lost, publish again later"):
        list(publish(folders, DEFAULTS, {}))
    assert asked == []


def test_a_server_that_takes_the_connection_and_says_nothing_is_soon_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with silent_address() as address:
        monkeypatch.setattr(server, "server", lambda: address)
        monkeypatch.setattr(server, "ANSWER_SECONDS", 0.2)
        assert server.unreachable() == f"{address} does not answer"


def test_a_name_that_is_never_found_is_soon_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    never = Event()
    monkeypatch.setattr(server, "server", lambda: "http://somewhere")
    monkeypatch.setattr(server, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(server.requests, "post", lambda *_, **__: never.wait() and SimpleNamespace(status_code=200))
    assert server.unreachable() == "http://somewhere does not answer"
    never.set()


def test_something_that_is_not_wandb_is_said_to_be_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "server", lambda: "http://somewhere")
    monkeypatch.setattr(server.requests, "post", lambda *_, **__: SimpleNamespace(status_code=404))
    assert server.unreachable() == "http://somewhere answers 404"


def test_a_mistake_of_one_run_is_not_held_against_the_server(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "sleep", lambda _: None)
    monkeypatch.setattr(Taking, "error", Mistake("other numbers"))
    assert [type(outcome) for outcome in publish(folders, DEFAULTS, {})] == [Unpublished] * len(folders)


def test_a_server_that_asks_for_fewer_requests_counts_as_in_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "server", lambda: "http://somewhere")
    monkeypatch.setattr(server.requests, "post", lambda *_, **__: SimpleNamespace(status_code=429))
    assert server.unreachable() == "http://somewhere answers 429"
