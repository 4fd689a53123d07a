"""Memory that was freed and that the C library keeps for later: back to the system."""

from __future__ import annotations

import contextlib
import ctypes


def return_freed() -> None:
    """Return freed memory to the system, where the C library is glibc.

    Thousands of freed arrays of less than 32 MB stay in its heap, and memory behind them is not used for larger ones.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
