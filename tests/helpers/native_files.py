"""Extension modules with machine code of kernels, wherever they lie."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
from types import ModuleType


def file_name(level: str) -> str:
    """The name of the file with machine code for a level of processors."""
    return f"_native_{level}.abi3.so"


def loaded(path: str | os.PathLike[str]) -> ModuleType:
    """The extension module in a file."""
    name = os.path.basename(path).partition(".")[0]
    spec = importlib.util.spec_from_loader(name, importlib.machinery.ExtensionFileLoader(name, str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
