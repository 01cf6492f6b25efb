"""What is read part by part is what is read as a whole."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from plasticity.runs import blocks
from plasticity.runs.folder import Dumper

FILE = """# Again: python launch/main.py --config-path /somewhere
defaults:
- _self_
- override hydra/job_logging: none
N: 100
identity:
  model:
    name: aen
    rules:
    - - prune
      - kind: Dead
  update:
    step_size: 0.001
measures: {}
words: 'it''s: one
  text'
seed: 0
"""
# Each is a mapping, or damaged, in a way that a cut before each key could get wrong.
ODD = (
    "",
    "# nothing\n",
    "a: 1",
    "a:\n",
    "a: 'one\nb: 2\n'\n",
    'a: "one\nb: 2\nc: 3"\n',
    "a: [1,\nb: 2]\n",
    "a: {b: 1,\nc: 2}\nd: 3\n",
    "a: &here 1\nb: *here\n",
    "a: &here 1\nb: &here 2\nc: *here\n",
    "a:\n  b: &x {c: 1}\n  d:\n    <<: *x\n",
    "a: 1\na: 2\n",
    "a:\n  b: 1\n  b: 2\n",
    "on: 1\nno:\n  yes: 2\n",
    "a: 1\n---\nb: 2\n",
    "a: 1\n...\n",
    "%YAML 1.1\n---\na: 1\n",
    "a: |\n  b: 1\n  c: 2\nd: 3\n",
    "a: |\nb: 3\n",
    "a: |+\n  one\n\n\nb: 3\n",
    "a:\n  b: |1\n   c: 1\n  d: 2\n",
    "a: >\n  b: 1\n\n  c: 2\n",
    "a:\n  one\n  two\n",
    "a:\n  b: 1\n c: 2\n",
    "a:\n  b: 1\n   c: 2\n",
    "a:\n   b: 1\n   c: 2\n",
    "a:\n    b: 1\n  c: 2\n",
    "a: one\nb\n",
    "a: one\n two: 3\n",
    "a:\n- 1\n- b: 2\n  c: 3\n",
    "a: 1\n- 2\n",
    "? a\n: 1\n",
    "a: !!python/object:os.system {}\n",
    "a: !!str 1\nb: 2\n",
    "a:\tb\n",
    "a: 1\r\nb: 2\r\n",
    "a: 1\u2028b: 2\n",
    "a: 1 # b\n# c: 2\nd: 3\n",
    "a: # one\n  b: 2\n",
    "a:\n  # one\n  b: 2\n",
    "a:\n  b: 1\n  # one\n  c: 2\n",
    "\ufeffa: 1\n",
    "{a: 1}\n",
    "- a\n- b\n",
    "a: 2026-02-30\n",
    "é: 1\na: ü\n",
)


def read(text: str, how: Any) -> str:
    """With the kinds and the order of everything."""
    try:
        return repr(how(text))
    except (yaml.YAMLError, ValueError):
        return "cannot be read"


def whole(text: str) -> Any:
    return yaml.load(text, blocks.Loader)


@pytest.mark.parametrize("text", [FILE, *ODD])
def test_parts_are_what_the_whole_is(text: str) -> None:
    for _ in range(2):  # the second time its parts are known
        assert read(text, blocks.load) == read(text, whole)


WORDS = st.sampled_from(
    ["a", "b_2", "x " * 60, "on", "null", "1e-3", "1", "it's: one", "a b", "- x", "", "#", "ä", "x\ny", "&a"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))


@given(st.dictionaries(WORDS, VALUES, max_size=5), st.sampled_from([None, False, True]))
def test_whatever_is_written_is_read_as_it_was(value: dict[str, Any], flow: bool | None) -> None:
    for dumper in (Dumper, yaml.SafeDumper):
        text = yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, default_flow_style=flow)
        assert read(text, blocks.load) == read(text, whole) == repr(value)


EDITS = st.text("\n :-'\"[]{}#|>&*!%?,ab1\t", min_size=1, max_size=3)


@given(st.integers(0, len(FILE)), st.integers(0, 9), EDITS)
def test_whatever_somebody_edits_is_read_as_it_is(place: int, removed: int, put: str) -> None:
    text = FILE[:place] + put + FILE[place + removed :]
    assert read(text, blocks.load) == read(text, whole)


def test_a_part_that_two_files_share_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks._part.cache_clear()
    blocks.load(FILE)
    read, load = [], yaml.load
    monkeypatch.setattr(blocks.yaml, "load", lambda text, loader: read.append(text) or load(text, loader))
    assert blocks.load(FILE.replace("seed: 0", "seed: 1"))["seed"] == 1
    assert read == ["seed: 1\n"]
