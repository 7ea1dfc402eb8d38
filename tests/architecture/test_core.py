"""What the core may import and touch, and how long a module may grow."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers/engine/cardroom"
EDGES = {"adapters", "wire"}
CORE = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in EDGES)
MODULES = sorted(path for folder in ("layers", "functions", "desk", "tools") for path in (ROOT / folder).rglob("*.py"))

IMPURE_MODULES = {"random", "secrets", "uuid", "time", "socket", "sqlite3", "subprocess", "urllib", "http"}
IMPURE_NAMES = {
    ("os", "environ"),
    ("os", "getenv"),
    ("os", "urandom"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("Path", "home"),
    ("Path", "cwd"),
}


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports by absolute name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def impurities(source: str) -> list[str]:
    """Where a source text reads the environment, a clock or chance."""
    tree = ast.parse(source)
    found = [f"import {name}" for name in imported(tree) if name.split(".")[0] in IMPURE_MODULES]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{a.name}" for a in node.names if (node.module, a.name) in IMPURE_NAMES]
        elif isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            if (name, node.attr) in IMPURE_NAMES:
                found.append(f"{name}.{node.attr}")
    return found


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", CORE, ids=name)
def test_core_is_pure(path: Path) -> None:
    assert impurities(path.read_text()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.environ['X']", ["os.environ"]),
        ("from os import environ", ["os.environ"]),
        ("import datetime\ndatetime.datetime.now()", ["datetime.now"]),
        ("from datetime import datetime as d, datetime\ndatetime.now()", ["datetime.now"]),
        ("import random", ["import random"]),
        ("from time import monotonic", ["import time"]),
        ("from datetime import datetime\ndatetime.fromisoformat('2026-11-29')", []),
    ],
)
def test_impurities_are_seen(source: str, found: list[str]) -> None:
    assert impurities(source) == found


@pytest.mark.parametrize("path", CORE, ids=name)
def test_core_imports_the_standard_library_only(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"cardroom"}
    if path.relative_to(PACKAGE).parts[0] in ("signing", "log"):
        allowed = allowed | {"cryptography"}
    assert {module.split(".")[0] for module in imported(ast.parse(path.read_text()))} <= allowed


def test_there_is_a_core() -> None:
    assert len(CORE) > 10


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_stays_short_or_says_why_not(path: Path) -> None:
    text = path.read_text("utf-8")
    lines, said = len(text.splitlines()), ast.get_docstring(ast.parse(text)) or ""
    assert lines <= 400 or "one module" in said, f"{lines} lines: split it, or say why it is one module"


@pytest.mark.parametrize("path", sorted((PACKAGE / "games").rglob("*.py")), ids=name)
def test_no_game_reads_a_file(path: Path) -> None:
    """Rule sets and house ways come to a game from the catalogue."""
    tree = ast.parse(path.read_text("utf-8"))
    assert not {module.split(".")[0] for module in imported(tree)} & {"importlib", "io", "os", "pathlib", "tomllib"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "open"]
