"""The nouns of the project: frozen records over numpy arrays that stages take and return.

No reading or writing here. Scores and entropies are in nats (natural logarithm), higher scores are better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .data_records import Variable

LIMITS = ("max_parents", "require", "forbid", "tiers", "screen")
"""Options that rule out sets, whatever the method."""

LISTING_STAGES = ("parentsets", "optimize")
"""Commands that write candidate sets."""


OF_ONE_NETWORK = frozenset(
    {"total", "method", "seed", "treewidth", "bound", "gap", "bound_relative_to", "interrupted", "strengths"}
    | {
        "init",
        "restarts",
        "orders",
        "ktrees",
        "unproved",
        "unproved_gap",
        "undecided_ktrees",
        "information",
        "decided",
        "undecided",
        "undecided_gap",
        "steps",
        "evaluations",
        "tests",
    }
    | {"scores_computed", "branches", "programmes"}
    | {"holes", "rounds", "imputation", "observed_score"}
    | {"replicate", "networks", "threshold", "agreement", "agreement_bound"}
)
"""Header keys that are about one network and the search that found it, not about the sets it was made of."""


@dataclass(frozen=True)
class Header:
    """What the first line of a parent-set, network or forest file says.

    Attributes
    ----------
    variables : tuple of Variable
    score : str
        Name of the local score: ``bic``, ``aic``, ``bdeu``, ``k2``, ``ll``, or ``unknown`` (foreign files).
    rows : int or None
        Number of data rows behind the scores, None where unknown.
    data : str or None
        Fingerprint of the data.
    ess : float or None
        Equivalent sample size; only with score ``bdeu``.
    by : tuple of dict
        The commands that made the file, oldest first: ``{"stage", "version", "options"}``.
    created : str or None
        ISO 8601 time.
    extra : dict
        Further keys of the header line, known ones of networks (``total``, ``method``, ...) and foreign ones.
    """

    variables: tuple[Variable, ...]
    score: str = "unknown"
    rows: int | None = None
    data: str | None = None
    ess: float | None = None
    by: tuple[dict[str, Any], ...] = ()
    created: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def n_variables(self) -> int:
        return len(self.variables)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    @cached_property
    def limits(self) -> dict[str, Any] | None:
        """Limits on candidate sets as the command that listed them recorded them; None where that is unknown.

        Of `LIMITS` those that were given: a list that is complete is so within these. Sets listed under a
        treewidth bound have no more parents than that.
        """
        for entry in reversed(self.by):
            options = entry.get("options")
            if entry.get("stage") in LISTING_STAGES and isinstance(options, dict):
                limits = {name: options[name] for name in LIMITS if options.get(name) is not None}
                sizes = [options[k] for k in ("max_parents", "treewidth") if options.get(k) is not None]
                if not all(isinstance(size, int) for size in sizes):
                    return None
                return limits | ({"max_parents": min(sizes)} if sizes else {})
        return None


@dataclass(frozen=True)
class ParentSetRecord:
    """The candidate parent sets of one child, best first; ties by fewer parents, then by indices.

    `parents` holds ascending index tuples, `scores` local scores in nats. A `fixed` record lists the one set
    that the child must take. `required` are parents that every listed set contains; the set of just these is then
    listed in place of the empty one. `complete`: every non-dominated set within the limits is listed; else `unlisted`
    is an upper bound on the score of any set not listed, where one is known. `left_out` of a list with ``keep_mass``:
    how much the sets left out weigh at most over the listed subset that each is replaced by, see
    `stages.parentsets.left_out`. `evaluated` counts the exact local scores computed for this child.
    """

    child: int
    parents: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]
    evaluated: int | None = None
    fixed: bool = False
    complete: bool = False
    unlisted: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    required: tuple[int, ...] = ()
    left_out: float | None = None

    @property
    def is_cut_short(self) -> bool:
        """The search for this child ended before its own end: by the user, the clock or for want of memory."""
        return "interrupted" in self.extra or "ended" in self.extra

    @property
    def is_unsearched(self) -> bool:
        """It ended before it began: the one set listed is the smallest that the child may take."""
        return self.is_cut_short and len(self.parents) == 1 and (self.evaluated or 0) <= 1


@dataclass(frozen=True, eq=False)
class ExploredSets:
    """Parent sets of one child in the order in which a search computed their scores.

    Attributes
    ----------
    child : int
    offsets : ndarray of int64, shape (n_sets + 1,)
    members : ndarray of int32
        Set s is ``members[offsets[s]:offsets[s + 1]]``, ascending.
    scores : ndarray of float64, shape (n_sets,)
        Exact local scores, nats.
    estimates : ndarray of float64, shape (n_sets,)
        BIC*, by which independence selection chose the set, nats; NaN for sets that were not chosen by an estimate.
    """

    child: int
    offsets: np.ndarray
    members: np.ndarray
    scores: np.ndarray
    estimates: np.ndarray


@dataclass(frozen=True, eq=False)
class ParentSetTable:
    """All candidate parent sets of all variables in compressed arrays.

    Attributes
    ----------
    header : Header
    set_offsets : ndarray of int64, shape (n_variables + 1,)
        Sets of child i are ``set_offsets[i]:set_offsets[i + 1]``, best first.
    scores : ndarray of float64, shape (n_sets,)
        Local scores in nats.
    parent_offsets : ndarray of int64, shape (n_sets + 1,)
        Parents of set s are ``parents[parent_offsets[s]:parent_offsets[s + 1]]``, ascending.
    parents : ndarray of int32
    fixed, complete : ndarray of bool, shape (n_variables,)
    unlisted : ndarray of float64, shape (n_variables,)
        Upper bound on the score of unlisted sets; NaN where unknown.
    left_out : ndarray of float64, shape (n_variables,)
        As in `ParentSetRecord`; NaN where unknown.
    n_cut_short, n_unsearched : int
        Children whose search ended early, and those for which it had not even begun.
    """

    header: Header
    set_offsets: np.ndarray
    scores: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    fixed: np.ndarray
    complete: np.ndarray
    unlisted: np.ndarray
    left_out: np.ndarray
    n_cut_short: int = 0
    n_unsearched: int = 0

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
        """The rows of a parent-set file, in variable order."""
        scores = self.scores.tolist()
        parents = self.parents.tolist()
        offsets = self.parent_offsets.tolist()
        for child in range(self.n_variables):
            start, end = int(self.set_offsets[child]), int(self.set_offsets[child + 1])
            bound, left_out = float(self.unlisted[child]), float(self.left_out[child])
            sets = tuple(tuple(parents[offsets[s] : offsets[s + 1]]) for s in range(start, end))
            fixed = bool(self.fixed[child])
            yield ParentSetRecord(
                child,
                sets,
                tuple(scores[start:end]),
                fixed=fixed,
                complete=bool(self.complete[child]),
                unlisted=None if bound != bound else bound,
                left_out=None if left_out != left_out else left_out,
                required=() if fixed or not sets else min(sets, key=len),
            )

    @classmethod
    def from_records(cls, header: Header, records: Iterable[ParentSetRecord]) -> ParentSetTable:
        """Pack records, one for each variable in any order, into arrays; `records` are taken as checked."""
        by_child = {record.child: record for record in records}
        ordered = [by_child[child] for child in range(header.n_variables)]
        sets = [parent_set for record in ordered for parent_set in record.parents]
        lengths = np.fromiter((len(s) for s in sets), dtype=np.int64, count=len(sets))
        counts = np.array([len(record.parents) for record in ordered], dtype=np.int64)
        return cls(
            header,
            np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            np.array([score for record in ordered for score in record.scores], dtype=np.float64),
            np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            np.array([p for s in sets for p in s], dtype=np.int32),
            np.array([record.fixed for record in ordered], dtype=np.bool_),
            np.array([record.complete for record in ordered], dtype=np.bool_),
            np.array([np.nan if r.unlisted is None else r.unlisted for r in ordered], dtype=np.float64),
            np.array([np.nan if r.left_out is None else r.left_out for r in ordered], dtype=np.float64),
            sum(record.is_cut_short for record in ordered),
            sum(record.is_unsearched for record in ordered),
        )


@dataclass(frozen=True, eq=False)
class Network:
    """A directed acyclic graph: the parents chosen for every variable.

    Attributes
    ----------
    header : Header
        ``header.extra`` carries ``total``, ``method``, ``seed``, ``treewidth`` and the like.
    parents : tuple of tuple of int
        Ascending parent indices of every variable.
    scores : ndarray of float64, shape (n_variables,)
        Local scores in nats; NaN where unknown (a network read from BIF or a graph file).
    """

    header: Header
    parents: tuple[tuple[int, ...], ...]
    scores: np.ndarray

    @property
    def n_variables(self) -> int:
        return len(self.parents)

    @property
    def n_arcs(self) -> int:
        return sum(map(len, self.parents))


@dataclass(frozen=True, eq=False)
class Forest:
    """A screening forest: the single parent of every screened variable; roots do not occur.

    `parents` maps child to parent, `scores` child to the family's local score where known (else absent).
    """

    header: Header
    parents: dict[int, int]
    scores: dict[int, float]


@dataclass(frozen=True, eq=False)
class EntropyTable:
    """Entropies of all variables and conditional entropies of all ordered pairs, in nats.

    Attributes
    ----------
    variables : tuple of Variable
        States are None where only their number is known.
    n_states : ndarray of int32, shape (n_variables,)
    entropy : ndarray of float64, shape (n_variables,)
    conditional : ndarray of float64, shape (n_variables, n_variables)
        Entry [i, j] is H(X_i | X_j); the diagonal is 0.
    rows : int
    fingerprint : str
    """

    variables: tuple[Variable, ...]
    n_states: np.ndarray
    entropy: np.ndarray
    conditional: np.ndarray
    rows: int
    fingerprint: str
