"""Reading and writing networks and screening forests; the format of a network is told by content."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from .errors import FormatError, Inconsistent
from .jsonl import JsonlHeader, encode_header, encode_record, read_blocks, read_header
from .kinds import require_kind
from .records import BayesianNetwork, Forest, Header, Network, ParentSetRecord, Variable
from .schemas import FOREST, NETWORK, PARENT_SETS
from .setblocks import SetBlock
from .streams import open_output
from .textlines import Lines, as_lines

READABLE = (
    NETWORK.name,
    PARENT_SETS.name,
    "jsonl",
    "bif",
    "dot",
    "graphml",
    "modelstring",
    "table",
)


def find_cycle(parents: Sequence[Sequence[int]]) -> list[int] | None:
    """A directed cycle as a list of variables, each a parent of the next and the last of the first; or None."""
    n_variables = len(parents)
    n_open_parents = [len(set(p)) for p in parents]
    children: list[list[int]] = [[] for _ in range(n_variables)]
    for child, parent_set in enumerate(parents):
        for parent in set(parent_set):
            children[parent].append(child)
    ready = [v for v in range(n_variables) if n_open_parents[v] == 0]
    n_placed = 0
    while ready:
        n_placed += 1
        for child in children[ready.pop()]:
            n_open_parents[child] -= 1
            if n_open_parents[child] == 0:
                ready.append(child)
    if n_placed == n_variables:
        return None
    # Every variable left over has a parent left over: walk upwards until one comes again.
    position: dict[int, int] = {}
    walk: list[int] = []
    node = next(v for v in range(n_variables) if n_open_parents[v] > 0)
    while node not in position:
        position[node] = len(walk)
        walk.append(node)
        node = next(p for p in parents[node] if n_open_parents[p] > 0)
    return walk[position[node] :][::-1]


def require_acyclic(names: Sequence[str], parents: Sequence[Sequence[int]], source: str | None) -> None:
    """Raise `Inconsistent` with the cycle spelled out if there is one."""
    cycle = find_cycle(parents)
    if cycle:
        shown = [names[v] for v in [*cycle, cycle[0]]]
        if len(shown) > 8:
            shown[4:-3] = ["..."]
        raise Inconsistent(f"the arcs form a cycle: {' -> '.join(shown)}", source=source)


def network_from_parents(
    variables: tuple[Variable, ...], parents: Sequence[Sequence[int]], source: str | None = None
) -> Network:
    """A network of which only the structure is known: score ``unknown``, local scores NaN.

    Raises
    ------
    Inconsistent
        The arcs form a cycle.
    """
    ordered = tuple(tuple(sorted(parent_set)) for parent_set in parents)
    require_acyclic([v.name for v in variables], ordered, source)
    return Network(Header(variables), ordered, np.full(len(variables), np.nan))


def structure_of(network: Network | BayesianNetwork) -> Network:
    """The structure of a network with parameters; a `Network` is returned as it is."""
    if isinstance(network, Network):
        return network
    return network_from_parents(network.variables, network.parents)


def _single_sets(lines: Lines, head: JsonlHeader) -> Iterator[SetBlock]:
    for block in read_blocks(lines, head, unknown_scores=True):
        if block.n_sets != 1:
            raise FormatError(
                f"not a network: variable {head.header.names[block.child]!r} lists {block.n_sets} parent sets",
                source=lines.source,
                line=lines.number,
                remedy="choose one for every variable with bnsl optimize",
            )
        yield block


def _read_jsonl_network(lines: Lines) -> Network:
    head = read_header(lines)
    n_variables = head.header.n_variables
    parents: list[tuple[int, ...]] = [()] * n_variables
    scores = np.full(n_variables, np.nan)
    for block in _single_sets(lines, head):
        parents[block.child] = tuple(block.parents.tolist())
        scores[block.child] = block.scores[0]
    require_acyclic(head.header.names, parents, lines.source)
    return Network(head.header, tuple(parents), scores)


def open_network(source: str | BinaryIO | Lines) -> Network:
    """Read the structure of a network.

    Parameters
    ----------
    source : str, binary stream or Lines
        A path or ``-``: network JSON lines (or parent sets with one set for each variable), BIF, Graphviz,
        GraphML, adjacency matrix or list of arcs as CSV, bnlearn model string; gzipped or not.

    Returns
    -------
    Network
        Local scores in nats, NaN where the format has none.

    Raises
    ------
    FormatError
        With file and line; also when the arcs form a cycle.
    """
    lines = as_lines(source)
    try:
        kind = require_kind(lines, READABLE, "a network")
        if kind == "bif":
            from .bif_reader import read_bif

            return structure_of(read_bif(lines))
        if kind in ("dot", "graphml"):
            from .drawings import read_dot, read_graphml

            return (read_dot if kind == "dot" else read_graphml)(lines)
        if kind in ("modelstring", "table"):
            from .graphs import read_modelstring, read_table

            return (read_modelstring if kind == "modelstring" else read_table)(lines)
        return _read_jsonl_network(lines)
    finally:
        lines.close()


def write_network(target: str, network: Network) -> None:
    """Write a network as JSON lines; unknown (NaN) local scores become null."""
    with open_output(target) as stream:
        stream.write(encode_header(NETWORK.name, network.header))
        for child, (parents, score) in enumerate(zip(network.parents, network.scores.tolist())):
            stream.write(encode_record(ParentSetRecord(child, (parents,), (score,)), unknown_scores=True))


def open_forest(source: str | BinaryIO | Lines) -> Forest:
    """Read a screening forest.

    Raises
    ------
    FormatError
        With file and line; also when a variable has not exactly one parent or the arcs form a cycle.
    """
    lines = as_lines(source)
    try:
        require_kind(lines, (FOREST.name, "jsonl"), "a screening forest")
        head = read_header(lines)
        parents: dict[int, int] = {}
        scores: dict[int, float] = {}
        for block in read_blocks(lines, head, unknown_scores=True):
            if len(block.parents) != 1:
                name = head.header.names[block.child]
                lines.fail(f"variable {name!r} has {len(block.parents)} parents; a forest gives each one")
            parents[block.child] = int(block.parents[0])
            if not np.isnan(block.scores[0]):
                scores[block.child] = float(block.scores[0])
        as_sets = [(parents[v],) if v in parents else () for v in range(head.header.n_variables)]
        require_acyclic(head.header.names, as_sets, lines.source)
        return Forest(head.header, parents, scores)
    finally:
        lines.close()


def write_forest(target: str, forest: Forest) -> None:
    """Write a screening forest as JSON lines, in variable order; unknown local scores become null."""
    extra: dict[str, Any] = {k: v for k, v in forest.header.extra.items() if k != "records"}
    header = dataclasses.replace(forest.header, extra=extra)
    with open_output(target) as stream:
        stream.write(encode_header(FOREST.name, header, len(forest.parents)))
        for child in sorted(forest.parents):
            record = ParentSetRecord(
                child, ((forest.parents[child],),), (forest.scores.get(child, float("nan")),)
            )
            stream.write(encode_record(record, unknown_scores=True))
