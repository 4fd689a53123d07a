"""The kernels of `helpers.sample_kernels`, built once for a level that this processor has."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from helpers import sample_kernels
from helpers.compiled import BY_NUMBA
from helpers.native_build import COMPILER
from helpers.native_files import file_name, loaded
from helpers.places import ROOT
from helpers.processes import run_python
from helpers.sample_kernels import examples

from stages.kernels.arguments import why_refused

MAKE = "import sys; from pathlib import Path; from helpers.sample_kernels import make; make(Path(sys.argv[1]))"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension modules and what numba's wrappers gave; made in another process, whose numba changes."""
    place = tmp_path_factory.mktemp("native")
    given = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "PATH": os.environ["PATH"], "CC": COMPILER, **BY_NUMBA}
    given["NUMBA_CACHE_DIR"] = str(place / "cache")
    run_python("-c", MAKE, str(place), cwd=place, env=given, is_fresh=True)
    return place


@pytest.fixture(scope="session")
def native(folder: Path) -> ModuleType:
    return loaded(folder / file_name("sample"))


@pytest.fixture
def kernels(native: ModuleType) -> SimpleNamespace:
    """The sample kernels by name."""
    functions = {name: getattr(sample_kernels, name).py_func for name in examples()}
    return SimpleNamespace(
        **{name: native.bind(f"{plain.__module__}.{name}", plain, why_refused) for name, plain in functions.items()}
    )
