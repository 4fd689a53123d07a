"""Entries copied from one array into another."""

from __future__ import annotations

from .jit import njit


@njit
def copy_into(target, source):
    """Write `source` over the first entries of `target`; the two do not overlap.

    numba's ``target[:n] = source`` copies the source first, in case they do, and brings the wording of an error
    message about shapes into each kernel.
    """
    for k in range(len(source)):
        target[k] = source[k]
