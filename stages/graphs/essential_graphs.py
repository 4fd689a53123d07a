"""Essential graphs (CPDAGs) and distances between structures.

Networks with the same essential graph imply the same independences, so structures are compared by their essential
graphs. Construction after Chickering (1995): order the arcs, then label them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from formats.errors import Inconsistent

from . import topological_order

Arc = tuple[int, int]


class PartiallyDirectedGraph(NamedTuple):
    """Arcs and undirected edges over variable indices."""

    directed: frozenset[Arc]  # (from, to)
    undirected: frozenset[Arc]  # the smaller index first

    def marks(self) -> dict[Arc, Arc | None]:
        """Every adjacent pair, smaller index first, with its arc, or None where the edge is undirected."""
        marks: dict[Arc, Arc | None] = {_pair(arc): arc for arc in self.directed}
        marks.update(dict.fromkeys(self.undirected))
        return marks


class ArcComparison(NamedTuple):
    """Arcs or edges of a graph against a reference; direction matters."""

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

    Raises `Inconsistent` if the arcs form a cycle.
    """
    order = topological_order(parents)
    if len(order) < len(parents):
        raise Inconsistent(f"the arcs form a cycle through {len(parents) - len(order)} or fewer variables")
    return order


def essential_graph(parents: Sequence[Sequence[int]]) -> PartiallyDirectedGraph:
    """The essential graph (CPDAG) of a directed acyclic graph.

    An arc is directed if it has the same direction in every graph of the Markov equivalence class.

    Chickering, "A transformational characterization of equivalent Bayesian network structures" (UAI 1995),
    algorithms Order-Edges and Label-Edges. Heads are visited in topological order; the arc from a head's last parent
    decides the labels of all arcs into the head.
    """
    position = {variable: rank for rank, variable in enumerate(acyclic_order(parents))}
    parent_sets = [frozenset(parent_set) for parent_set in parents]
    compelled: list[frozenset[int]] = [frozenset()] * len(parents)
    # In topological order, which the dictionary keeps: the labels of the arcs into `last` are known.
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
    """The tails of the compelled arcs into one head; `last` is the tail latest in topological order."""
    # A compelled arc w -> last without w -> head, or a tail not adjacent to `last`, compels every arc: reversing
    # last -> head would create or destroy a v-structure. Otherwise w -> head is compelled exactly if w -> last is:
    # reversing it would close a cycle, and all other arcs are reversible.
    if not compelled_into_last <= tails or tails - parents_of_last - {last}:
        return tails
    return compelled_into_last


def structural_hamming_distance(first: PartiallyDirectedGraph, second: PartiallyDirectedGraph) -> int:
    """Pairs of variables whose edge is missing, extra, reversed, or directed in only one of the graphs.

    For essential graphs this is the SHD of Tsamardinos, Brown & Aliferis (2006).
    """
    first_marks, second_marks = first.marks(), second.marks()
    common = first_marks.keys() & second_marks.keys()
    agreeing = sum(first_marks[pair] == second_marks[pair] for pair in common)
    return len(first_marks) + len(second_marks) - len(common) - agreeing


def skeleton_distance(first: Iterable[Arc], second: Iterable[Arc]) -> int:
    """Number of pairs that are adjacent in exactly one of two sets of arcs."""
    return len({_pair(arc) for arc in first} ^ {_pair(arc) for arc in second})


def compare_edges(graph: PartiallyDirectedGraph, reference: PartiallyDirectedGraph) -> ArcComparison:
    """Compare the edges of two graphs; an edge is in both if it is undirected in both, or has the same direction."""
    edges, expected = graph.marks().items(), reference.marks().items()
    return ArcComparison(len(edges & expected), len(edges - expected), len(expected - edges))


def compare_arcs(parents: Sequence[Sequence[int]], reference: Sequence[Sequence[int]]) -> ArcComparison:
    """Compare the arcs of a network with the arcs of a reference."""
    arcs, expected = list_arcs(parents), list_arcs(reference)
    return ArcComparison(len(arcs & expected), len(arcs - expected), len(expected - arcs))
