"""The cache of compiled kernels on disk, shared by all copies of the same sources; a fault in it costs time only.

numba's own cache depends on the path of a source file: a second copy of the program compiles everything again. Here
the name of the folder contains a digest of all kernel sources, so copies, virtual environments and images share one
folder, which may be read-only. Each file begins with a checksum, since damaged machine code would end the process:
damaged files are compiled and stored anew. Where nothing can be stored (a full disk, no permission) kernels are
compiled in each run.
"""

import contextlib
import os
import pickle
import zlib
from pathlib import Path

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

CHECKSUM_BYTES = 4


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


class DamagedFileError(OSError):
    """Not the bytes that were written under this name; numba takes it for a file that was removed."""


def checksum_of(name: str, content: bytes | memoryview) -> bytes:
    """CRC-32 of a file and its name: code of another kernel is as harmful as damaged code.

    The checksum guards against accidents only. Whoever can write here can store any code (`cache_folder`).
    """
    return zlib.crc32(content, zlib.crc32(name.encode())).to_bytes(CHECKSUM_BYTES, "little")


def read_checked(path: str) -> memoryview:
    """The content of a file behind its checksum; raises `DamagedFileError` if the two do not agree."""
    stored = memoryview(Path(path).read_bytes())
    if stored[:CHECKSUM_BYTES] != checksum_of(os.path.basename(path), stored[CHECKSUM_BYTES:]):
        raise DamagedFileError(f"{path} is damaged")
    return stored[CHECKSUM_BYTES:]


class CheckedFiles(IndexDataCacheFile):
    """The files of one kernel: an index (types of arguments to file names), and one file for each entry."""

    def _load_index(self):
        try:
            return pickle.loads(read_checked(self._index_path))
        except (FileNotFoundError, DamagedFileError):
            return {}

    def _save_index(self, overloads):
        self._write(self._index_name, self._dump(overloads))

    def _load_data(self, name):
        return pickle.loads(read_checked(self._data_path(name)))

    def _save_data(self, name, data):
        self._write(name, self._dump(data))

    def _write(self, name, content):
        with self._open_for_write(self._data_path(name)) as file:
            file.write(checksum_of(name, content) + content)


class KernelCache(FunctionCache):
    """The cache of one kernel: bitcode, and machine code if Python has called it."""

    _impl_class = Compiled

    def __init__(self, py_func):
        super().__init__(py_func)
        self._cache_file = CheckedFiles(self._cache_path, self._impl.filename_base, None)

    def load_overload(self, sig, target_context):
        """The compiled kernel for these argument types; None if there is none or it cannot be read."""
        try:
            stored = super().load_overload(sig, target_context)
        except Exception:  # unpickling damaged bytes may raise anything
            with contextlib.suppress(OSError):
                self.flush()
            return None
        # numba numbers the files of a kernel. Two processes that store code for different types at the same time may
        # take the same number; the index of one then leads to the code of the other.
        return stored if stored is not None and tuple(stored.signature.args) == tuple(sig) else None

    def save_overload(self, sig, data):
        """Store a compiled kernel if possible; bitcode alone does not replace machine code of another process."""
        with contextlib.suppress(Exception):
            stored = self._cache_file.load(self._index_key(sig, data.codegen))
            if stored is None or data.library.is_assembled:
                # The annotated source serves readers only.
                super().save_overload(sig, data._replace(type_annotation=None))
