"""The runs of ``bnsl warm-up``, whose machine code a wheel brings along, call each kernel that Python can call, with
the same types each time.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable

import pytest
from helpers.places import ROOT
from helpers.sources import syntax_tree

from stages.kernels.jit import KERNEL

pytestmark = [pytest.mark.slow, pytest.mark.skipif(KERNEL is None, reason="plain numba compiles")]

COMPILES = {"njit", "inlined", "borrowing"}

SCRIPT = """
import json, sys
from pathlib import Path
from click.testing import CliRunner
from bnsl_cli.commands.warm_up import COMMANDS
from bnsl_cli.main import cli
from bnsl_cli.commands.warm_up import first_runs, tiny_runs, write_inputs

write_inputs(Path())
runs = [*first_runs(), *(run for name in COMMANDS for run in tiny_runs(name))]
for run in runs:
    result = CliRunner().invoke(cli, run)
    assert result.exit_code == 0, (run, result.output, result.exception)

found = {}
for module in [module for name, module in sys.modules.items() if name.startswith("stages.") and ".kernels." in name]:
    for kernel in vars(module).values():
        if hasattr(kernel, "overloads"):
            name = kernel.py_func.__name__
            variants = kernel.overloads.items()
            found[name] = [list(map(str, types)) for types, compiled in variants if compiled.library.is_assembled]
print(json.dumps(found))
"""


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
            called |= calls_of(node for node in tree.body if node not in compiled)
        else:
            called |= imported(tree)
    return kernels & called


@pytest.fixture(scope="module")
def signatures(tmp_path_factory) -> dict[str, list[list[str]]]:
    """Types with which Python called kernels, by name."""
    arguments, folder = [sys.executable, "-c", SCRIPT], tmp_path_factory.mktemp("runs")
    result = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return {name: types for name, types in json.loads(result.stdout).items() if types}


def test_every_kernel_that_python_calls_is_compiled(signatures):
    expected = called_by_python()
    assert len(expected) > 100
    assert sorted(expected - signatures.keys()) == []


def test_one_signature_for_each_kernel_that_python_calls(signatures):
    assert not {name: types for name, types in signatures.items() if len(types) > 1}
