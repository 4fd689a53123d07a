"""How kernels run: machine code that was made in advance (`native`), else what numba compiles.

With machine code numba is not imported, unless Python calls a kernel that only kernels call, as tests do. Without it
(a checkout, other machines) numba compiles each kernel when it is first called, see `compiler`.
"""

# Imported where needed, since loading takes time: compiler
import os
from functools import cached_property, update_wrapper

from ..runtime.errors import StageError
from .arguments import why_refused
from .native import INSTRUCTIONS, KERNELS, MACHINE_CODE, SETTING

IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels run as plain Python."""


OPTIONS = {
    "nopython": True,
    "boundscheck": None,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": True,  # by default it would depend on the first caller that compiles the kernel
}


def njit(function):
    """Decorator for every kernel: cached on disk, releases the interpreter lock, no fast-math, numpy error model."""
    return _kernel(function, OPTIONS)


def inlined(function):
    """`njit` for tiny functions whose many array arguments would cost more to pass than their work."""
    return _kernel(function, {**OPTIONS, "inline": "always"})


def borrowing(function):
    """`njit` for functions that neither make nor return arrays: they do not count references to their arguments.

    Otherwise each array of a tuple would be counted, with two atomic instructions, at every call and use. The caller
    keeps the arrays alive. numba refuses to compile ``np.empty`` and the like here. A callee may make arrays for its
    own use but not return them, as nobody would free them.
    """
    return _kernel(function, {**OPTIONS, "_nrt": False})


def instruction(name, *constants):
    """Decorator for a function of a uint64 that LLVM has an instruction for, with further boolean operands."""

    def replace(function):
        INSTRUCTIONS.append((function, name, constants))
        return function

    return replace


def _kernel(function, options):
    if IS_PLAIN:
        return function
    KERNELS[function] = options
    if MACHINE_CODE is None:
        return _compiled(function)
    kernel = MACHINE_CODE.bind(f"{function.__module__}.{function.__qualname__}", function, why_refused)
    return kernel or CalledByKernels(function)


def _compiled(function):
    """numba's dispatcher of a kernel. Raises `StageError` if numba is not installed."""
    try:
        from .compiler import dispatcher_of
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        why, remedy = (
            "there is no machine code of these sources for this processor and this Python",
            "reinstall bnsl-cli",
        )
        if SETTING:
            why, remedy = f"{SETTING} is set", "unset it"
        raise StageError(
            f"{why}, and numba, which compiles kernels, is missing: {remedy}, or pip install numba"
        ) from None
    return dispatcher_of(function)


class CalledByKernels:
    """A kernel that machine code has within its callers only: numba compiles it if Python calls it."""

    def __init__(self, function):
        self.py_func = function
        update_wrapper(self, function)

    @cached_property
    def _dispatcher(self):
        return _compiled(self.py_func)

    def __call__(self, *arguments, **keywords):
        return self._dispatcher(*arguments, **keywords)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_dispatcher":
            raise AttributeError(name)
        return getattr(self._dispatcher, name)

    def __reduce__(self):
        return self.py_func.__qualname__
