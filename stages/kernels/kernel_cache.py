"""The cache of compiled kernels on disk: one for all copies of the same sources, and never a reason to fail.

numba's own cache asks for the age and the place of a source file: a second copy of the program, or the same installed
once more, compiles everything again. Here a digest of all sources tells whether a file is current, so copies, virtual
environments and images share one folder, which may be read-only. What is damaged is compiled and stored anew; where
nothing can be stored (a full disk, no permission) kernels are compiled in each run.
"""

from __future__ import annotations

import contextlib
import os

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator


class _Locator(_CacheLocator):
    """Files of a kernel: in a folder named after its module."""

    stamp = ""

    def __init__(self, py_func, py_file):
        self._py_file = py_file
        self._module = py_func.__module__
        self._line = py_func.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_func, py_file)

    def get_cache_path(self):
        return os.path.join(numba.config.CACHE_DIR, self._module)

    def get_source_stamp(self):
        return self.stamp

    def get_disambiguator(self):
        return str(self._line)


class _Compiled(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (numba's name)


class _WayIn(_Compiled):
    """The same with a mark on the file names."""

    @property
    def filename_base(self):
        return f"{super().filename_base}.python"


class KernelCache(FunctionCache):
    """The cache of one kernel."""

    _impl_class = _Compiled

    def load_overload(self, sig, target_context):
        """The compiled kernel for these argument types; None where there is none or it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever damaged bytes do to unpickling
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        """Store it if that can be done."""
        with contextlib.suppress(OSError):
            super().save_overload(
                sig, data._replace(type_annotation=None)
            )  # the source with types: for readers


class WayInCache(KernelCache):
    """The cache of what Python calls: machine code of a kernel with all that it calls."""

    _impl_class = _WayIn

    def save_overload(self, sig, data):
        """Store it with all constants of its environment."""
        super().save_overload(sig, data._replace(environment=_Environment(data.environment)))


class _Environment:
    """Constants of a way in; numba forgets them where the kernel is known already as a part of another.

    The part has fewer: the types of arrays that are handed back to Python come after its own.
    """

    def __init__(self, environment):
        self._environment = environment

    def __reduce__(self):
        rebuild, arguments = self._environment.__reduce__()
        return _with_all_constants, (rebuild, *arguments)


def _with_all_constants(rebuild, module, constants, name):
    environment = rebuild(module, constants, name)
    environment.consts[:] = [*environment.consts, *constants[len(environment.consts) :]]
    return environment


def use_cache(kernel, stamp):
    """Give a kernel its cache.

    Parameters
    ----------
    kernel : numba dispatcher, or a plain function where nothing is compiled
    stamp : str
        Of all sources that it may be made of.
    """
    if hasattr(kernel, "enable_caching"):
        _Locator.stamp = stamp
        kernel._cache = KernelCache(kernel.py_func)
        kernel._ways_in = WayInCache(kernel.py_func)
    return kernel
