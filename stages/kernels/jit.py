"""How kernels are compiled: the options of numba, and a cache folder that changes with the kernel sources.

numba's own cache does not notice a change in a callee that lives in another file. A folder named after a digest of
all kernel sources avoids stale code. Kernels are assembled late (`machine_code`) if this numba has what that needs,
else compiled by plain numba.
"""

import contextlib
import hashlib
import os
from pathlib import Path

import llvmlite
import numba

from . import function_numbers, random_generators  # noqa: F401 (numba asks what is registered there)
from .cache_folder import cache_root, why_not_trusted
from .shipped import shipped_level

with contextlib.suppress(ImportError):
    # numba tries the kinds of indexing and of lengths in the order in which they were registered. Registered here,
    # arrays and tuples come before strings, lists and dictionaries, which took half of the time of type inference.
    from numba.core.typing import arraydecl  # noqa: F401

STAGES = Path(__file__).parents[1]


def source_digest(stages: Path) -> str:
    """Digest of the versions of numba and llvmlite and all kernel sources.

    Kernel sources are the files in folders named ``kernels`` below `stages`.
    """
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for path in sorted(stages.glob("**/kernels/**/*.py")):
        digest.update(f"{path.relative_to(stages)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_ROOT = cache_root(os.environ)
_NAME = f"kernels-{source_digest(STAGES)}"
numba.config.CACHE_DIR = os.path.join(_ROOT, _NAME)

NOT_CACHED = why_not_trusted(_ROOT, numba.config.CACHE_DIR)
if not function_numbers.start():
    NOT_CACHED = NOT_CACHED or "this numba may give the functions of two processes one name"
"""Why kernels are compiled in each run and kept in memory only; None if the cache on disk is used."""


def why_not_stored() -> str | None:
    """Why each run compiles its kernels anew; None if they can be stored."""
    if NOT_CACHED or os.access(numba.config.CACHE_DIR, os.W_OK | os.X_OK):
        return NOT_CACHED
    return f"{numba.config.CACHE_DIR} cannot be written"


_OPTIONS = {
    "nopython": True,
    "boundscheck": None,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": True,  # by default it would depend on the first caller that compiles the kernel
}


def _late_assembly():
    """The dispatcher of kernels that are assembled late; None if this numba lacks what it relies on."""
    try:
        from .machine_code import Kernel, install

        install()
    except (ImportError, AttributeError):
        return None
    return Kernel


KERNEL = None if numba.config.DISABLE_JIT else _late_assembly()
SHIPPED = shipped_level(_NAME, os.environ)
"""Folder and level of the machine code that came with the package and suits this processor; None if there is none."""


def njit(function):
    """Decorator for every kernel: cached on disk, releases the interpreter lock, no fast-math, numpy error model."""
    return _compiled(function, _OPTIONS)


def inlined(function):
    """`njit` for tiny functions whose many array arguments would cost more to pass than their work."""
    return _compiled(function, {**_OPTIONS, "inline": "always"})


def borrowing(function):
    """`njit` for functions that neither make nor return arrays: they do not count references to their arguments.

    Otherwise each array of a tuple would be counted, with two atomic instructions, at every call and use. The caller
    keeps the arrays alive. numba refuses to compile ``np.empty`` and the like here. A callee may make arrays for its
    own use but not return them, as nobody would free them.
    """
    return _compiled(function, {**_OPTIONS, "_nrt": False})


def _compiled(function, options):
    if KERNEL is None:
        # numba stores elsewhere what it cannot store in the folder given. Without compilation this is the function.
        return numba.jit(cache=why_not_stored() is None, **options)(function)
    kernel = KERNEL(function, targetoptions={**options, "no_cpython_wrapper": True})
    if SHIPPED is not None:
        kernel.use_shipped(*SHIPPED)
    if NOT_CACHED is None:
        kernel.enable_caching()
    return kernel
