"""Probabilities of patterns of arcs: proportions of sampled networks, or ratios of exact sums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.graph_records import ArcPattern, ArcStatement
from formats.records import ParentSetTable
from stages.kernels.bits import empty_bit_matrix
from stages.kernels.posterior.relations import mark_ancestors
from stages.lists.set_lists import keep_in_table
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import Reporter

from . import PosteriorOptions
from .diagnostics import standard_errors
from .estimates import SLICE_WORK, share_sizes, thinned_after_stop
from .exact import log_weight
from .sampling import Samples

Arc = tuple[int, int]

MOST_ORIENTATIONS = 64
"""Maximum number of orientations of a pattern's edges; each takes one exact sum."""


class PatternProbability(NamedTuple):
    """Probability of a pattern; the error is 0 if it is exact."""

    pattern: str
    probability: float
    standard_error: float


def sampled_patterns(
    table: ParentSetTable,
    samples: Samples,
    patterns: Sequence[ArcPattern],
    ess: float,
    budget: Budget,
    reporter: Reporter,
) -> list[PatternProbability]:
    """Proportions of networks in which patterns hold.

    `ess` is the effective sample size for patterns that hold in all networks or in none.
    """
    has_paths = any(statement.relation == "~>" for pattern in patterns for statement in pattern.statements)
    sets = thinned_after_stop(samples, table.n_variables, budget) if has_paths else samples.sets
    holds = _Statements(table, sets, patterns, reporter)
    found = []
    for pattern in patterns:
        is_there = np.ones(sets.shape[:2], dtype=np.bool_)
        for statement in pattern.statements:
            is_there &= holds.of(statement)
        share = np.array([is_there.mean()])
        error = standard_errors(share, share_sizes(is_there[None], ess))
        found.append(PatternProbability(pattern.text, float(share[0]), float(error[0])))
    return found


class _Statements:
    """The networks in which statements hold; all paths are found in one pass over the networks."""

    def __init__(self, table: ParentSetTable, sets: np.ndarray, patterns: Sequence[ArcPattern], reporter: Reporter):
        self.table, self.sets = table, sets
        pairs = {(s.tail, s.head) for pattern in patterns for s in pattern.statements if s.relation == "~>"}
        self.paths = self._find_paths(sorted(pairs), reporter) if pairs else {}

    def of(self, statement: ArcStatement) -> np.ndarray:
        """Whether a statement holds; bool, shape (n_chains, n_draws)."""
        tail, head = statement.tail, statement.head
        if statement.relation == "~>":
            is_there = self.paths[tail, head]
        else:
            is_there = self._has_arc(tail, head)
            if statement.relation == "-":
                is_there = is_there | self._has_arc(head, tail)
        return ~is_there if statement.is_negated else is_there

    def _has_arc(self, parent: int, child: int) -> np.ndarray:
        first = int(self.table.set_offsets[child])
        has_parent = _sets_with(self.table, parent, child)
        return has_parent[self.sets[:, :, child] - first]

    def _find_paths(self, pairs: list[Arc], reporter: Reporter) -> dict[Arc, np.ndarray]:
        n_chains, n_draws, n = self.sets.shape
        networks = np.ascontiguousarray(self.sets.reshape(-1, n))
        is_above = np.zeros((len(pairs), len(networks)), dtype=np.bool_)
        related, place = empty_bit_matrix(n, n), 0
        while place < len(networks):
            place = mark_ancestors(
                networks, self.table.parent_offsets, self.table.parents, np.array(pairs), related, is_above,
                place, SLICE_WORK,
            )  # fmt: skip
            reporter.progress(place, len(networks), "networks searched for paths")
        return dict(zip(pairs, is_above.reshape(len(pairs), n_chains, n_draws)))


def _sets_with(table: ParentSetTable, parent: int, child: int) -> np.ndarray:
    """Which of a child's sets contain a parent; bool."""
    first, end = table.set_offsets[child], table.set_offsets[child + 1]
    return np.array([parent in table.parent_set(s) for s in range(first, end)])


def exact_patterns(
    table: ParentSetTable,
    patterns: Sequence[ArcPattern],
    options: PosteriorOptions,
    budget: Budget,
    reporter: Reporter,
) -> list[PatternProbability]:
    """Weights of the networks in which patterns hold, relative to the weight of all.

    Raises `StageError` if a pattern has too many undirected edges, or time ran out; `NothingFoundError` if the user
    asked to stop.
    """
    found = []
    whole = log_weight(table, options, budget, reporter)
    for number, pattern in enumerate(patterns):
        reporter.progress(number, len(patterns), "patterns")
        tables = [_restricted(table, arcs) for arcs in _orientations(pattern)]
        # Arcs demanded or forbidden are properties of single families, so restricted lists give exactly these
        # networks.
        weights = [log_weight(kept, options, budget, reporter) for kept in tables if kept is not None]
        found.append(PatternProbability(pattern.text, min(1.0, math.fsum(math.exp(w - whole) for w in weights)), 0.0))
    return found


def _orientations(pattern: ArcPattern) -> list[list[tuple[Arc, bool]]]:
    """Mutually exclusive lists of required (true) and forbidden (false) arcs whose union is the pattern."""
    choices: list[list[list[tuple[Arc, bool]]]] = []
    for statement in pattern.statements:
        arc, reverse = (statement.tail, statement.head), (statement.head, statement.tail)
        if statement.relation == "->":
            choices.append([[(arc, not statement.is_negated)]])
        elif statement.is_negated:
            choices.append([[(arc, False), (reverse, False)]])
        else:
            # No acyclic network has both directions, so the alternatives exclude each other.
            choices.append([[(arc, True)], [(reverse, True)]])
    if math.prod(map(len, choices)) > MOST_ORIENTATIONS:
        raise StageError(
            f"{pattern.text!r} has more than {MOST_ORIENTATIONS} orientations of its edges: use --sampled"
        )
    return [list(itertools.chain(*arcs)) for arcs in itertools.product(*choices)]


def _restricted(table: ParentSetTable, arcs: list[tuple[Arc, bool]]) -> ParentSetTable | None:
    """Lists without the sets that required and forbidden arcs exclude; None if a child has no set left."""
    is_kept = np.ones(table.n_sets, dtype=np.bool_)
    for (parent, child), is_wanted in arcs:
        sets = slice(int(table.set_offsets[child]), int(table.set_offsets[child + 1]))
        is_kept[sets] &= _sets_with(table, parent, child) == is_wanted
        if not is_kept[sets].any():
            return None
    return keep_in_table(table, np.flatnonzero(is_kept))
