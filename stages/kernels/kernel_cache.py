"""The cache of compiled kernels on disk, shared by all copies of the same sources; a fault in it costs time only.

numba's own cache depends on the path of a source file: a second copy of the program compiles everything again. Here
the name of the folder contains a digest of all kernel sources, so copies, virtual environments and images share one
folder, which may be read-only. Damaged files are compiled and stored anew; where nothing can be stored (a full disk,
no permission) kernels are compiled in each run.
"""

import contextlib

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator


class _Locator(_CacheLocator):
    """Files of a kernel, in the folder that `cache_folder` has checked; their names have its module and line."""

    def __init__(self, py_func, py_file):
        self._py_file = py_file
        self._module = py_func.__module__
        self._line = py_func.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_func, py_file)

    def get_cache_path(self):
        return numba.config.CACHE_DIR

    def get_source_stamp(self):
        return None  # the folder's name has the digest of the sources

    def get_disambiguator(self):
        return f"{self._module}.{self._line}"


class Compiled(CompileResultCacheImpl):
    """How a compiled kernel is stored."""

    _locator_classes = [_Locator]  # noqa: RUF012 (numba's name)


class KernelCache(FunctionCache):
    """The cache of one kernel: bitcode, and machine code if Python has called it."""

    _impl_class = Compiled

    def load_overload(self, sig, target_context):
        """The compiled kernel for these argument types; None if there is none or it cannot be read."""
        try:
            stored = super().load_overload(sig, target_context)
        except Exception:  # unpickling damaged bytes may raise anything
            with contextlib.suppress(OSError):
                self.flush()
            return None
        # numba numbers the files of a kernel. Two processes that store code for different types at the same time may
        # take the same number, and the index then leads to code for the types of the other.
        return stored if stored is not None and tuple(stored.signature.args) == tuple(sig) else None

    def save_overload(self, sig, data):
        """Store a compiled kernel if possible; bitcode alone does not replace machine code of another process."""
        with contextlib.suppress(Exception):
            stored = self._cache_file.load(self._index_key(sig, data.codegen))
            if stored is None or data.library.is_assembled:
                # Only people read the annotated source.
                super().save_overload(sig, data._replace(type_annotation=None))
