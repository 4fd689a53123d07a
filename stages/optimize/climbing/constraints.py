"""The arcs that a search may use: required and forbidden arcs, candidate pairs, the number of parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from stages.graphs import behind_cycles
from stages.knowledge import Knowledge
from stages.runtime.errors import InfeasibleError
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..result import Parents


@dataclass(frozen=True, eq=False)
class Constraints:
    """Arcs that may be added and arcs that must stay."""

    permitted: np.ndarray  # uint64, shape (n_variables, n_words): row x has the possible parents of x
    fixed: np.ndarray  # uint64, shape (n_variables, n_words): row x has the parents that x must keep
    required: frozenset[tuple[int, int]]  # the user's arcs as (parent, child)
    knowledge: Knowledge  # the user's constraints, by child
    max_parents: int

    def may_be_parents(self, child: int) -> np.ndarray:
        """Mask of the variables that may or must be parents of `child`; bool, with at least n_variables entries."""
        possible = self.permitted[child] | self.fixed[child]
        return np.unpackbits(possible.view(np.uint8), bitorder="little").view(np.bool_)

    def candidates(self, child: int) -> np.ndarray:
        """The variables that may or must be parents of `child`; int32, ascending."""
        return np.flatnonzero(self.may_be_parents(child)).astype(np.int32)


def make_constraints(
    scorer: FamilyScorer, options: OptimizeOptions, candidates: Sequence[Iterable[int]] | None = None
) -> Constraints:
    """Constraints of a run.

    Constant variables get no arcs: nothing depends on them. `candidates` restricts the possible parents of every
    child (MMHC); by default all other variables are possible.
    """
    n = scorer.n_variables
    varies = scorer.n_states > 1
    knowledge = options.knowledge or Knowledge(scorer.dataset.names)
    n_words = -(-n // 64)
    # By default all other non-constant variables; children with further constraints are treated one by one.
    permitted = np.where(varies[:, None], _to_words(varies, n_words), np.uint64(0))
    every = np.arange(n)
    permitted[every, every // 64] &= ~(np.uint64(1) << (every % 64).astype(np.uint64))
    fixed = np.zeros((n, n_words), dtype=np.uint64)
    for child in range(n):
        if not varies[child] or (candidates is None and not knowledge.limits_parents_of(child)):
            continue
        allowed = varies & knowledge.may_be_parent(child)
        if candidates is not None:
            allowed &= _mask(candidates[child], n)
        permitted[child] = _to_words(allowed, n_words)
    for child, kept in knowledge.required.items():
        fixed[child] = _to_words(_mask(kept, n), n_words)
    largest = n if options.max_parents is None else options.max_parents
    return Constraints(permitted, fixed, frozenset(knowledge.required_arcs), knowledge, largest)


def _mask(members: Iterable[int], n: int) -> np.ndarray:
    mask = np.zeros(n, dtype=np.bool_)
    mask[list(members)] = True
    return mask


def _to_words(members: np.ndarray, n_words: int) -> np.ndarray:
    """A set of variables, given as bools, as 64-bit words."""
    padded = np.zeros(64 * n_words, dtype=np.bool_)
    padded[: len(members)] = members
    return np.packbits(padded, bitorder="little").view(np.uint64)


def start_graph(start: Parents | None, constraints: Constraints, names: Sequence[str]) -> Parents:
    """The graph to start from: `start`, or no arcs, with the required arcs added.

    Raises `InfeasibleError` if the start breaks the constraints, or the required arcs contradict them or each other.
    """
    parents = [set(p) for p in start] if start is not None else [set() for _ in names]
    knowledge = constraints.knowledge
    for parent, child in sorted(constraints.required):
        knowledge.check_required(parent, child)
        parents[child].add(parent)
    for child, family in enumerate(parents):
        bad = next((p for p in sorted(family) if knowledge.excludes(p, child)), None)
        if bad is not None:
            raise InfeasibleError(
                f"the start network has the arc {knowledge.arc_text(bad, child)}, which "
                f"{knowledge.excludes(bad, child)}; permit it, or start from another network"
            )
        n_required = len(knowledge.required_of(child))
        if n_required > constraints.max_parents:
            raise InfeasibleError(
                f"{names[child]} must have {n_required} parents, but at most {constraints.max_parents} are allowed; "
                "raise --max-parents or require fewer arcs"
            )
        if len(family) > constraints.max_parents:
            raise InfeasibleError(
                f"{names[child]} starts with {len(family)} parents, but at most {constraints.max_parents} are "
                "allowed; raise --max-parents or start from another network"
            )
    graph = tuple(tuple(sorted(p)) for p in parents)
    cycle = behind_cycles(graph)
    if cycle:
        members = ", ".join(names[v] for v in cycle[:5])
        raise InfeasibleError(f"the required arcs and the start network form a cycle among {members}")
    return graph
