"""Machine code shipped in a wheel: a read-only folder beside the code for each level of processor.

``make wheel`` fills it (``tests/tools/kernel_wheel.py``). It is used for kernels called from Python, if it was made
with the same sources, numba, llvmlite and Python; missing kernels are compiled as in a checkout. It is trusted like
the modules beside it: whoever can write to the folder can write to the modules.
"""

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from numba.core.caching import FunctionCache

from .kernel_cache import CheckedFiles, Compiled

FOLDER = Path(__file__).parent / "compiled"


class ProcessorLevel(NamedTuple):
    """A kind of processor for which machine code is shipped."""

    processor: str  # LLVM's name of the processor, also the name of the folder
    features: str  # further features, as numba's NUMBA_CPU_FEATURES has them
    needed: frozenset[str]  # all features that a processor must have


_OF_V3 = frozenset(
    ["avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.1", "sse4.2", "ssse3"]
)
_OF_V4 = _OF_V3 | frozenset(["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"])
_COUNTING = ("avx512bitalg", "avx512vpopcntdq")  # counts bits in vectors: saves 10 % of the time of scoring
LEVELS: dict[str, tuple[ProcessorLevel, ...]] = {
    "x86_64": (
        ProcessorLevel(
            processor="x86-64-v4",
            features=",".join(f"+{feature}" for feature in _COUNTING),
            needed=_OF_V4.union(_COUNTING),
        ),
        ProcessorLevel(processor="x86-64-v3", features="", needed=_OF_V3),
    ),
    "aarch64": (ProcessorLevel(processor="generic", features="", needed=frozenset()),),
}
"""Levels by machine, best first."""

HARMLESS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")
"""Settings of numba that do not change machine code."""


def levels_here() -> list[ProcessorLevel]:
    """Levels that this processor can run, best first."""
    from llvmlite.binding import get_host_cpu_features

    present = {name for name, is_there in get_host_cpu_features().items() if is_there}
    return [level for level in LEVELS.get(platform.machine(), ()) if level.needed <= present]


def shipped_level(
    name: str, environment: Mapping[str, str], above: Path = FOLDER
) -> tuple[Path, ProcessorLevel] | None:
    """Folder and level of the best shipped code that this processor can run; None if there is none, or if settings of
    numba would change machine code.

    `name` is a folder below `above`, with a folder for each level; the digest in `name` stands for sources and
    versions.
    """
    root = above / name
    if not root.is_dir() or any(name.startswith("NUMBA_") and name not in HARMLESS for name in environment):
        return None
    for level in levels_here():
        if (root / level.processor).is_dir():
            return root / level.processor, level
    return None


class ShippedKernel(FunctionCache):
    """The machine code of one kernel."""

    _impl_class = Compiled

    def __init__(self, py_func, folder: Path, level: ProcessorLevel):
        self._level = level
        super().__init__(py_func)
        self._cache_file = CheckedFiles(str(folder), self._impl.filename_base, None)

    def _index_key(self, sig, codegen):
        types, (triple, *_), hashes = super()._index_key(sig, codegen)
        return types, (triple, self._level.processor, self._level.features), hashes

    def load_overload(self, sig, target_context):
        """The compiled kernel for these argument types; None if there is none or it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling damaged bytes may raise anything
            return None
