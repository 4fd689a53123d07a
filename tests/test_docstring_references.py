"""What the texts of stages refer to exists: modules and names in backticks."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.sources import syntax_tree

DOTTED = re.compile(r"(?<!`)`([A-Za-z_]\w*(?:\.\w+)+)`(?!`)")
SEE = re.compile(r"\b(?:[Ss]ee|[Aa]s of)\s+`(\w+)`")
OUTSIDE = ("itertools", "numpy", "math")


def sources() -> list[Path]:
    return sorted((ROOT / "stages").rglob("*.py"))


@functools.cache
def names_in(path: Path) -> frozenset[str]:
    """Every identifier that a source file defines, imports or uses."""
    found: set[str] = set()
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[-1])
    return frozenset(found)


def file_of(place: Path) -> Path | None:
    """The source file of a module or package."""
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.exists():
            return path
    return None


def exists(reference: str, path: Path) -> bool:
    """Whether a dotted reference in `path` leads to a module, a name in one, or an attribute of a class there.

    The first part is looked for in the file itself, beside it, and in the folders above.
    """
    parts = reference.split(".")
    if parts[0] in OUTSIDE or set(parts) <= names_in(path):
        return True
    folder = path.parent
    while True:
        for n in range(len(parts), 0, -1):
            source = file_of(folder.joinpath(*parts[:n]))
            if source is not None and set(parts[n:]) <= names_in(source):
                return True
        if folder == ROOT:
            return False
        folder = folder.parent


def test_broken_references_are_seen():
    driver = ROOT / "stages" / "optimize" / "driver.py"
    assert exists("result.SearchResult", driver)
    assert exists("formats.graphs.algorithms.moral_graph", driver)
    assert exists("climbing.climb", driver)
    assert not exists("result.NoSuchThing", driver)
    assert not exists("climbing.nowhere", driver)


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_references_exist(path: Path):
    text = path.read_text()
    broken = [reference for reference in DOTTED.findall(text) if not exists(reference, path)]
    # What a sentence sends the reader to without naming a module is in the same file, or a module beside it.
    broken += [name for name in SEE.findall(text) if name not in names_in(path) and not file_of(path.parent / name)]
    assert broken == []
