"""Words of messages that depend on counts. Imports nothing, so that every package may use it."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """``1 row``, ``2 rows``, ``1,000 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
