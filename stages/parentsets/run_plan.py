"""Candidates of each child in a run, the estimated cost of its search, and the children of each shard."""

from __future__ import annotations

import heapq

import numpy as np

from formats.records import ScreeningForest
from stages.knowledge import Knowledge, check_screened
from stages.runtime.errors import InfeasibleError


class Plan:
    """The candidate parents of each child.

    `n_states` is int32, shape (n_variables,). Children of `forest` take their parents there; all others have
    candidates among its roots. Raises `InfeasibleError` if the forest contradicts the knowledge, or a child requires
    more parents than it may have.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        n_states: np.ndarray,
        max_parents: int | None = None,
        forest: ScreeningForest | None = None,
        knowledge: Knowledge | None = None,
    ):
        self.names = names
        self.n_states = n_states
        self.max_parents = len(names) if max_parents is None else max_parents
        self.knowledge = knowledge or Knowledge(names)
        self.screened = dict(forest.parents) if forest else {}
        self._is_root = np.ones(len(names), dtype=np.bool_)
        self._is_root[list(self.screened)] = False
        check_screened(self.knowledge, self.screened)
        for child, parents in self.knowledge.required.items():
            if len(parents) > self.max_parents:
                raise InfeasibleError(
                    f"{names[child]!r} has {len(parents)} required parents, more than --max-parents {max_parents}"
                )

    @property
    def n_variables(self) -> int:
        return len(self.names)

    def candidates(self, child: int) -> np.ndarray:
        """Variables that may be parents of `child` besides the required ones; int32, ascending."""
        allowed = self.knowledge.may_be_parent(child) & self._is_root
        allowed[list(self.knowledge.required_of(child))] = False
        return np.flatnonzero(allowed).astype(np.int32)

    def fixed_set(self, child: int) -> tuple[int, ...] | None:
        """The only set that `child` may take; None if there is a choice (or only the empty set)."""
        if child in self.screened:
            return self.screened[child]
        required = self.knowledge.required_of(child)
        if required and (len(required) == self.max_parents or not len(self.candidates(child))):
            return required
        return None

    def costs(self) -> np.ndarray:
        """Estimated cost of every child's search, float64: cells per configuration over its candidates.

        A scan of all candidates takes time proportional to it, and so do larger sets. Fixed children cost next to
        nothing.
        """
        more_states = np.maximum(self.n_states - 1, 0).astype(np.float64)
        knowledge = self.knowledge
        everyone = float(more_states[self._is_root].sum())
        costs = np.ones(self.n_variables)
        for child in range(self.n_variables):
            if self.fixed_set(child) is not None:
                continue
            if knowledge.limits_parents_of(child):
                others = float(more_states[self.candidates(child)].sum())
            else:
                others = everyone - float(more_states[child])
            costs[child] += float(self.n_states[child]) * others
        return costs

    def children_of_shard(self, shard: int, n_shards: int) -> list[int]:
        """Children of one of `n_shards` shards (counted from 1), ascending.

        In order of decreasing cost, each child goes to the shard with the least work: deterministic and balanced.
        """
        # Longest processing time first (Graham 1969); among equal loads the shard with the smaller number.
        costs = self.costs()
        loads = [(0.0, number) for number in range(1, n_shards + 1)]
        children = []
        for child in np.argsort(-costs, kind="stable").tolist():
            load, number = heapq.heappop(loads)
            if number == shard:
                children.append(child)
            heapq.heappush(loads, (load + float(costs[child]), number))
        return sorted(children)
