"""Rooms import only rooms to their left, so that a reader knows where to look, and no two modules need each other."""

import ast
from functools import cache
from pathlib import Path

import pytest
from support.small import ROOT

# From left to right; those of one group do not import each other.
RANKS = (
    ("ground",),
    ("terminal",),
    ("data",),
    ("streams",),
    ("compiled",),
    ("networks",),
    ("rules", "updates"),
    ("engines",),
    ("record", "metrics", "lives"),
    ("learner",),
    ("runs",),
    ("grid", "results"),
    ("tracking",),
    ("hydra_plugins",),
    ("notebook",),
    ("launch",),
)
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}
PACKAGE = ROOT / "src" / "plasticity"
FILES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "launch").glob("*.py")]


def module(path: Path) -> str:
    if path.is_relative_to(ROOT / "launch"):
        return f"launch.{path.stem}"
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name: str) -> str | None:
    """None for what is outside, and for the package itself, which names what notebooks import."""
    first, *rest = name.split(".")
    return first if first in ("launch", "hydra_plugins") else rest[0] if first == "plasticity" and rest else None


def later(part: ast.AST) -> bool:
    """Not when the module is loaded: in a function, or for types alone."""
    for_types = isinstance(part, ast.If) and isinstance(part.test, ast.Name) and part.test.id == "TYPE_CHECKING"
    return isinstance(part, ast.FunctionDef) or for_types


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Every import, type-only ones too, and whether it is made when the module is loaded."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, at_load: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((alias.name, at_load) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            wholes = {f"{node.module}.{alias.name}" for alias in node.names}
            found.extend((whole if whole in MODULES else node.module, at_load) for whole in wholes)
        elif not isinstance(node, ast.expr):  # no import is in one
            for part in ast.iter_child_nodes(node):
                visit(part, at_load and not later(node))

    visit(ast.parse(path.read_text()), at_load=True)
    return found


MODULES = {module(path): path for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: module(path))
def test_a_module_imports_only_rooms_to_its_left(path: Path) -> None:
    own = room(module(path))
    for name, _ in imports(path):
        other = room(name)
        if own is not None and other is not None and own != other:
            assert RANK[other] < RANK[own], f"{module(path)} imports {name}: {other} is not to the left of {own}"


def test_every_room_has_a_rank() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.name not in ("__init__.py", "__pycache__")}
    assert there <= set(RANK)


def test_a_package_says_in_one_sentence_what_lives_there() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(path.read_text()))
        assert said, path
        assert len(said.splitlines()) == 1, path


def test_no_two_modules_import_each_other() -> None:
    graph = {
        name: {other for other, at_load in imports(path) if at_load and other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " → ".join((*way, name))
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, (*way, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


def test_numbers_of_classes_and_inputs_are_written_in_the_data_room_alone() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "data" not in path.relative_to(PACKAGE).parts:
            text = path.read_text()
            assert "CLASSES" not in text, path
            if "784" in text:  # in a comment, perhaps
                numbers = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
                assert 784 not in numbers, path
