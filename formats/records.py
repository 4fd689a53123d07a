"""Candidate parent sets, networks, screening forests and entropies as frozen records over numpy arrays.

Stages take and return them. Scores and entropies are in nats (natural logarithm); higher scores are better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from .data_records import Variable
from .schemas import NETWORK_HEADER_KEYS
from .sets.listed_sets import ListedSets, offsets_of

LIMITS = ("max_parents", "require", "forbid", "allow", "tiers", "screen")
"""Options that rule out sets, whatever the method."""

LISTING_STAGES = ("parentsets", "optimize")
"""Commands that write candidate sets."""

OF_ONE_NETWORK = frozenset(key.name for key in NETWORK_HEADER_KEYS) - {"unscored", "screened"} | {"interrupted"}
"""Header keys that describe one network and its search; `unscored` and `screened` describe the sets from which the
network was chosen, too.
"""


@dataclass(frozen=True)
class Header:
    """The first line of a parent-set, network or forest file."""

    variables: tuple[Variable, ...]
    score: str = "unknown"
    """Name of the local score, of `schemas.SCORES`, or ``unknown`` (foreign files)."""
    rows: int | None = None
    """Number of data rows behind the scores, None where unknown."""
    data: str | None = None
    """Fingerprint of the data."""
    ess: float | None = None
    """Equivalent sample size; only with score ``bdeu``."""
    by: tuple[dict[str, Any], ...] = ()
    """The commands that made the file, oldest first: ``{"stage", "version", "options"}``."""
    created: str | None = None
    """ISO 8601 time."""
    extra: dict[str, Any] = field(default_factory=dict)
    """All other keys of the header line: keys of networks (``total``, ``method``, ...) and foreign ones."""
    lacks_isolated: bool = False
    """Whether a list of arcs was read; such a list names no variable without arcs
    (`graphs.structures.with_variables`).
    """

    @property
    def n_variables(self) -> int:
        return len(self.variables)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    @cached_property
    def limits(self) -> dict[str, Any] | None:
        """The `LIMITS` given to the command that listed the sets; None where unknown.

        A complete list is complete within these limits. Under a treewidth bound no set has more parents than the
        bound.
        """
        for entry in reversed(self.by):
            options = entry.get("options")
            if entry.get("stage") in LISTING_STAGES and isinstance(options, dict):
                limits = {name: options[name] for name in LIMITS if options.get(name) is not None}
                # A family is a clique of the moral graph: under treewidth K it has at most K parents.
                sizes = [options[k] for k in ("max_parents", "treewidth") if options.get(k) is not None]
                if not all(isinstance(size, int) for size in sizes):
                    return None
                return limits | ({"max_parents": min(sizes)} if sizes else {})
        return None


@dataclass(frozen=True, eq=False)
class ParentSetRecord:
    """The candidate parent sets of one child, best first; ties by fewer parents, then by indices."""

    child: int
    parents: ListedSets
    """A sequence of ascending tuples of indices."""
    scores: np.ndarray
    """float64: local scores in nats."""
    _: KW_ONLY
    required: tuple[int, ...] = ()
    """Parents that every listed set contains, ascending; the set of exactly these replaces the empty set."""
    evaluated: int | None = None
    """Exact local scores computed for this child."""
    fixed: bool = False
    """Whether the list holds only the set that the child must take."""
    complete: bool = False
    """Whether every non-dominated set within the limits is listed."""
    unlisted: float | None = None
    """Upper bound in nats on the score of any set that is neither listed nor dominated by a listed one."""
    left_out: float | None = None
    """With ``keep_mass``: upper bound on the weight of the omitted sets relative to the listed subset that replaces
    each, see `stages.parentsets.omitted_mass`."""
    extra: dict[str, Any] = field(default_factory=dict)
    """All other keys of the record."""

    @classmethod
    def of(cls, child: int, sets: Iterable[Sequence[int]], scores: Iterable[float], **facts: Any) -> ParentSetRecord:
        """The record of sets that are tuples; further arguments are its other fields."""
        return cls(child, ListedSets.of(sets), np.array(tuple(scores), dtype=np.float64), **facts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParentSetRecord) or not np.array_equal(self.scores, other.scores, equal_nan=True):
            return False
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.name != "scores")

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_cut_short(self) -> bool:
        """The search for this child ended early: by the user, the time limit or the memory limit."""
        return "interrupted" in self.extra or "ended" in self.extra

    @property
    def is_unsearched(self) -> bool:
        """The search ended before it began: the one set listed is the smallest that the child may take."""
        return self.is_cut_short and len(self.parents) == 1 and (self.evaluated or 0) <= 1


ESTIMATES = "estimates"
"""Key of ``extra`` of a record of explored sets, which are in the order of the search: estimates of the scores (BIC*,
by which independence selection chose the sets; float64, nats); NaN for sets that were not chosen by an estimate.
"""


@dataclass(frozen=True, eq=False)
class ParentSetTable:
    """All candidate parent sets of all variables in compressed arrays."""

    header: Header
    set_offsets: np.ndarray
    """int64, shape (n_variables + 1,): sets of child i are ``set_offsets[i]:set_offsets[i + 1]``, best first."""
    scores: np.ndarray
    """float64, shape (n_sets,): local scores in nats."""
    parent_offsets: np.ndarray
    """int64, shape (n_sets + 1,)."""
    parents: np.ndarray
    """int32: parents of set s are ``parents[parent_offsets[s]:parent_offsets[s + 1]]``, ascending."""
    fixed: np.ndarray
    complete: np.ndarray
    """`fixed`, `complete`: bool, shape (n_variables,)."""
    unlisted: np.ndarray
    left_out: np.ndarray
    """`unlisted`, `left_out`: float64, shape (n_variables,): as in `ParentSetRecord`; NaN where unknown."""
    n_cut_short: int = 0
    n_unsearched: int = 0
    """`n_cut_short`, `n_unsearched`: children whose search ended early, and children whose search had not begun."""
    notes: tuple[dict[str, Any], ...] = ()
    """The fields `evaluated` and `extra` of each child's record; none if the table was not made from records."""

    @property
    def n_variables(self) -> int:
        return len(self.set_offsets) - 1

    @property
    def n_sets(self) -> int:
        return len(self.scores)

    def parent_set(self, set_index: int) -> tuple[int, ...]:
        """Parents of one set as a tuple of ascending indices."""
        start, end = self.parent_offsets[set_index], self.parent_offsets[set_index + 1]
        return tuple(self.parents[start:end].tolist())

    def records(self) -> Iterator[ParentSetRecord]:
        """The records of a parent-set file, in variable order."""
        listed = ListedSets(self.parent_offsets, self.parents)
        for child in range(self.n_variables):
            start, end = int(self.set_offsets[child]), int(self.set_offsets[child + 1])
            bound, left_out = float(self.unlisted[child]), float(self.left_out[child])
            sets = listed.within(start, end)
            fixed = bool(self.fixed[child])
            yield ParentSetRecord(
                child,
                sets,
                self.scores[start:end],
                required=() if fixed or not sets else sets[int(np.argmin(sets.sizes))],
                fixed=fixed,
                complete=bool(self.complete[child]),
                unlisted=None if bound != bound else bound,
                left_out=None if left_out != left_out else left_out,
                **(self.notes[child] if self.notes else {}),
            )

    @classmethod
    def from_records(cls, header: Header, records: Iterable[ParentSetRecord]) -> ParentSetTable:
        """Pack records, at most one for each variable in any order, into arrays; the records are not checked.

        A variable without a record gets no sets.
        """
        by_child = {record.child: record for record in records}
        nothing = ParentSetRecord.of(0, (), ())
        ordered = [by_child.get(child, nothing) for child in range(header.n_variables)]
        counts = [len(record.parents) for record in ordered]
        sizes = np.concatenate([record.parents.sizes for record in ordered])

        def facts(name: str, kind: type) -> np.ndarray:
            return np.array([getattr(record, name) for record in ordered], dtype=kind)  # None becomes NaN

        return cls(
            header,
            offsets_of(counts),
            np.concatenate([record.scores for record in ordered]),
            offsets_of(sizes),
            np.concatenate([record.parents.members for record in ordered]),
            facts("fixed", np.bool_),
            facts("complete", np.bool_),
            facts("unlisted", np.float64),
            facts("left_out", np.float64),
            sum(record.is_cut_short for record in ordered),
            sum(record.is_unsearched for record in ordered),
            tuple({"evaluated": record.evaluated, "extra": record.extra} for record in ordered),
        )


@dataclass(frozen=True, eq=False)
class Parameters:
    """The probability tables of a network: all that inference needs to know of it."""

    variables: tuple[Variable, ...]
    """With known states."""
    parents: tuple[tuple[int, ...], ...]
    """Parents in the order of the table's axes (not necessarily ascending)."""
    tables: tuple[np.ndarray, ...]
    """float64: ``tables[i]`` has shape (states of parent 1, ..., states of parent k, states of variable i);
    the last axis sums to 1."""
    name: str = "unknown"
    """Name of the network in formats that have one."""


@dataclass(frozen=True, eq=False)
class NetworkRecord:
    """A directed acyclic graph: the parents chosen for every variable; and its parameters if they are known."""

    header: Header
    """``header.extra`` holds ``total``, ``method``, ``seed``, ``treewidth`` and other keys of networks."""
    parents: tuple[tuple[int, ...], ...]
    """Ascending parent indices of every variable."""
    scores: np.ndarray
    """float64, shape (n_variables,): local scores in nats; NaN where unknown (a network read from BIF or a graph
    file)."""
    parameters: Parameters | None = None
    """Of the same variables and arcs."""

    @property
    def n_variables(self) -> int:
        return len(self.parents)

    @property
    def n_arcs(self) -> int:
        return sum(map(len, self.parents))

    @property
    def certified_order(self) -> list[int] | None:
        """The elimination order of the certificate in the header, which readers check; None if there is none."""
        return (self.header.extra.get("treewidth") or {}).get("elimination")


@dataclass(frozen=True, eq=False)
class ScreeningForest:
    """A screening forest: the parent of every screened variable; roots do not occur.

    `parents` maps a child to its parents, several of them in a deterministic DAG only; `scores` maps a child to the
    local score of its family, if known.
    """

    header: Header
    parents: dict[int, tuple[int, ...]]
    scores: dict[int, float]


@dataclass(frozen=True, eq=False)
class EntropyTable:
    """Entropies of all variables and conditional entropies of all ordered pairs, in nats."""

    variables: tuple[Variable, ...]
    """States are None if only their number is known."""
    n_states: np.ndarray
    """int32, shape (n_variables,)."""
    entropy: np.ndarray
    """float64, shape (n_variables,)."""
    conditional: np.ndarray
    """float64, shape (n_variables, n_variables): entry [i, j] is H(X_i | X_j); the diagonal is 0."""
    rows: int
    """Rows of the data."""
    fingerprint: str
    """Of the data."""
    counted: np.ndarray | None = None
    """int64, shape (n_variables,): the rows in which each variable was not set, over which its entropies are; None if
    none was set.
    """

    @property
    def rows_of(self) -> np.ndarray:
        """Rows that the entropies of each variable are over, int64, shape (n_variables,)."""
        return np.full(len(self.variables), self.rows) if self.counted is None else self.counted
