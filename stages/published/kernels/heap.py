"""A binary heap of numbers in the first entries of an array, for best-first searches.

``is_before(context, a, b)`` is a kernel: whether number `a` leaves the heap before `b`. The functions are inlined, as
a kernel that is passed a function at run time cannot be cached.
"""

from __future__ import annotations

from stages.kernels.jit import inlined


@inlined
def push(heap, size, number, is_before, context):
    """Put a number on a heap of `size` numbers."""
    # It rises from the end while it comes before the one above.
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if not is_before(context, number, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = number


@inlined
def pop(heap, size, is_before, context):
    """Take the first number from a heap of `size` numbers; it stands behind the others then, ``heap[size - 1]``."""
    first, last = heap[0], heap[size - 1]
    # The last number fills the hole at the top and sinks.
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size - 1:
            break
        # The heap has size - 1 numbers from here on: its last one is in hand.
        if below + 1 < size - 1 and is_before(context, heap[below + 1], heap[below]):
            below += 1
        if not is_before(context, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last
    heap[size - 1] = first
    return first
