"""Graphs besides networks: essential graphs, arc probabilities, drawings; and facts about the arcs of networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .data_records import Variable
from .records import Header, NetworkRecord, Parameters

Arc = tuple[int, int]
"""Parent and child."""


class Strength(NamedTuple):
    """Strength of an arc: its probability (or share of networks), and the probability of an arc in `either`
    direction.
    """

    arc: float
    either: float


Strengths = Mapping[Arc, Strength]
"""Strengths by arc; empty if none are known."""

STRENGTHS = "strengths"
"""Key of a network's header: for each variable a list of pairs (arc, either), one for each parent, in their order."""

DIRECTIONS = "directions"
"""Key of a network's header: for each variable a list of what decides the directions of the arcs from its parents."""

SCREENED = "screened"
"""Key of a network's header: the variables that a screening forest attached."""

SCREENED_WORDS = "dashed: attached by screening, not by the search"
"""What pictures say of these."""

BY_DATA, BY_KNOWLEDGE, UNDECIDED = DECIDERS = ("data", "knowledge", "neither")
"""What decides the direction of an arc."""


def arcs_of(network: NetworkRecord) -> Iterator[Arc]:
    """The arcs of a network, by child and then by parent."""
    return ((parent, child) for child, parents in enumerate(network.parents) for parent in parents)


def _facts_of(network: NetworkRecord, key: str) -> dict[Arc, Any]:
    """The facts in the header about each arc under a key, which has a list for each variable; empty if there are
    none.
    """
    return dict(zip(arcs_of(network), chain.from_iterable(network.header.extra.get(key, ()))))


def _with_facts(network: NetworkRecord, key: str, fact_of: Callable[[Arc], Any]) -> NetworkRecord:
    by_child = [[fact_of((parent, child)) for parent in family] for child, family in enumerate(network.parents)]
    extra = {**network.header.extra, key: by_child}
    return replace(network, header=replace(network.header, extra=extra))


def strengths_of(network: NetworkRecord) -> dict[Arc, Strength]:
    """The strengths in the header of a network, by arc; empty if it has none."""
    return {arc: Strength(*pair) for arc, pair in _facts_of(network, STRENGTHS).items()}


def with_strengths(network: NetworkRecord, strengths: Strengths) -> NetworkRecord:
    """The network with these strengths in its header; an arc without one gets 0."""
    return _with_facts(network, STRENGTHS, lambda arc: list(strengths.get(arc, (0.0, 0.0))))


def directions_of(network: NetworkRecord) -> dict[Arc, str]:
    """What decides the direction of each arc (`DECIDERS`), as recorded in the header of a network; empty if it is
    not.
    """
    return _facts_of(network, DIRECTIONS)


def with_directions(network: NetworkRecord, directions: Mapping[Arc, str]) -> NetworkRecord:
    """The network with these words (`DECIDERS`) about its arcs in its header."""
    return _with_facts(network, DIRECTIONS, directions.__getitem__)


@dataclass(frozen=True, eq=False)
class EssentialGraph:
    """The essential graph (CPDAG) of a Markov equivalence class of networks."""

    variables: tuple[Variable, ...]
    arcs: tuple[Arc, ...]
    """Compelled arcs (parent, child), ascending."""
    edges: tuple[Arc, ...]
    """Reversible edges with the smaller index first, ascending."""
    strengths: Strengths = field(default_factory=dict)
    """Of arcs and edges; `Strength.arc` of an edge equals `Strength.either`."""
    lacks_isolated: bool = False
    """As in `records.Header`."""
    screened: frozenset[int] = frozenset()
    """Variables that a screening forest attached."""


def parts_of(graph: NetworkRecord | EssentialGraph) -> tuple[Sequence[str], Iterable[Arc], Iterable[Arc], Strengths]:
    """Names, arcs, undirected edges and strengths, as writers of graphs need them."""
    if isinstance(graph, NetworkRecord):
        return graph.header.names, arcs_of(graph), (), strengths_of(graph)
    return [variable.name for variable in graph.variables], graph.arcs, graph.edges, graph.strengths


def screened_of(graph: NetworkRecord | EssentialGraph) -> frozenset[int]:
    """The variables that a screening forest attached, according to the header of a network."""
    return frozenset(graph.header.extra.get(SCREENED, ())) if isinstance(graph, NetworkRecord) else graph.screened


@dataclass(frozen=True, eq=False)
class Probabilities:
    """What a drawing shows of the probabilities of a network."""

    states: tuple[tuple[str, ...], ...]
    """Of every variable."""
    marginals: tuple[np.ndarray, ...]
    """Distribution of every variable, without evidence."""
    model: Parameters | None = None
    """The parameters, if their tables are shown."""
    order: tuple[int, ...] | None = None
    """Elimination order with which a page computes answers to evidence; None if it does not."""
    note: str = ""
    """What is not shown, and why."""


class Link(NamedTuple):
    """A line between the frames of two clusters for the arcs between them, in either direction."""

    upper: int
    lower: int
    n_arcs: int
    weight: float
    """Sum of the probabilities of these arcs, or their number if none are known."""
    line: np.ndarray
    """float64, shape (n_points, 2): from the lower border of one frame to the upper border of the other."""


class Clusters(NamedTuple):
    """Clusters of the variables of a drawing, each in a frame; arrays have the shape (n_clusters,) but for `of`."""

    of: np.ndarray
    """int64, shape (n_variables,): the cluster of every variable."""
    x: np.ndarray
    y: np.ndarray
    """`x`, `y`: centres of the frames."""
    width: np.ndarray
    height: np.ndarray
    titles: tuple[str, ...]
    title_size: float
    """Size of the typeface of titles, pixels."""
    links: tuple[Link, ...]
    """The strongest links."""
    n_omitted: int
    """Number of weaker ones that are not among them."""


ADDED, MISSING, REVERSED, ONE_SIDED = MARKS = ("added", "missing", "reversed", "one-sided")
"""Marks of arcs in a picture of the differences of two graphs; arcs in both have none."""


class Differences(NamedTuple):
    """How two graphs differ that one drawing shows."""

    marks: tuple[str, ...]
    """Of every arc of the drawing: one of `MARKS`, or empty."""
    words: Mapping[str, str]
    """What each mark, and the empty one, means, in the order of the legend."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """The layout of a network: boxes with labels, and lines for arcs. Unit pixel; y grows downward."""

    network: NetworkRecord
    labels: tuple[str, ...]
    """Texts of the boxes."""
    x: np.ndarray
    y: np.ndarray
    """`x`, `y`: float64, shape (n_variables,), centres of the boxes."""
    width: np.ndarray
    """float64, shape (n_variables,)."""
    height: np.ndarray
    """float64, shape (n_variables,)."""
    arcs: tuple[Arc, ...]
    """(parent, child)."""
    undirected: tuple[bool, ...]
    """For every arc: whether it is drawn without an arrowhead, because nothing decides its direction."""
    lines: tuple[np.ndarray, ...]
    """float64, shape (n_points, 2): the points of every arc, from the border of one box to that of the other."""
    probabilities: Probabilities | None = None
    """None if the network has no parameters, or the picture shows none."""
    clusters: Clusters | None = None
    """Of a large network; its arcs between clusters are drawn as links of frames."""
    absent: str = ""
    """Why there are no `probabilities` though they were wanted."""
    boxes: str = "names"
    """What a box shows below its name: nothing (``names``), ``bars`` or ``tables``."""
    title: str = "Bayesian network"
    """Of the page: the name of the file with the network, if it has one."""
    facts: tuple[str, ...] = ()
    """Sentences about the whole network for the page: score, claim, origin."""
    differences: Differences | None = None
    """How two graphs differ, if the picture shows two; an arc of the second may point upwards."""


@dataclass(frozen=True)
class ArcStatement:
    """A statement about two variables, possibly negated.

    The relation is ``->`` (an arc), ``-`` (an arc in either direction) or ``~>`` (a path from tail to head).
    """

    relation: str
    tail: int
    head: int
    is_negated: bool


@dataclass(frozen=True)
class ArcPattern:
    """A conjunction of statements; `text` is its original text."""

    text: str
    statements: tuple[ArcStatement, ...]


@dataclass(frozen=True, eq=False)
class ArcProbabilityTable:
    """Posterior probabilities of arcs, the most probable first; ties by parent, then child."""

    header: Header
    """``header.extra`` holds ``prior``, ``method`` and the diagnostics of the Markov chains."""
    parents: np.ndarray
    children: np.ndarray
    """`parents`, `children`: int32, shape (n_pairs,)."""
    probability: np.ndarray
    """float64, shape (n_pairs,): probability of the arc."""
    standard_error: np.ndarray
    """float64, shape (n_pairs,): standard error of this probability; 0 if the probability is exact."""
    either: np.ndarray
    """float64, shape (n_pairs,): probability of an arc in either direction."""
    features: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    """Probabilities and standard errors by name: ``ancestor``, the parent is an ancestor of the child; ``blanket``,
    it is in the child's Markov blanket."""
    directions: tuple[str, ...] = ()
    """For each arc, what decides the direction of the pair (`DECIDERS`) in most networks; empty if unknown."""

    @property
    def n_pairs(self) -> int:
        return len(self.parents)
