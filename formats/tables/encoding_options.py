"""Options for coding columns, and the treatment of each column that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..data_records import MAX_STATES, Variable
from .cuts.discretization import ColumnRule, Discretization, GivenCuts
from .labels import Marks
from .selection import matching_names

MAX_NUMERIC_STATES = 20
"""A numeric column with more distinct numbers than this is taken as continuous."""

MAX_SCALE_STATES = 10
"""Largest number of distinct whole numbers of a scale, such as 1 to 5, which a rule for all columns does not cut."""


@dataclass(frozen=True)
class EncodingOptions:
    """How labels become states."""

    missing: str = "error"
    """``error`` refuses missing cells, ``drop`` drops their rows, ``state`` makes them a state ``NA``, ``keep`` keeps
    them missing (`Dataset.is_hidden`)."""
    na: tuple[str, ...] = ()
    not_na: tuple[str, ...] = ()
    """`na`, `not_na`: spellings of missing cells besides those of `labels`, and those that are labels here."""
    discretize: tuple[ColumnRule, ...] = ()
    """Rules for numeric columns with many values."""
    categories: tuple[str, ...] = ()
    """Columns whose numbers are states, up to 256; they override rules of `discretize` for all columns."""
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    """`columns`, `drop`: the columns to read (all if empty), and columns not to read; see `selection`."""
    variables: tuple[Variable, ...] | None = None
    """Variables of a file header: columns are matched by name (by position if the table has no names and the names do
    not match), put in this order and coded by these states; further columns are ignored. Numbers are put into states
    that are intervals, which `discretize` and `categories` must agree with."""
    listed_in: str = "the header"
    """The words of messages for the file with these variables."""
    unseen: str = "error"
    """``error`` refuses labels that are not among the listed states, ``drop`` drops their rows, ``missing`` takes
    their cells as missing."""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """States of columns in their order, by a file that lists them; other columns have the levels of the table."""
    observed: bool = False
    """Whether declared states without rows are left out."""
    max_states: int | None = None
    """Most states of a column, up to 256; replaces the limits of 20 distinct numbers and 256 labels."""
    weights: str | None = None
    """Column of counts, which is no variable: the number of equal rows that each row stands for."""
    interventions: str | None = None
    """Column that names the variables that were set in each row; it is no variable."""
    free_bytes: int | None = None
    """Memory that these rows may take; no limit if None."""
    is_recodable: bool = False
    """Whether the data set keeps the table, so that some rows can decide its states (`data_records.Recoding`)."""

    def __post_init__(self):
        if self.missing not in ("error", "drop", "state", "keep"):
            raise ValueError(f"missing must be error, drop, state or keep, not {self.missing!r}")
        if self.unseen not in ("error", "drop", "missing"):
            raise ValueError(f"unseen must be error, drop or missing, not {self.unseen!r}")
        if self.max_states is not None and not 1 <= self.max_states <= MAX_STATES:
            raise ValueError(f"max_states must be from 1 to {MAX_STATES}, not {self.max_states}")

    @property
    def marks(self) -> Marks:
        """The texts of missing cells."""
        return Marks(self.na, self.not_na)

    @property
    def text_limit(self) -> int:
        """Most states of a column that is not numeric."""
        return self.max_states or MAX_STATES

    def number_limit(self, is_coded: bool) -> int:
        """Most distinct numbers of a column without a rule; columns of codes (`is_coded`) are never continuous."""
        return self.max_states or (MAX_STATES if is_coded else MAX_NUMERIC_STATES)

    def treatments(self, names: Sequence[str], is_coded: bool) -> dict[str, Treatment]:
        """The treatment of each column if it is numeric; of several rules for one column the last applies.

        Columns of codes (`is_coded`) are never taken as continuous.

        Raises `UnsuitableData`: a rule for a column that does not exist.
        """
        limit = self.number_limit(is_coded)
        general = [given.rule for given in self.discretize if given.columns is None]
        unnamed = Treatment.of(general[-1] if general else None, limit)
        if isinstance(unnamed.rule, Discretization):
            unnamed = unnamed._replace(n_scale=min(MAX_SCALE_STATES, unnamed.limit))
        treatment = dict.fromkeys(names, unnamed)
        for given in self.discretize:
            if given.columns is not None:
                for name in matching_names(given.columns, names, "--discretize"):
                    is_named = given.columns != "*"
                    treatment[name] = Treatment.of(given.rule, limit)._replace(
                        is_named=is_named, is_of_all=not is_named
                    )
        for pattern in self.categories:
            for name in matching_names(pattern, names, "--categories"):
                treatment[name] = Treatment(None, MAX_STATES, self.text_limit)
        return treatment


class Treatment(NamedTuple):
    """The treatment of a column if it is numeric."""

    rule: Discretization | GivenCuts | None
    n_kept: int
    """With at most this many distinct numbers it is never cut."""
    limit: int
    """Most distinct numbers of a column without a rule; with more it is refused as continuous."""
    n_scale: int = 0
    """With at most this many distinct numbers, all of them whole, it is not cut either."""
    is_named: bool = False
    """Whether the rule is for this column by its name, not by ``*``; it is then refused if a cell is no number."""
    is_of_all: bool = False
    """Whether it is for ``*``: all columns of a text file whose cells are numbers, however these are spelled."""

    @classmethod
    def of(cls, rule: Discretization | GivenCuts | None, limit: int) -> Treatment:
        """The treatment by a rule for columns of up to `limit` numbers."""
        return cls(rule, rule.n_kept, max(limit, rule.n_kept)) if rule else cls(None, MAX_STATES, limit)
