"""A command that a message tells to give is one that works where it is said."""

from plasticity.runs import hints


def test_the_folder_in_use_is_named_and_quoted() -> None:
    assert hints.figures("my runs") == "python launch/figures.py --outputs 'my runs'"
    assert hints.command("sync", "/elsewhere", "--project", "a b") == "python launch/sync.py /elsewhere --project 'a b'"


def test_the_default_folder_need_not_be() -> None:
    assert hints.figures("outputs") == "python launch/figures.py"
    assert hints.command("status", "./outputs/") == "python launch/status.py"
