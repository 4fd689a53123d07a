"""Essential graphs (CPDAGs) and distances between structures.

Two networks with the same essential graph imply the same independences, so structures are compared by their
essential graphs. Construction after Chickering (1995, 2002): order the arcs, then label them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from formats.errors import Inconsistent
from stages.graphs import topological_order

Arc = tuple[int, int]


class PartiallyDirectedGraph(NamedTuple):
    """Arcs and undirected edges over variable indices.

    Attributes
    ----------
    directed : frozenset of (int, int)
        (from, to).
    undirected : frozenset of (int, int)
        The smaller index first.
    """

    directed: frozenset[Arc]
    undirected: frozenset[Arc]

    def marks(self) -> dict[Arc, Arc | None]:
        """Every adjacent pair, smaller index first, with its arc, or None where the edge is undirected."""
        marks: dict[Arc, Arc | None] = {_pair(arc): arc for arc in self.directed}
        marks.update(dict.fromkeys(self.undirected))
        return marks


class ArcComparison(NamedTuple):
    """Arcs of a network against those of a reference network: direction counts."""

    true_positives: int
    false_positives: int
    false_negatives: int


def _pair(arc: Arc) -> Arc:
    return arc if arc[0] < arc[1] else (arc[1], arc[0])


def list_arcs(parents: Sequence[Sequence[int]]) -> set[Arc]:
    """All arcs (parent, child)."""
    return {(parent, child) for child, parent_set in enumerate(parents) for parent in parent_set}


def acyclic_order(parents: Sequence[Sequence[int]]) -> list[int]:
    """Variables with parents before children.

    Raises
    ------
    Inconsistent
        If the arcs form a cycle.
    """
    order = topological_order(parents)
    if len(order) < len(parents):
        raise Inconsistent(f"the arcs form a cycle through {len(parents) - len(order)} or fewer variables")
    return order


def essential_graph(parents: Sequence[Sequence[int]]) -> PartiallyDirectedGraph:
    """The essential graph (CPDAG) of a directed acyclic graph.

    An arc stays directed when it points the same way in every graph of the Markov equivalence class.

    Notes
    -----
    Chickering, "A transformational characterization of equivalent Bayesian network structures" (UAI 1995),
    algorithms Order-Edges and Label-Edges. Heads are taken in topological order. The arc from a head's last
    parent decides about all the others, so that every head is settled in one step.
    """
    position = {variable: rank for rank, variable in enumerate(acyclic_order(parents))}
    parent_sets = [frozenset(parent_set) for parent_set in parents]
    compelled: list[frozenset[int]] = [frozenset()] * len(parents)
    for head in position:
        if parent_sets[head]:
            last = max(parent_sets[head], key=position.__getitem__)
            compelled[head] = _compelled_tails(parent_sets[head], last, parent_sets[last], compelled[last])
    directed = frozenset((tail, head) for head, tails in enumerate(compelled) for tail in tails)
    undirected = frozenset(_pair(arc) for arc in list_arcs(parents) - directed)
    return PartiallyDirectedGraph(directed, undirected)


def _compelled_tails(
    tails: frozenset[int], last: int, parents_of_last: frozenset[int], compelled_into_last: frozenset[int]
) -> frozenset[int]:
    """Which of the arcs from `tails` into one head are compelled; `last` is the tail latest in the order."""
    # A compelled arc w -> last without w -> head, or a tail not adjacent to `last`, compels every arc: else
    # turning the arc from `last` round would make or break a v-structure. Otherwise an arc w -> head is
    # compelled where w -> last is (else there would be a cycle), and all others can be turned round.
    if not compelled_into_last <= tails or tails - parents_of_last - {last}:
        return tails
    return compelled_into_last


def structural_hamming_distance(first: PartiallyDirectedGraph, second: PartiallyDirectedGraph) -> int:
    """Pairs of variables whose edge differs: missing, extra, reversed, or directed in only one of the two.

    Of two essential graphs this is the SHD of Tsamardinos, Brown & Aliferis (2006).
    """
    first_marks, second_marks = first.marks(), second.marks()
    common = first_marks.keys() & second_marks.keys()
    agreeing = sum(first_marks[pair] == second_marks[pair] for pair in common)
    return len(first_marks) + len(second_marks) - len(common) - agreeing


def skeleton_distance(first: Iterable[Arc], second: Iterable[Arc]) -> int:
    """Pairs of variables adjacent by exactly one of two sets of arcs."""
    return len({_pair(arc) for arc in first} ^ {_pair(arc) for arc in second})


def compare_arcs(parents: Sequence[Sequence[int]], reference: Sequence[Sequence[int]]) -> ArcComparison:
    """Arcs shared with the reference, arcs not in it, and arcs of the reference that are missing."""
    arcs, expected = list_arcs(parents), list_arcs(reference)
    return ArcComparison(len(arcs & expected), len(arcs - expected), len(expected - arcs))
