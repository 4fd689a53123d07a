"""Which directions are decided: by knowledge, by the data, or by neither.

Networks of one equivalence class imply the same independences, so data without interventions cannot distinguish
them; rows in which variables were set, and knowledge about arcs, rule out some of them. An arc is decided if it has
the same direction in all remaining networks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from formats.errors import Inconsistent
from formats.graph_records import (
    BY_DATA,
    BY_KNOWLEDGE,
    DECIDERS,
    DIRECTIONS,
    UNDECIDED,
    directions_of,
    with_directions,
)
from formats.records import NetworkRecord
from stages.knowledge import Arc, Knowledge
from stages.recorded_knowledge import recorded_knowledge

from . import Parents
from .essential_graphs import PartiallyDirectedGraph, essential_graph, list_arcs
from .intervention_targets import Targets, separates, targets_of


def interventional_graph(parents: Parents, targets: Targets) -> PartiallyDirectedGraph:
    """The interventional essential graph of a network: the arcs that all networks share which imply the same of rows
    without and with these interventions; without `targets` the essential graph.

    Hauser and Bühlmann, "Characterization and greedy learning of interventional Markov equivalence classes of
    directed acyclic graphs" (2012): the edges of the essential graph that a set separates have the direction of the
    network, and Meek's rules give what follows.
    """
    class_graph = essential_graph(parents)
    return _oriented(class_graph, parents, separates(targets)) if targets else class_graph


def differing_edge(parents: Parents, edges: Iterable[Arc], targets: Targets = ()) -> Arc | None:
    """A pair, smaller index first, that is undirected in just one of two graphs of the class of a network: one whose
    undirected edges are `edges`, and its interventional essential graph. None if they are the same graph.
    """
    return min(interventional_graph(parents, targets).undirected ^ set(edges), default=None)


def oriented_graph(parents: Parents, knowledge: Knowledge, targets: Targets = ()) -> PartiallyDirectedGraph:
    """The maximally oriented graph of an equivalence class, interventional with `targets`, under knowledge.

    An arc is directed if it has the same direction in every network that is Markov equivalent to this one and agrees
    with the knowledge; without knowledge, this is the essential graph. `parents` is an acyclic graph. Raises
    `Inconsistent` if the network itself does not agree with the knowledge.

    Meek, "Causal inference and causal explanation with background knowledge" (UAI 1995): arcs that knowledge directs,
    then his four rules until none applies. Every arc that these rules direct has its direction in the network.
    """
    _require_agreement(parents, knowledge)
    return _oriented(interventional_graph(parents, targets), parents, knowledge.settles)


def _oriented(
    class_graph: PartiallyDirectedGraph, parents: Parents, settles: Callable[[int, int], bool]
) -> PartiallyDirectedGraph:
    """The class graph with further arcs directed, as in the network: those of which `settles(tail, head)` holds, and
    what follows.
    """
    families = [frozenset(family) for family in parents]
    marks = _Marks(len(parents), class_graph)
    waiting = [edge if edge[0] in families[edge[1]] else edge[::-1] for edge in class_graph.undirected]
    if all(not settles(*arc) for arc in waiting):
        return class_graph
    queued = set(waiting)
    while waiting:
        arc = waiting.pop()
        queued.discard(arc)
        tail, head = arc
        if head not in marks.undirected[tail] or not (settles(tail, head) or marks.follows(tail, head)):
            continue
        marks.direct(tail, head)
        # The rules for an edge use edges of its ends, and (rule 4) edges of a neighbour of its tail.
        pairs = [(end, other) for end in arc for other in marks.undirected[end]]
        pairs += [(a, b) for a in marks.undirected[tail] for b in marks.children[head] & marks.undirected[a]]
        for a, b in pairs:
            again = (a, b) if a in families[b] else (b, a)
            if again not in queued:
                queued.add(again)
                waiting.append(again)
    directed = frozenset((tail, head) for tail, heads in enumerate(marks.children) for head in heads)
    undirected = frozenset((a, b) for a, others in enumerate(marks.undirected) for b in others if a < b)
    return PartiallyDirectedGraph(directed, undirected)


class _Marks:
    """A partially directed graph whose edges are directed one by one."""

    def __init__(self, n_variables: int, graph: PartiallyDirectedGraph):
        self.parents: list[set[int]] = [set() for _ in range(n_variables)]
        self.children: list[set[int]] = [set() for _ in range(n_variables)]
        self.undirected: list[set[int]] = [set() for _ in range(n_variables)]
        for a, b in graph.undirected:
            self.undirected[a].add(b)
            self.undirected[b].add(a)
        for tail, head in graph.directed:
            self.parents[head].add(tail)
            self.children[tail].add(head)

    def direct(self, tail: int, head: int) -> None:
        self.undirected[tail].discard(head)
        self.undirected[head].discard(tail)
        self.parents[head].add(tail)
        self.children[tail].add(head)

    def adjacent(self, variable: int) -> set[int]:
        return self.parents[variable] | self.children[variable] | self.undirected[variable]

    def follows(self, tail: int, head: int) -> bool:
        """Whether one of Meek's rules directs the edge tail - head towards the head."""
        near_head = self.adjacent(head)
        if self.parents[tail] - near_head:  # rule 1: w -> tail would collide with head -> tail
            return True
        if self.children[tail] & self.parents[head]:  # rule 2: head -> tail would close a cycle
            return True
        doubtful = self.undirected[tail]
        between = doubtful & self.parents[head]
        if any(between - self.adjacent(c) - {c} for c in between):  # rule 3: two such, not adjacent
            return True
        # Rule 4: tail - d -> c -> head with tail adjacent to c, and d not adjacent to the head.
        return any((self.parents[c] & doubtful) - near_head for c in self.parents[head] & self.adjacent(tail))


def _require_agreement(parents: Parents, knowledge: Knowledge) -> None:
    for parent, child in list_arcs(parents):
        if knowledge.settles(child, parent):
            reason = knowledge.excludes(parent, child) or "is required the other way round"
            raise Inconsistent(f"the network has the arc {knowledge.arc_text(parent, child)}, which {reason}")


def decide_directions(parents: Parents, knowledge: Knowledge, targets: Targets = ()) -> dict[Arc, str]:
    """What decides the direction of each arc of a network: ``knowledge``, ``data`` or ``neither``.

    Knowledge decides if it requires the arc or excludes its reverse, or if this follows from such arcs within the
    equivalence class. Otherwise the data decide if all networks of the class have the arc; it is the interventional
    class where variables were set (`targets`). Raises `Inconsistent` if the network does not agree with the
    knowledge.
    """
    _require_agreement(parents, knowledge)
    class_graph = interventional_graph(parents, targets)
    oriented = _oriented(class_graph, parents, knowledge.settles)
    found = {}
    for arc in sorted(list_arcs(parents)):
        if knowledge.settles(*arc):
            found[arc] = BY_KNOWLEDGE
        elif arc in class_graph.directed:
            found[arc] = BY_DATA
        else:
            found[arc] = BY_KNOWLEDGE if arc in oriented.directed else UNDECIDED
    return found


class DecisionCounts:
    """What decides the directions of arcs, counted over networks."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[Arc]] = {word: Counter() for word in DECIDERS}
        self._joined: Counter[frozenset[int]] = Counter()

    def add(self, decisions: Mapping[Arc, str], times: int = 1) -> None:
        """Count what `decide_directions` found in a network, `times` times."""
        for arc, word in decisions.items():
            self._counts[word][arc] += times
            self._joined[frozenset(arc)] += times

    def usual(self, arc: Arc) -> str:
        """What decides this direction in most of the networks that join the pair.

        A network with the other direction counts as ``neither``. Among equally frequent decisions it is the weakest
        claim, so it is ``neither`` if no network joins the pair.
        """
        counts = {word: self._counts[word][arc] for word in DECIDERS if word != UNDECIDED}
        counts[UNDECIDED] = self._joined[frozenset(arc)] - sum(counts.values())
        return max(reversed(DECIDERS), key=counts.__getitem__)


LEARNING_STAGES = frozenset({"parentsets", "optimize", "posterior", "average"})
"""Commands that learn networks. In other networks the directions were given, for unknown reasons."""


def network_directions(network: NetworkRecord) -> dict[Arc, str]:
    """What decides the direction of each arc: as stated in the header of a network; for a learnt one without such a
    statement, `class_directions`; empty for any other.

    Raises `Inconsistent` if the network does not agree with the knowledge in its header, or that has only a digest of
    it.
    """
    stated = directions_of(network)
    is_learnt = any(entry.get("stage") in LEARNING_STAGES for entry in network.header.by)
    return stated or (class_directions(network) if is_learnt else {})


def class_directions(network: NetworkRecord) -> dict[Arc, str]:
    """`decide_directions` in the class of a network, under the knowledge and the interventions that its header
    records; what the header states of directions does not count.
    """
    header = network.header
    return decide_directions(network.parents, recorded_knowledge(header.by, header.names), targets_of(header))


def with_shown_directions(network: NetworkRecord, cpdag: bool | None) -> NetworkRecord:
    """The network to show; its header states what decides the directions of its arcs.

    `cpdag`: take the directions of the equivalence class; None: for a learnt network only; False: show arcs as they
    stand.
    """
    header = network.header
    directions = class_directions(network) if cpdag else {} if cpdag is False else network_directions(network)
    if directions:
        return with_directions(network, directions)
    extra = {key: value for key, value in header.extra.items() if key != DIRECTIONS}
    return replace(network, header=replace(header, extra=extra))
