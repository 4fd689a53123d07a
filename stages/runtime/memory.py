"""Memory: what the program takes, what the machine has free, and sizes as text."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

PROGRAM_BYTES = 240 << 20
"""Interpreter, libraries and kernels, where numba compiles them; measured."""

FREE_SHARE = 0.9
"""Share of the machine's free memory that may be taken where no limit is given."""


def free_bytes() -> int:
    """Free memory of the machine or of our control group, whichever is less; `sys.maxsize` where neither is known."""
    free = sys.maxsize
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) << 10
    with contextlib.suppress(OSError, ValueError):
        # Without a limit the file holds "max", which is no number.
        group = Path("/sys/fs/cgroup")
        free = min(free, int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    return max(0, free)


def taken_bytes() -> tuple[int, int]:
    """Memory of this process: now, and the most so far; the latter twice where only this is known."""
    with contextlib.suppress(OSError, KeyError):
        # `ru_maxrss` may be that of the process that started this one.
        lines = Path("/proc/self/status").read_text().splitlines()
        sizes = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS:", "VmHWM:"))}
        return int(sizes["VmRSS"]) << 10, int(sizes["VmHWM"]) << 10
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)
    return most, most


def format_bytes(size: float) -> str:
    """A size in the largest unit in which it is at least one: 870 MiB, 1.5 GiB."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
