"""A binary heap of numbers in the first entries of an array.

The number of the largest value leaves first. Among equal values, the kernel ``is_before(context, a, b)`` decides
whether number `a` leaves before `b`. The functions are inlined: numba cannot cache a kernel that is passed a function
at run time.
"""

from __future__ import annotations

from .jit import borrowing, inlined


@borrowing
def is_lower(context, a, b):
    """An ``is_before`` by the numbers alone."""
    return a < b


@inlined
def push(heap, size, number, values, is_before, context):
    """Put a number on a heap of `size` numbers."""
    # It rises from the end while it comes before the one above.
    place, value = size, values[number]
    while place > 0:
        above = (place - 1) >> 1
        other = values[heap[above]]
        if value < other or (value == other and not is_before(context, number, heap[above])):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = number


@inlined
def pop(heap, size, values, is_before, context):
    """Take the first number from a heap of `size` numbers; it is at ``heap[size - 1]`` afterwards."""
    first, last = heap[0], heap[size - 1]
    value = values[last]
    # The last number fills the hole at the top and sinks.
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size - 1:
            break
        lower = values[heap[below]]
        # The heap has size - 1 numbers from here on: its last one is in hand.
        if below + 1 < size - 1:
            other = values[heap[below + 1]]
            if other > lower or (other == lower and is_before(context, heap[below + 1], heap[below])):
                below += 1
                lower = other
        if lower < value or (lower == value and not is_before(context, heap[below], last)):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last
    heap[size - 1] = first
    return first
