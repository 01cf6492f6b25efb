"""Names become folders, columns, tags and legends: what could do more than name something is refused."""

from collections.abc import Callable

import pytest

from plasticity.ground.errors import Mistake, printable
from plasticity.runs.config import Config
from plasticity.runs.run import Run

Make = Callable[..., Config]
IMPOSSIBLE = (
    "''",
    "' '",
    "..",
    "../up",
    "a/b",
    "/etc",
    r"'a\\b'",
    ".hidden",
    '"a\x1b[2Jb"',
    '"a\nb"',
    '"a\x00"',
    "x" * 241,
)


@pytest.mark.parametrize("key", ["model.name", "model.label", "+model.method", "dataset.name"])
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_name_is_refused_in_one_sentence(run_config: Make, key: str, name: str) -> None:
    with pytest.raises(Mistake) as caught:
        run_config(f"{key}={name}")
    assert str(caught.value).startswith(key.lstrip("+").split("=")[0] + "=")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["aen", "Ünïcode", "a b", "[red]x", "<b>x", "$x$", "a..b", "-x", "_x"])
def test_a_name_that_is_only_odd_is_a_name(run_config: Make, name: str) -> None:
    run = Run(run_config(f"model.label='{name}'"))
    assert run.folder.parent.name == name


@pytest.mark.parametrize("name", ["'a,b'", "'a\"b'", "../x", '"a\nb"'])
def test_an_impossible_column_is_refused(run_config: Make, name: str) -> None:
    config = run_config()
    config.measures[name] = {"_target_": "plasticity.metrics.dormancy"}
    from plasticity.runs.resolve import check

    with pytest.raises(Mistake, match="measures"):
        check(config)


@pytest.mark.parametrize("key", ["outputs", "data"])
@pytest.mark.parametrize("path", ["''", "' '", '"a\nb"', '"a\x00b"'])
def test_an_impossible_folder_is_refused(run_config: Make, key: str, path: str) -> None:
    with pytest.raises(Mistake, match=f"^{key}="):
        run_config(f"{key}={path}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a b"), ("\x1b]0;x\x07", r"\x1b]0;x\x07"), ("\udcff", r"\udcff"), ("‮", r"\u202e"), ("é – ±", "é – ±")],
)
def test_what_is_shown_does_nothing_to_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == str(Mistake(text)) == shown


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ((), "aen-K80"),
        (("K=30",), "aen-K30"),
        (("model.rules.grow.K=30",), "aen-K30"),
        (("model.rules.grow=null",), "aen-K80"),
        (("~model.rules.grow",), "aen-K80"),
    ],
)
def test_a_label_says_the_K_that_units_are_added_by(run_config: Make, words: tuple[str, ...], label: str) -> None:
    assert Run(run_config("model=aen", *words)).what["label"] == label
