"""What `launch/main.py --help` says: every key with its default and its comment, as the files in conf have them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

INTRODUCTION = """Run one configuration, or with -m a grid of them: python launch/main.py [-m] [KEY=VALUE ...]
The same command again skips what is finished and goes on with what is not."""
EXAMPLES = """Examples
  python launch/main.py model=aen dataset=fmnist
  python launch/main.py model=ffcnn model.layers=2 model.width=500 tasks=400
  python launch/main.py -m model=aen,agn step_size=0.01,0.001 'seed=range(0,5)'
  python launch/main.py -m model=ffcnn method=none,l2,cbp dataset=toy N=1000 tasks=5
  python launch/main.py experiment=aen seeds=five              a preset: a set of curves
  python launch/main.py --config-dir mine model=lean           yamls of one's own
  python launch/main.py model=ffcnn method=cbp --help          the keys of other choices
  python launch/main.py model=aen --cfg job --resolve          show what would run; --hydra-help has more
  python launch/main.py --cfg hydra -p hydra.launcher          the keys of the launcher
Then: python launch/status.py, python launch/figures.py, python launch/sync.py; each has --help."""
LINE = re.compile(r"(?P<indent> *)(?P<key>[\w/ ]+):(?: +(?P<value>[^#]*?))?(?: *# (?P<comment>.*))?$")
HIDDEN = ("_target_", "name", "label", "method", "timing", "defaults", "hydra", "_self_")
ELSEWHERE = re.compile(r"\$\{[\w.]+\}$|[{[]")  # set by another key, or no plain value
INDENT, GAP, NARROW = 2, 2, 40


def text(conf: Path, more: Sequence[Path], words: Sequence[str], width: int) -> str:
    """`more`: folders of one's own with yamls; `words`: choices of groups, whose keys are then shown."""
    chosen = dict(word.split("=", 1) for word in words if "=" in word)
    places = [*more, conf]
    groups = [(name, chosen.get(name, default)) for name, default in _defaults(conf)]
    keys = list(_keys(conf / "config.yaml", places, ""))
    for name, choice in groups:
        if path := _file(places, name, choice):
            keys += _keys(path, places, "" if "@package _global_" in _read(path) else f"{name}.")
    settings = {key: (value, comment) for key, value, comment in keys}
    rows = [(f"{key}={value}", comment) for key, (value, comment) in settings.items()]
    choices = [(f"{name}={choice}", ", ".join(_choices(places, name))) for name, choice in groups]
    parts = [INTRODUCTION, "", "Groups, with the default and the choices", *_lines(choices, width)]
    parts += ["Keys, with the default", *_lines(rows, width), EXAMPLES]
    return "\n".join(parts)


def _defaults(conf: Path) -> Iterator[tuple[str, str]]:
    for group, choice in re.findall(r"^  - (?:override )?([\w/]+): (\w+)", _read(conf / "config.yaml"), re.M):
        if group not in ("hydra/job_logging", "hydra/hydra_logging", "hydra/sweeper"):
            yield group, choice


def _file(places: Sequence[Path], group: str, choice: str) -> Path | None:
    found = (place / group / f"{choice}.yaml" for place in places)
    return next((path for path in found if path.is_file()), None)


def _choices(places: Sequence[Path], group: str) -> list[str]:
    built_in = ["local", "serial", "slurm"] if group == "hydra/launcher" else []
    return built_in + sorted({path.stem for place in places for path in (place / group).glob("*.yaml")})


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _keys(path: Path, places: Sequence[Path], prefix: str) -> Iterator[tuple[str, str, str]]:
    """Key, value and comment of each line that sets a plain value; of what another key sets, nothing."""
    inside: list[tuple[int, str]] = []
    parent = re.search(r"^defaults: \[(\w+)\]", _read(path), re.M)
    if parent and (inherited := _file(places, path.parent.name, parent[1])):
        yield from _keys(inherited, places, prefix)
    for line in _read(path).splitlines():
        if not (found := LINE.match(line)):
            continue
        depth, key = len(found["indent"]), found["key"].strip()
        inside = [(indent, name) for indent, name in inside if indent < depth]
        names = [name for _, name in inside] + [key]
        inside.append((depth, key))
        value = (found["value"] or "").strip().strip('"')
        if value and not set(names) & set(HIDDEN) and not ELSEWHERE.match(value):
            fallback = re.fullmatch(r"\$\{oc\.env:\w+,(.*)\}", value)
            shown = fallback[1] if fallback else "…" if value.startswith("${") else value
            yield prefix + ".".join(names), shown, found["comment"] or ""


def _lines(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    first = min(NARROW, max(len(left) for left, _ in rows))
    lines = []
    for left, right in rows:
        start = " " * INDENT + left.ljust(first) + " " * GAP
        beside = len(start) if len(left) <= first and width - len(start) >= 30 else 2 * INDENT
        parts = wrap(right, max(20, width - beside))
        if parts and beside == len(start):
            lines.append(start + parts.pop(0))
        else:
            lines.append(start.rstrip())
        lines += [" " * beside + part for part in parts]
    return [*lines, ""]
