"""The runs that machine code is made from call each kernel that Python can call, with the same types each time."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable

import pytest
from helpers.compiled import BY_NUMBA, late, with_machine_code
from helpers.places import ROOT
from helpers.processes import base_environment, run_python
from helpers.sources import syntax_tree
from tools.native.runs import table_text, tiny_runs

from stages.optimize import METHODS as SEARCHES
from stages.parentsets import METHODS as IDENTIFICATIONS

COMPILES = {"njit", "inlined", "borrowing"}

SCRIPT = """
import json, sys
from tools.native.runs import run_all

run_all()
found = {}
for module in [module for name, module in sys.modules.items() if name.startswith("stages.") and ".kernels." in name]:
    for kernel in vars(module).values():
        if hasattr(kernel, "overloads"):
            name = kernel.py_func.__name__
            variants = kernel.overloads.items()
            found[name] = [list(map(str, types)) for types, compiled in variants if compiled.library.is_assembled]
print(json.dumps(found))
"""


def test_every_method_runs_for_each_of_its_tasks():
    methods = [run[2] for run in tiny_runs("parentsets") if run[1] == "--method"]
    assert methods == list(IDENTIFICATIONS)
    runs = list(tiny_runs("optimize"))
    tasks = {(run[2], "--data" in run, "--tw" in run) for run in runs if run[1] == "--method"}
    assert tasks == {(name, *task) for name, spec in SEARCHES.items() for task in spec.variants}


def test_the_table_has_binary_and_three_state_columns():
    rows = [line.split(",") for line in table_text().splitlines()[1:]]
    assert {len(set(column)) for column in zip(*rows, strict=True)} == {2, 3}


def decorators(function: ast.FunctionDef) -> set[str]:
    return {decorator.id for decorator in function.decorator_list if isinstance(decorator, ast.Name)}


def imported(tree: ast.Module) -> set[str]:
    """Names that a module imports from kernel modules."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.name for node in statements if "kernels" in (node.module or "").split(".") for name in node.names}


def calls_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are called, or handed to what is called."""
    calls = [node for root in nodes for node in ast.walk(root) if isinstance(node, ast.Call)]
    return {name.id for call in calls for name in (call.func, *call.args) if isinstance(name, ast.Name)}


def called_by_python() -> set[str]:
    """Kernels that other modules import, or plain functions beside them call; no two kernels have the same name."""
    kernels, called = set(), set()
    for path in (ROOT / "stages").rglob("*.py"):
        tree = syntax_tree(path)
        if "kernels" in path.relative_to(ROOT).parts:
            compiled = [
                node for node in tree.body if isinstance(node, ast.FunctionDef) and COMPILES & decorators(node)
            ]
            kernels |= {node.name for node in compiled}
            statements = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            known = {node.name for node in compiled} | {name.name for node in statements for name in node.names}
            called |= known & calls_of(node for node in tree.body if node not in compiled)
        else:
            called |= imported(tree)
    return kernels & called


@pytest.fixture(scope="module")
def signatures(tmp_path_factory) -> dict[str, list[list[str]]]:
    """Types with which Python called kernels, by name."""
    given = base_environment() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"} | BY_NUMBA
    printed = run_python("-c", SCRIPT, cwd=tmp_path_factory.mktemp("runs"), env=given, is_fresh=True)
    return {name: types for name, types in json.loads(printed).items() if types}


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # importing them fails
from tools.native.runs import run_all
run_all()
"""


@with_machine_code
@pytest.mark.slow
def test_machine_code_needs_no_numba(tmp_path):
    """It has every kernel that Python calls, for the types that Python passes."""
    given = {name: value for name, value in base_environment().items() if not name.startswith("NUMBA_")}
    given |= {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    run_python("-c", WITHOUT_NUMBA, cwd=tmp_path, env=given, is_fresh=True)


@late
@pytest.mark.slow
def test_every_kernel_that_python_calls_is_compiled(signatures):
    expected = called_by_python()
    assert len(expected) > 100
    assert sorted(expected - signatures.keys()) == []


@late
@pytest.mark.slow
def test_one_signature_for_each_kernel_that_python_calls(signatures):
    # Tests call others too: their machine code may come from the cache.
    assert not {name: signatures[name] for name in called_by_python() if len(signatures[name]) > 1}
