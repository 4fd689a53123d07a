"""What the sources of stages and kernels do not say themselves: no files, no streams, one way to compile."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from helpers.places import ROOT
from helpers.sources import syntax_tree

IO_NAMES = re.compile(r"\b(open|print|stdin|stdout|stderr)\b")
"""Without one of these words a file has no call that `_io_calls` finds."""


READS_SOURCES = ROOT / "stages" / "kernels" / "native.py"
"""Compares the kernel sources with the machine code beside them."""


def _io_calls(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print")
        stream = (
            isinstance(node, ast.Attribute)
            and node.attr in ("stdin", "stdout", "stderr")
            and isinstance(node.value, ast.Name)
            and node.value.id == "sys"
        )
        if call or stream:
            yield node


def test_stages_touch_no_files_or_streams():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted((ROOT / "stages").rglob("*.py"))
        if IO_NAMES.search(path.read_text()) and path != READS_SOURCES
        for node in _io_calls(syntax_tree(path))
    ]
    assert found == []


def test_every_kernel_is_compiled_through_the_one_wrapper():
    found = []
    for path in sorted((ROOT / "stages").rglob("kernels/**/*.py")):
        if path.name == "jit.py":
            continue
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(d).split("(")[0] for d in node.decorator_list}
                found += [f"{path.name}:{node.lineno}: {n}" for n in names if n.startswith(("numba.", "nb.", "jit"))]
    assert found == []
