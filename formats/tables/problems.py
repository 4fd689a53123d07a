"""Reasons why a table is refused: all offending columns at once, and what to do about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..data_records import MAX_STATES
from ..errors import UnsuitableData
from ..wording import listed, plural
from .labels import MISSING_STATE
from .selection import drop_option
from .suspicions import LabelKind

_MOST_DROPPED = 200
"""Largest number of offending columns for which the option that leaves them out is printed."""


class Problem(NamedTuple):
    """The reason why a table is refused, what to do about it, and the columns it is about."""

    message: str
    remedy: str
    columns: tuple[str, ...]


def missing_problem(counts: Mapping[str, int], n_affected: int, n_rows: int) -> Problem:
    """The problem of columns with missing cells: `counts` by column, in `n_affected` of the rows."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return Problem(
        f"missing cells in {plural(len(counts), 'column')}: {listed(f'{name!r} ({n})' for name, n in ordered)}",
        f"use --missing drop to leave out {n_affected} of {n_rows} rows, "
        f"or --missing state to make missing cells a state {MISSING_STATE!r}",
        tuple(counts),
    )


def continuous_problem(columns: Sequence[tuple[str, int]]) -> Problem:
    """The problem of numeric columns with these numbers of distinct values."""
    listing = listed(f"{name!r} ({count})" for name, count in columns)
    return Problem(
        f"{plural(len(columns), 'continuous column')} (distinct numbers): {listing}",
        "use --discretize median|quantile:K|width:K|hartemink:K (or bnsl discretize), or take up to N numbers as "
        f"states by --max-states N or --categories NAME (at most {MAX_STATES})",
        tuple(name for name, _ in columns),
    )


def numerous_problem(columns: Sequence[tuple[str, int, LabelKind | None]], limit: int) -> Problem:
    """The problem of columns with these numbers of labels, and what is known about the labels."""
    listing = listed(f"{name!r} ({count}{f', {kind.finding}' if kind else ''})" for name, count, kind in columns)
    hint = f"the limit is {limit} states" if limit == MAX_STATES else f"--max-states is {limit}"
    remedies = dict.fromkeys(kind.remedy if kind else "group the labels" for _, _, kind in columns)
    return Problem(
        f"too many states in {plural(len(columns), 'column')}: {listing}",
        f"{hint}: {', '.join(remedies)}",
        tuple(name for name, _, _ in columns),
    )


def raise_problems(problems: Sequence[Problem], names: Sequence[str]) -> None:
    """Raise one `UnsuitableData` for all problems of a table, if there are any.

    `names` are the columns that may be left out, in their order, the offending ones among them.
    """
    if not problems:
        return
    remedies = [problem.remedy for problem in problems]
    offending = {name for problem in problems for name in problem.columns}
    if len(offending) < len(names) and len(offending) <= _MOST_DROPPED:
        which = "it" if len(offending) == 1 else "them"
        remedies.append(f"or leave {which} out: {drop_option(name for name in names if name in offending)}")
    raise UnsuitableData("; ".join(p.message for p in problems), remedy="; ".join(remedies))
