"""Long compiled calls in slices, between which a search looks at its budget."""

from __future__ import annotations

from collections.abc import Iterator

from .budgets import Budget


def slices(total: int, size: int, budget: Budget | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of consecutive slices of `total` items.

    Parameters
    ----------
    size : int
        Items per slice, at least 1; the last slice may be shorter.
    budget : Budget, optional
        No slice begins once it is spent. A caller that must know whether all slices were made compares the last end
        with `total`.
    """
    for start in range(0, total, size):
        if budget is not None and budget.is_spent():
            return
        yield start, min(start + size, total)
