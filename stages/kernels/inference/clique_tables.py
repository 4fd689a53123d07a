"""Tables of cliques: spread, multiplied and summed along their axes.

The `n_rows` values of a cell are adjacent. Neighbouring axes along which a factor moves by one stride are joined, so
that inner loops are long.
"""

import numpy as np

from ..jit import njit


@njit
def join_axes(sizes, strides, runs):
    """Join neighbouring axes along which a factor moves by one stride.

    `sizes`, `strides`: int64, shape (axes,). `runs` (int64, shape (3, at least axes)) is the output: sizes, strides,
    and digits for `next_offset`, all 0. Returns the number of joined axes, at least one.
    """
    n_runs = 0
    for axis in range(len(sizes)):
        if sizes[axis] == 1:
            continue
        if n_runs and runs[1, n_runs - 1] == sizes[axis] * strides[axis]:
            runs[0, n_runs - 1] *= sizes[axis]
            runs[1, n_runs - 1] = strides[axis]
        else:
            runs[0, n_runs], runs[1, n_runs], runs[2, n_runs] = sizes[axis], strides[axis], 0
            n_runs += 1
    if n_runs == 0:
        runs[0, 0], runs[1, 0], runs[2, 0] = 1, 0, 0
    return max(n_runs, 1)


@njit
def next_offset(sizes, strides, axis, digits, offset):
    """Advance the states of a clique's axes by one, like an odometer.

    Returns the offset of the next states; after the last ones, of the first.

    Parameters
    ----------
    sizes, strides : ndarray of int64, shape (axes,)
        Numbers of states, and strides of a factor.
    axis : int
        The fastest axis; later ones do not change.
    digits : ndarray of int64
        State of each axis; updated in place.
    offset : int
        Offset of these states in the factor.
    """
    while axis >= 0:
        digits[axis] += 1
        offset += strides[axis]
        if digits[axis] < sizes[axis]:
            break
        # Carry: this axis starts again, the one before advances.
        offset -= digits[axis] * strides[axis]
        digits[axis] = 0
        axis -= 1
    return offset


@njit
def multiply(runs, values, bases, is_message, table):
    """Multiply a table by a factor, whose value for a cell is at ``bases[row]`` plus the offset of the cell.

    Along the last of the joined axes, the inner loop, the offset moves by a constant stride.
    """
    n_axes, n_rows = runs.shape[1], len(bases)
    if n_rows == 1:
        _multiply_one_row(runs, values, bases[0], table)
        return
    sizes, strides, digits = runs[0], runs[1], runs[2]
    n_cells = len(table) // n_rows
    n_last, last = sizes[n_axes - 1], strides[n_axes - 1]
    offset, cell = np.int64(0), np.int64(0)
    while cell < n_cells:
        # A message has its own value for each row, side by side; a family table serves all rows, and a row's observed
        # states say where it begins.
        if is_message:
            for state in range(n_last):
                here = (cell + state) * n_rows
                there = (bases[0] + offset + state * last) * n_rows
                for r in range(n_rows):
                    table[here + r] *= values[there + r]
        else:
            for state in range(n_last):
                here, shift = (cell + state) * n_rows, offset + state * last
                for r in range(n_rows):
                    table[here + r] *= values[bases[r] + shift]
        cell += n_last
        offset = next_offset(sizes, strides, n_axes - 2, digits, offset)


@njit
def _multiply_one_row(runs, values, base, table):
    """As `multiply` for one row, where messages and family tables are addressed alike.

    The last two joined axes are plain loops: axes are short, and an odometer that moves for each of them is slow.
    """
    n_axes = runs.shape[1]
    sizes, strides, digits = runs[0], runs[1], runs[2]
    n_last, last = sizes[n_axes - 1], strides[n_axes - 1]
    n_middle, middle = np.int64(1), np.int64(0)
    if n_axes > 1:
        n_middle, middle = sizes[n_axes - 2], strides[n_axes - 2]
    offset, cell = base, np.int64(0)
    while cell < len(table):
        here = offset
        for _ in range(n_middle):
            if last == 0:
                value = values[here]
                for state in range(n_last):
                    table[cell + state] *= value
            elif last == 1:
                for state in range(n_last):
                    table[cell + state] *= values[here + state]
            else:
                for state in range(n_last):
                    table[cell + state] *= values[here + state * last]
            cell += n_last
            here += middle
        offset = next_offset(sizes, strides, n_axes - 3, digits, offset)


@njit
def repeat_cells(table, n_filled, n_copies, n_rows):
    """Spread the first `n_filled` cells of a table over further axes, in place: each becomes `n_copies` cells."""
    if n_copies == 1:
        return
    # From the end, so that no cell is overwritten before it is read.
    for cell in range(n_filled - 1, -1, -1):
        first = cell * n_copies
        if n_rows == 1:
            value = table[cell]
            for copy in range(n_copies):
                table[first + copy] = value
        else:
            for copy in range(n_copies - 1, -1, -1):
                for r in range(n_rows):
                    table[(first + copy) * n_rows + r] = table[cell * n_rows + r]


@njit
def sum_trailing(table, n_kept, n_rows, is_max, message):
    """Sums, or maxima, over runs of consecutive cells: the separator's axes come first.

    `message` may be the beginning of `table`.
    """
    n_summed = len(table) // (n_kept * n_rows)
    for kept in range(n_kept):
        first, there = kept * n_summed * n_rows, kept * n_rows
        if n_rows == 1:
            run = table[first : first + n_summed]
            message[kept] = run.max() if is_max else sum_numbers(run)
            continue
        for r in range(n_rows):
            message[there + r] = table[first + r]
        for here in range(first + n_rows, first + n_summed * n_rows, n_rows):
            if is_max:
                for r in range(n_rows):
                    message[there + r] = max(message[there + r], table[here + r])
            else:
                for r in range(n_rows):
                    message[there + r] += table[here + r]


@njit
def marginalise(runs, n_rows, table, target):
    """Add each cell of a clique's table to the cell of the same states in a factor; `runs` is from `join_axes`."""
    n_axes = runs.shape[1]
    sizes, strides, digits = runs[0], runs[1], runs[2]
    n_last, last = sizes[n_axes - 1], strides[n_axes - 1]
    offset = np.int64(0)
    for start in range(0, len(table) // n_rows, n_last):
        if n_rows > 1:
            for state in range(n_last):
                here, there = (start + state) * n_rows, (offset + state * last) * n_rows
                for r in range(n_rows):
                    target[there + r] += table[here + r]
        elif last == 0:
            target[offset] += sum_numbers(table[start : start + n_last])
        elif last == 1:
            target[offset : offset + n_last] += table[start : start + n_last]
        else:
            for state in range(n_last):
                target[offset + state * last] += table[start + state]
        offset = next_offset(sizes, strides, n_axes - 2, digits, offset)


@njit
def sum_leading(table, n_kept, n_rows, runs, sums):
    """Sum out the leading axes of a table: the first `n_kept` cells of `sums` become what is left."""
    runs[0, 0], runs[0, 1] = len(table) // (n_kept * n_rows), n_kept
    runs[1, 0], runs[1, 1] = 0, 1
    runs[2, 0], runs[2, 1] = 0, 0
    sums[: n_kept * n_rows] = 0.0
    marginalise(runs, n_rows, table, sums)


@njit
def sum_numbers(values):
    """Sum of numbers, in four partial sums that the processor adds side by side."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    n_whole = len(values) - len(values) % 4
    for i in range(0, n_whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    for i in range(n_whole, len(values)):
        a += values[i]
    return (a + b) + (c + d)
