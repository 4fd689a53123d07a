"""Long compiled calls in slices, between which a search looks at its budget."""

from __future__ import annotations

from collections.abc import Iterator

from .budgets import Budget


def slices(total: int, size: int, budget: Budget | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of consecutive slices of `total` items.

    Each has `size` items, at least 1; the last may have fewer. No slice begins once the budget is spent: a caller
    that must know whether all were made compares the last end with `total`.
    """
    for start in range(0, total, size):
        if budget is not None and budget.is_spent():
            return
        yield start, min(start + size, total)
