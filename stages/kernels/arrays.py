"""Copying of array entries, and look-up in ascending ones."""

from .jit import borrowing


@borrowing
def copy_into(target, source):
    """Copy `source` into the first entries of `target`, one dimension; the two must not overlap.

    numba's ``target[:n] = source`` makes a temporary copy, as the two may overlap, and compiles an error message
    about shapes into each kernel.
    """
    for k in range(len(source)):
        target[k] = source[k]


@borrowing
def first_not_below(values, low, high, value):
    """Position of the first of ``values[low:high]`` (ascending) that is at least `value`; `high` if there is none.

    ``np.searchsorted`` does the same, and takes 0.2 s of each first run for each type of array.
    """
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
