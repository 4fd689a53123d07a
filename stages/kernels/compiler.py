"""numba's side of kernels: settings, a cache folder that changes with the kernel sources, and dispatchers.

numba's own cache does not notice a change in a callee that lives in another file. A folder named after a digest of
all kernel sources avoids stale code. Kernels are assembled late (`machine_code`) if this numba has what that needs,
else compiled by plain numba.
"""

# Imported where needed, since loading takes time: machine_code
import contextlib
import functools
import os
import sys

from .compiler_settings import check_compiler_settings

if "numba" not in sys.modules:
    check_compiler_settings()  # numba reads all settings when it is loaded

import llvmlite
import numba
from numba.core import types
from numba.extending import intrinsic, overload, typeof_impl

from . import function_numbers, random_generators  # noqa: F401 (numba asks what is registered there)
from .cache_folder import cache_root, why_not_trusted
from .native import INSTRUCTIONS, KERNELS, MACHINE_CODE, STAGES, source_digest

with contextlib.suppress(ImportError):
    # numba tries the kinds of indexing and of lengths in the order in which they were registered. Registered here,
    # arrays and tuples come before strings, lists and dictionaries, which took half of the time of type inference.
    from numba.core.typing import arraydecl  # noqa: F401

_ROOT = cache_root(os.environ)
_VERSIONS = f"{numba.__version__}-{llvmlite.__version__}"
numba.config.CACHE_DIR = os.path.join(_ROOT, f"kernels-{source_digest(STAGES)}-{_VERSIONS}")

NOT_CACHED = why_not_trusted(_ROOT, numba.config.CACHE_DIR)
if not function_numbers.start():
    NOT_CACHED = NOT_CACHED or "this numba may give the functions of two processes one name"
"""Why kernels are compiled in each run and kept in memory only; None if the cache on disk is used."""


def _late_assembly():
    """The dispatcher of kernels that are assembled late; None if this numba lacks what it relies on."""
    try:
        from .machine_code import Kernel, install

        install()
    except (ImportError, AttributeError):
        return None
    return Kernel


KERNEL = _late_assembly()


@functools.cache
def dispatcher_of(function):
    """What numba calls a kernel by, given as its plain function."""
    while INSTRUCTIONS:
        _teach(*INSTRUCTIONS.pop())
    options = KERNELS[function]
    if KERNEL is None:
        # numba stores elsewhere what it cannot store in the folder given.
        is_stored = NOT_CACHED is None and os.access(numba.config.CACHE_DIR, os.W_OK | os.X_OK)
        return numba.jit(cache=is_stored, **options)(function)
    kernel = KERNEL(function, targetoptions={**options, "no_cpython_wrapper": True})
    if NOT_CACHED is None:
        kernel.enable_caching()
    return kernel


def _teach(function, name, constants):
    """Make numba replace calls of a function by an instruction."""

    @intrinsic
    def emitted(typing_context, word):
        def generate(context, builder, signature, arguments):
            operands = [context.get_constant(types.boolean, constant) for constant in constants]
            return getattr(builder, name)(arguments[0], *operands)

        return types.uint64(types.uint64), generate

    overload(function, jit_options={"_nrt": False})(lambda word: lambda word: emitted(word))


if MACHINE_CODE is not None:
    # To their callers kernels are what numba compiles.
    typeof_impl.register(MACHINE_CODE.Kernel)(
        lambda kernel, _context: types.Dispatcher(dispatcher_of(kernel.py_func))
    )
