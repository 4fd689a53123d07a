"""The cache of compiled kernels: its folder changes with any kernel source."""

from __future__ import annotations

import ast
import subprocess
import sys

import numba
import pytest
from helpers.places import ROOT
from helpers.sources import syntax_tree

from stages.kernels.jit import KERNEL, STAGES, source_digest


def test_every_source_counts(tmp_path):
    """A changed line in any folder of kernels gives another digest; so does a moved file; other files do not."""
    folder = tmp_path / "kernels" / "family"
    published = tmp_path / "published" / "paper" / "kernels"
    for place in (folder, published):
        place.mkdir(parents=True)
        (place / "one.py").write_text("b = 1")
    (tmp_path / "kernels" / "jit.py").write_text("a = 1")
    digests = [source_digest(tmp_path)]
    (folder / "notes.txt").write_text("nothing compiled")
    (tmp_path / "driver.py").write_text("c = 1")
    assert source_digest(tmp_path) == digests[0]
    for path in (folder / "one.py", published / "one.py", tmp_path / "kernels" / "jit.py"):
        path.write_text("b = 2")
        digests.append(source_digest(tmp_path))
    (folder / "one.py").rename(folder / "two.py")
    digests.append(source_digest(tmp_path))
    assert len(set(digests)) == 5


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_are_assembled_late():
    """The fallback is silent; with the versions of numba that we allow it is not taken."""
    assert KERNEL is not None


ORDER_OF_TEMPLATES = """
import operator, stages.kernels.jit
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()  # as the cache of kernels does before anything is compiled
for asked in (operator.getitem, operator.setitem):
    kinds = cpu_target.typing_context.resolve_value_type(asked).templates
    makers = [getattr(kind, "_overload_func", None) for kind in kinds]
    are_overloads = [hasattr(kind, "_overload_func") for kind in kinds]
    print(any(are_overloads) and are_overloads == sorted(are_overloads))
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_indexing_of_arrays_is_tried_before_that_of_strings_and_lists():
    """The rules of arrays are built in; those of strings, lists and dictionaries overload them and come last."""
    code = ORDER_OF_TEMPLATES
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True"] * 2


@pytest.mark.slow
def test_the_environment_overrides_the_folder(tmp_path):
    code = "import numba, stages.kernels.jit; print(numba.config.CACHE_DIR)"
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(tmp_path / f"kernels-{source_digest(STAGES)}")


MAKERS = {
    "arange",
    "argsort",
    "array",
    "concatenate",
    "cumsum",
    "empty",
    "empty_like",
    "full",
    "ones",
    "sort",
    "zeros",
}


def makes_array(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in MAKERS


def returns_own_array(kernel: ast.FunctionDef) -> bool:
    """Whether a kernel returns an array that it made, alone or in a tuple or record."""
    nodes = list(ast.walk(kernel))
    made = {ast.unparse(n.targets[0]) for n in nodes if isinstance(n, ast.Assign) and makes_array(n.value)}
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            parts = getattr(node.value, "elts", None) or [node.value, *getattr(node.value, "args", [])]
            if any(makes_array(part) or ast.unparse(part) in made for part in parts):
                return True
    return False


def test_kernels_that_count_no_references_get_no_arrays_from_others():
    """Nobody would free an array that a callee of theirs makes and returns; numba does not refuse the call."""
    kernels = {"njit": {}, "inlined": {}, "borrowing": {}}
    for path in STAGES.rglob("kernels/**/*.py"):
        for node in syntax_tree(path).body:
            for decorator in getattr(node, "decorator_list", []):
                kernels.get(ast.unparse(decorator), {})[node.name] = node
    making = {name for name, kernel in (kernels["njit"] | kernels["inlined"]).items() if returns_own_array(kernel)}
    assert len(making) > 10 and len(kernels["borrowing"]) > 100
    for name, kernel in kernels["borrowing"].items():
        called = {ast.unparse(node.func) for node in ast.walk(kernel) if isinstance(node, ast.Call)}
        assert not called & making, name
