"""Which kernels a run may come to need, read off the sources: so that it can be told how much there is to compile.

Modules of stages that are loaded name the kernels they call, at their top or inside functions, and kernels name those
that they are made of. Nothing is imported here, and no list is kept by hand. It is more than a run needs, since
nobody knows which functions of a module it will call.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_STAGES, _KERNELS = "stages.", "stages.kernels."
_COMPILED = "njit"
"""Decorator of kernels; those that are `inlined` are compiled as part of others."""

Name = tuple[str, str]
"""A module, and something defined in it."""


def kernels_to_compile() -> set[Name]:
    """Kernels that modules loaded so far may need and that are not in the cache; none while numba is not loaded."""
    numba = sys.modules.get("numba")
    if numba is None:
        return set()
    kernels = reachable_kernels(list(sys.modules))
    return {kernel for kernel in kernels if not is_stored(kernel, numba.config.CACHE_DIR)}


def reachable_kernels(modules: Iterable[str]) -> set[Name]:
    """Kernels that these modules, or those of stages that they import anywhere, may call.

    Parameters
    ----------
    modules : iterable of str
        Others than those of stages do not matter.
    """
    waiting = [name for name in modules if name.startswith(_STAGES) and not name.startswith(_KERNELS)]
    met, called = set(waiting), set()
    while waiting:
        for origin, name in _source(waiting.pop()).imported.values():
            if origin.startswith(_KERNELS):
                called.add((origin, name))
                continue
            for module in (origin, f"{origin}.{name}"):
                if module.startswith(_STAGES) and module not in met and _path(module):
                    met.add(module)
                    waiting.append(module)
    return _with_parts(called)


def _with_parts(called: set[Name]) -> set[Name]:
    """The kernels among `called`, and those that they are made of."""
    waiting, met = list(called), set(called)
    while waiting:
        module, name = waiting.pop()
        used = _used_by(module, name) if module.startswith(_KERNELS) else frozenset()
        waiting += used - met
        met |= used
    return {(module, name) for module, name in met if name in _source(module).kernels}


def is_stored(kernel: Name, folder: str) -> bool:
    """Whether the cache in `folder` has compiled variants of a kernel, see `stages.kernels.kernel_cache`."""
    module, name = kernel
    prefix = f"{module.rpartition('.')[2]}.{name}-"
    try:
        files = os.listdir(os.path.join(folder, module))
    except OSError:
        return False
    return any(file.startswith(prefix) and file.endswith(".nbi") for file in files)


def _path(module: str) -> Path | None:
    """The file of a module of ours."""
    base = _ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


class _Source:
    """What a module imports and defines.

    Attributes
    ----------
    imported : dict
        By the name it has here: module, and name there. All imports but those for type checkers.
    functions : dict
    kernels : set of str
        Compiled functions.
    """

    def __init__(self, module: str):
        path = _path(module)
        tree = ast.parse("" if path is None else path.read_text(encoding="utf-8"))
        is_package = path is not None and path.name == "__init__.py"
        package = module if is_package else module.rpartition(".")[0]
        self.imported: dict[str, Name] = {}
        for node in _nodes_that_run(tree):
            if isinstance(node, ast.ImportFrom):
                origin = resolve_name("." * node.level + (node.module or ""), package)
                self.imported |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names}
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.kernels = {
            name
            for name, node in self.functions.items()
            if any(isinstance(mark, ast.Name) and mark.id == _COMPILED for mark in node.decorator_list)
        }


@functools.cache
def _used_by(module: str, name: str) -> frozenset[Name]:
    """Functions of its module and imported names that a function names, or what an imported name stands for."""
    source = _source(module)
    if name not in source.functions:
        return frozenset({source.imported[name]} if name in source.imported else ())
    names = {node.id for node in ast.walk(source.functions[name]) if isinstance(node, ast.Name)}
    own = {(module, used) for used in names & source.functions.keys()}
    return frozenset(own | {source.imported[used] for used in names & source.imported.keys()})


@functools.cache
def _source(module: str) -> _Source:
    return _Source(module)


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers see."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        waiting += ast.iter_child_nodes(node)
