"""What holds for all kernel modules: names are said once, tuples are built by keyword, each module has a test."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.places import ROOT
from helpers.sources import syntax_tree

MODULES = sorted(p for p in (ROOT / "stages").rglob("kernels/**/*.py") if p.name != "__init__.py")


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def top_level(path: Path) -> Iterator[ast.stmt]:
    """The statements of a module, those under ``if`` included."""
    waiting = list(syntax_tree(path).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If):
            waiting += [*node.body, *node.orelse]
        yield node


def defined_names(path: Path) -> set[str]:
    """Public functions, classes and constants that a module defines."""
    names = set()
    for node in top_level(path):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {leaf.id for t in node.targets for leaf in ast.walk(t) if isinstance(leaf, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def tuple_classes() -> set[str]:
    return {
        node.name
        for path in MODULES
        for node in top_level(path)
        if isinstance(node, ast.ClassDef)
        and "NamedTuple" in [base.id for base in node.bases if isinstance(base, ast.Name)]
    }


@functools.cache
def modules_named_by_tests() -> set[str]:
    """Modules that tests in folders of kernels import."""
    tests = (ROOT / "tests" / "stages").rglob("kernels/**/test_*.py")
    nodes = [node for path in tests for node in ast.walk(syntax_tree(path))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def test_no_public_name_is_defined_in_two_kernel_modules():
    places = defaultdict(list)
    for path in MODULES:
        for name in defined_names(path):
            places[name].append(module_name(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_tuples_of_arrays_are_built_by_keyword():
    classes = tuple_classes()
    assert len(classes) > 20
    is_called = re.compile(rf"\b(?:{'|'.join(classes)})\(")
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.func.id}"
        for folder in ("stages", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if is_called.search(path.read_text())
        for others in [set() if path in MODULES else defined_names(path)]  # which have such a name, too
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in classes - others and node.args
    ]
    assert found == []


@pytest.mark.parametrize("module", [module_name(path) for path in MODULES])
def test_every_kernel_module_has_a_test(module):
    """So the bounds-checked and the uncompiled run, which are of these folders, cover it."""
    assert module in modules_named_by_tests()
