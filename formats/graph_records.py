"""Graphs besides plain networks: equivalence classes, probable arcs, drawings, networks with parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .data_records import Variable
from .records import Header, Network

Arc = tuple[int, int]
"""Parent and child."""


class Strength(NamedTuple):
    """How sure an arc is: its probability or share of networks, and that of an arc in `either` direction."""

    arc: float
    either: float


Strengths = Mapping[Arc, Strength]
"""Of the arcs of a graph; empty where nothing is known."""

STRENGTHS = "strengths"
"""Key of a network's header: for each variable a list of pairs (arc, either), one for each parent, in their order."""


def strengths_of(network: Network) -> dict[Arc, Strength]:
    """The strengths that a header tells, by arc; empty if it tells none."""
    by_child: Sequence[Any] = network.header.extra.get(STRENGTHS, ())
    return {
        (parent, child): Strength(*pair)
        for child, (parents, pairs) in enumerate(zip(network.parents, by_child))
        for parent, pair in zip(parents, pairs)
    }


def with_strengths(network: Network, strengths: Strengths) -> Network:
    """The network with the strengths of its arcs; an arc of which none is given has 0."""
    none = Strength(0.0, 0.0)
    told = [
        [list(strengths.get((parent, child), none)) for parent in family]
        for child, family in enumerate(network.parents)
    ]
    return replace(network, header=replace(network.header, extra={**network.header.extra, STRENGTHS: told}))


@dataclass(frozen=True, eq=False)
class EssentialGraph:
    """What all networks of one Markov equivalence class share (a CPDAG).

    Attributes
    ----------
    variables : tuple of Variable
    arcs : tuple of (int, int)
        (from, to), ascending: these point the same way in every network of the class.
    edges : tuple of (int, int)
        The smaller index first, ascending: these point either way.
    strengths : mapping
        Of arcs and edges; an edge counts as sure as one in either direction.
    """

    variables: tuple[Variable, ...]
    arcs: tuple[Arc, ...]
    edges: tuple[Arc, ...]
    strengths: Strengths = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A network laid out: boxes with labels, and lines for arcs; pixels, y grows downward.

    Attributes
    ----------
    network : Network
    labels : tuple of str
        What stands in the boxes.
    x, y : ndarray of float64, shape (n_variables,)
        Centres of the boxes.
    width : ndarray of float64, shape (n_variables,)
    height : float
        Of every box.
    arcs : tuple of (int, int)
        (parent, child).
    undirected : tuple of bool
        Of every arc: whether it is drawn without an arrow, for it may point either way.
    lines : tuple of ndarray of float64, shape (n_points, 2)
        The points through which every arc goes, from the border of one box to that of the other.
    """

    network: Network
    labels: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: float
    arcs: tuple[Arc, ...]
    undirected: tuple[bool, ...]
    lines: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A network with parameters, as BIF files hold it.

    Attributes
    ----------
    variables : tuple of Variable
        All states known.
    parents : tuple of tuple of int
        Parents in the order of the table's axes (not necessarily ascending).
    tables : tuple of ndarray of float64
        ``tables[i]`` has shape (states of parent 1, ..., states of parent k, states of variable i); the last axis
        sums to 1.
    name : str
    """

    variables: tuple[Variable, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[np.ndarray, ...]
    name: str = "unknown"


@dataclass(frozen=True)
class ArcStatement:
    """What is said of a pair of variables.

    Attributes
    ----------
    relation : str
        ``->``: there is an arc, ``-``: an arc in either direction, ``~>``: a path from the tail to the head.
    tail, head : int
    is_negated : bool
        That it is not so.
    """

    relation: str
    tail: int
    head: int
    is_negated: bool


@dataclass(frozen=True)
class ArcPattern:
    """Statements all of which hold in some networks; `text` is how it was written."""

    text: str
    statements: tuple[ArcStatement, ...]


@dataclass(frozen=True, eq=False)
class ArcProbabilities:
    """Posterior probabilities of arcs, the most probable first; ties by parent, then child.

    Attributes
    ----------
    header : Header
        ``header.extra`` carries ``prior``, ``method`` and what tells of the chains.
    parents, children : ndarray of int32, shape (n_pairs,)
    probability : ndarray of float64, shape (n_pairs,)
        Of the arc.
    standard_error : ndarray of float64, shape (n_pairs,)
        Of that probability; 0 where it is exact.
    either : ndarray of float64, shape (n_pairs,)
        Probability of an arc in either direction.
    features : dict of (ndarray, ndarray)
        By name (``ancestor``: the parent is an ancestor of the child; ``blanket``: it is in the child's Markov
        blanket) probabilities and standard errors.
    """

    header: Header
    parents: np.ndarray
    children: np.ndarray
    probability: np.ndarray
    standard_error: np.ndarray
    either: np.ndarray
    features: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    @property
    def n_pairs(self) -> int:
        return len(self.parents)
