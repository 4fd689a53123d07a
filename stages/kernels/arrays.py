"""Copying of array entries."""

from .jit import borrowing


@borrowing
def copy_into(target, source):
    """Copy `source` into the first entries of `target`, one dimension; the two must not overlap.

    numba's ``target[:n] = source`` makes a temporary copy, as the two may overlap, and compiles an error message
    about shapes into each kernel.
    """
    for k in range(len(source)):
        target[k] = source[k]
