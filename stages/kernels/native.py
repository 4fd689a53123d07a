"""Machine code of kernels that was made in advance, and what numba has to know of kernels where it compiles.

``make native`` writes machine code of all kernels that Python calls into files beside this one, one for each level of
processors, best last by name; wheels bring them along. The best one that suits this processor is used if it was made
of the kernel sources that are here, and if no setting of numba asks for something else.
"""

import hashlib
import importlib
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
STAGES = os.path.dirname(FOLDER)

CHANGING = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DEBUGINFO",
    "NUMBA_DISABLE_INTEL_SVML",
    "NUMBA_DISABLE_JIT",
    "NUMBA_ENABLE_AVX",
    "NUMBA_LLVM_REFPRUNE_PASS",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_OPT",
    "NUMBA_SLP_VECTORIZE",
)
"""Settings of numba that change machine code."""

SETTING = next((name for name in CHANGING if os.environ.get(name)), None)
"""A setting of numba that machine code made in advance does not follow; None if there is none."""


def source_digest(stages):
    """Digest of all kernel sources: the files in folders named ``kernels`` below the folder `stages`."""
    digest = hashlib.sha256()
    for path in _kernel_sources(stages, False):
        digest.update(f"{path[len(stages) :]}\n".encode())
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def _kernel_sources(folder, is_kernels):
    """Paths in a fixed order. Every command asks for them: `glob` takes 4 ms longer."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir():
            yield from _kernel_sources(entry.path, is_kernels or entry.name == "kernels")
        elif is_kernels and entry.name.endswith(".py"):
            yield entry.path


def _is_whole(path):
    """Whether a file is not cut off: loading a part of one ends the process (SIGBUS).

    The table of sections comes last in an ELF file of 64 bits, least byte first, and its head says where that ends.
    """
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            return True  # of another kind: it loads or is refused
        if len(head) < 64:
            return False
        begin, size, count = (
            int.from_bytes(head[at : at + width], "little") for at, width in ((40, 8), (58, 2), (60, 2))
        )
        return os.fstat(file.fileno()).st_size >= begin + size * count


def _machine_code():
    """The extension module with machine code of these sources for this processor; None if there is none."""
    if SETTING is not None:
        return None
    for name in sorted(os.listdir(FOLDER), reverse=True):
        is_named = name.startswith("_native_") and name.endswith(".so")
        if not is_named or not _is_whole(os.path.join(FOLDER, name)):
            continue
        try:
            found = importlib.import_module(f"{__package__}.{name.partition('.')[0]}")
        except ImportError:  # for another processor, or this Python cannot load it
            continue
        if source_digest(STAGES) == found.DIGEST:
            return found
    return None


MACHINE_CODE = _machine_code()

KERNELS = {}
"""Options of numba by the plain function of each kernel."""

INSTRUCTIONS = []
"""Functions that compiled code replaces by an instruction of LLVM, its name and constants."""
