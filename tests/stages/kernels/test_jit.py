"""The cache of compiled kernels: its folder changes with any kernel source."""

from __future__ import annotations

import ast
import copy
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from helpers.compiled import BY_NUMBA, compiled, with_machine_code
from helpers.places import ROOT
from helpers.sources import syntax_tree

from stages.kernels import bits, heap
from stages.kernels.bits import has_bit, set_bit
from stages.kernels.compiler import KERNEL
from stages.kernels.jit import CalledByKernels, njit
from stages.kernels.native import MACHINE_CODE, STAGES, source_digest


def test_every_source_counts(tmp_path):
    """A changed line in any folder of kernels gives another digest; so does a moved file; other files do not."""
    folder = tmp_path / "kernels" / "family"
    published = tmp_path / "published" / "paper" / "kernels"
    for place in (folder, published):
        place.mkdir(parents=True)
        (place / "one.py").write_text("b = 1")
    (tmp_path / "kernels" / "jit.py").write_text("a = 1")
    digests = [source_digest(str(tmp_path))]
    (folder / "notes.txt").write_text("nothing compiled")
    (tmp_path / "driver.py").write_text("c = 1")
    assert source_digest(str(tmp_path)) == digests[0]
    for path in (folder / "one.py", published / "one.py", tmp_path / "kernels" / "jit.py"):
        path.write_text("b = 2")
        digests.append(source_digest(str(tmp_path)))
    (folder / "one.py").rename(folder / "two.py")
    digests.append(source_digest(str(tmp_path)))
    assert len(set(digests)) == 5


@compiled
def test_kernels_are_assembled_late():
    """The fallback is silent; with the versions of numba that we allow it is not taken."""
    assert KERNEL is not None


ORDER_OF_TEMPLATES = """
import operator, stages.kernels.compiler
from numba.core.registry import cpu_target
cpu_target.target_context.refresh()  # as the cache of kernels does before anything is compiled
for asked in (operator.getitem, operator.setitem):
    kinds = cpu_target.typing_context.resolve_value_type(asked).templates
    makers = [getattr(kind, "_overload_func", None) for kind in kinds]
    are_overloads = [hasattr(kind, "_overload_func") for kind in kinds]
    print(any(are_overloads) and are_overloads == sorted(are_overloads))
"""


@compiled
def test_indexing_of_arrays_is_tried_before_that_of_strings_and_lists():
    """The rules of arrays are built in; those of strings, lists and dictionaries overload them and come last."""
    code = ORDER_OF_TEMPLATES
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True"] * 2


@pytest.mark.slow
def test_the_environment_overrides_the_folder(tmp_path):
    code = "import numba, stages.kernels.compiler; print(numba.config.CACHE_DIR)"
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(tmp_path / Path(numba.config.CACHE_DIR).name)


@pytest.mark.parametrize(
    ("given", "reason", "remedy"),
    [
        (BY_NUMBA, "NUMBA_OPT is set", "unset it"),
        ({}, "there is no machine code of these sources for this processor and this Python", "reinstall bnsl-cli"),
    ],
)
def test_without_numba_and_machine_code_the_remedy_is_named(tmp_path, given, reason, remedy):
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from stages.runtime.errors import StageError\n"
        "try: from stages.kernels.bits import has_bit\n"
        "except StageError as error: print(error)"
    )
    shutil.copytree(ROOT / "stages", tmp_path / "stages", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    command, values = [sys.executable, "-c", code], {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"} | given
    found = subprocess.run(command, cwd=tmp_path, env=values, capture_output=True, text=True, check=True)
    missing = "and numba, which compiles kernels, is missing"
    assert found.stdout == f"{reason}, {missing}: {remedy}, or pip install numba\n"


@with_machine_code
def test_kernels_that_machine_code_lacks_are_compiled_when_python_calls_them():
    @njit
    def inner(value):
        """One more."""
        return value + 1

    @njit
    def outer(value):
        return inner(value) * 2

    assert isinstance(inner, CalledByKernels) and not vars(inner).keys() & {"_dispatcher"}
    assert (inner.__name__, inner.__doc__, inner.__module__) == ("inner", "One more.", __name__)
    assert outer(3) == 8 and inner(value=4) == 5 and inner.py_func(4) == 5
    assert len(inner.overloads) == 1


@with_machine_code
def test_kernels_of_both_kinds_call_each_other_and_are_pickled_by_name():
    """A kernel that numba compiles calls kernels that machine code has, and kernels that it lacks."""

    @njit
    def counted(words, element):
        return set_bit(words, element), has_bit(words, element), has_bit(words, element + 1)

    kinds = {
        type(kernel) for module in (bits, heap) for kernel in vars(module).values() if hasattr(kernel, "py_func")
    }
    assert kinds == {MACHINE_CODE.Kernel, CalledByKernels}
    assert counted(np.zeros(1, np.uint64), 3) == (None, True, False)
    for module in (bits, heap):
        for kernel in vars(module).values():
            if hasattr(kernel, "py_func"):
                assert pickle.loads(pickle.dumps(kernel)) is kernel and copy.deepcopy([kernel])[0] is kernel


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
    for path in Path(STAGES).rglob("kernels/**/*.py"):
        for node in syntax_tree(path).body:
            for decorator in getattr(node, "decorator_list", []):
                kernels.get(ast.unparse(decorator), {})[node.name] = node
    making = {name for name, kernel in (kernels["njit"] | kernels["inlined"]).items() if returns_own_array(kernel)}
    assert len(making) > 10 and len(kernels["borrowing"]) > 100
    for name, kernel in kernels["borrowing"].items():
        called = {ast.unparse(node.func) for node in ast.walk(kernel) if isinstance(node, ast.Call)}
        assert not called & making, name
