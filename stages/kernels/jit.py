"""The one way to compile: flags, and a cache directory that changes with the kernel sources.

numba's own cache does not notice a change in a helper that lives in another file. A directory named after a
digest of all kernel sources removes that trap. ``NUMBA_CACHE_DIR`` overrides it; see `kernel_cache`.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numba

from .kernel_cache import use_cache
from .machine_code import Kernel, assemble_late
from .reference_counts import KernelCompiler


def _source_digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_DIGEST = _source_digest()

if not os.environ.get("NUMBA_CACHE_DIR"):
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    numba.config.CACHE_DIR = os.path.join(base, "bnsl", f"kernels-{_DIGEST}")


_OPTIONS = {
    "nopython": True,
    "boundscheck": None,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}

ASSEMBLES_LATE = assemble_late()


def njit(function):
    """Decorator for every kernel: cached on disk, releases the interpreter lock, no fast-math, numpy error model."""
    return _kernel(function, _OPTIONS)


def inlined(function):
    """The same for functions so small that handing over their arrays would cost more than their work."""
    return _kernel(function, {**_OPTIONS, "inline": "always"})


def _kernel(function, options):
    if numba.config.DISABLE_JIT:
        return function
    if not ASSEMBLES_LATE:
        return use_cache(numba.jit(pipeline_class=KernelCompiler, **options)(function), _DIGEST)
    options = {**options, "no_cpython_wrapper": True}  # it is made when Python calls
    return use_cache(Kernel(function, targetoptions=options, pipeline_class=KernelCompiler), _DIGEST)
