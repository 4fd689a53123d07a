"""Structures as CSV: an adjacency matrix, or a list of arcs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ..errors import Inconsistent, Malformed
from ..graph_records import Arc, EssentialGraph, Strength, Strengths, strengths_of, with_strengths
from ..records import Network
from ..textlines import Lines
from .network_claims import CERTAIN
from .structures import network_by_names

_ZERO_ONE = {"0": False, "1": True, "0.0": False, "1.0": True}
_TABLE_REMEDY = "a network as a table is a matrix (names, then rows of 0 and 1) or two columns from, to"
STRENGTH_COLUMNS = ("strength", "either")
"""Of a list of arcs: how sure an arc is, and an arc in either direction."""
_ARC_HEADERS = (("from", "to"), ("parent", "child"), ("source", "target"))


def adjacency_text(network: Network) -> str:
    """Adjacency matrix as CSV: names in the first line and column, 1 where the row is a parent of the column."""
    return _matrix_text(network.header.names, _arcs_of(network))


def essential_adjacency_text(graph: EssentialGraph) -> str:
    """Adjacency matrix of an essential graph as CSV: an undirected edge is a 1 both ways."""
    both_ways = [pair for one, other in graph.edges for pair in ((one, other), (other, one))]
    return _matrix_text([v.name for v in graph.variables], [*graph.arcs, *both_ways])


def arcs_text(network: Network) -> str:
    """List of arcs as CSV, columns ``from`` and ``to``; a variable without arcs does not occur.

    Strengths, where they are known, are columns ``strength`` and ``either``.
    """
    names, strengths = network.header.names, strengths_of(network)
    rows = [(names[one], names[other], *_cells(strengths, (one, other))) for one, other in _arcs_of(network)]
    return _csv_text([("from", "to", *(STRENGTH_COLUMNS if strengths else ())), *rows])


def essential_arcs_text(graph: EssentialGraph) -> str:
    """List of an essential graph's arcs and edges as CSV; the column ``type`` tells which they are."""
    names = [v.name for v in graph.variables]
    lines = [(arc, "directed") for arc in graph.arcs] + [(edge, "undirected") for edge in graph.edges]
    rows = [(names[a], names[b], kind, *_cells(graph.strengths, (a, b))) for (a, b), kind in lines]
    return _csv_text([("from", "to", "type", *(STRENGTH_COLUMNS if graph.strengths else ())), *rows])


def _cells(strengths: Strengths, arc: Arc) -> tuple[str, ...]:
    """The figures of an arc to six places, if any are known."""
    return tuple(f"{value:.6g}" for value in strengths[arc]) if arc in strengths else ()


def _arcs_of(network: Network) -> list[tuple[int, int]]:
    return [(parent, child) for child, parents in enumerate(network.parents) for parent in parents]


def _matrix_text(names: Sequence[str], ones: Iterable[tuple[int, int]]) -> str:
    matrix = [["0"] * len(names) for _ in names]
    for row, column in ones:
        matrix[row][column] = "1"
    return _csv_text([["", *names], *([name, *cells] for name, cells in zip(names, matrix))])


def _csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Cells as CSV; names that would not come back as they are, for a blank or line break, are refused."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        for cell in row:
            if cell != cell.strip() or "\n" in cell or "\r" in cell:
                raise Inconsistent(f"a table cannot hold the name {cell!r}", remedy="write another format")
        writer.writerow(row)
    return buffer.getvalue()


def read_table(lines: Lines) -> Network:
    """Read a CSV table: an adjacency matrix, or a list of arcs with columns ``from`` and ``to``.

    A matrix has the names in its first line and, optionally, in its first column; its entry is 1 where the row
    is a parent of the column. A list of arcs knows no variable without arcs.
    """
    try:
        rows = [
            (number, row)
            for number, row in enumerate(csv.reader(io.StringIO(lines.text()), strict=True), 1)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        reason = "a carriage return that ends no line" if "new-line" in str(error) else error
        raise Malformed(f"not a CSV table ({reason})", source=lines.source) from None
    if not rows:
        raise Malformed("a table of blanks", source=lines.source, remedy=_TABLE_REMEDY)
    header = [cell.strip() for cell in rows[0][1]]
    if is_arc_header(header):
        return read_arc_rows(lines, header, rows[1:])
    return _read_adjacency(lines, header, rows[1:])


def is_arc_header(header: Sequence[str]) -> bool:
    """Whether columns of these names hold arcs."""
    return tuple(cell.lower() for cell in header[:2]) in _ARC_HEADERS


def read_arc_rows(lines: Lines, header: Sequence[str], rows: list[tuple[int, list[str]]]) -> Network:
    """The network of a list of arcs: numbered rows of parent, child and what else there is, strengths among it."""
    _require_directed(lines, header, rows)
    network = _read_arcs(lines, rows)
    names = [cell.lower() for cell in header]
    if not set(STRENGTH_COLUMNS) <= set(names):
        return network
    return with_strengths(network, _read_strengths(lines, network, names, rows))


def _read_strengths(
    lines: Lines, network: Network, header: list[str], rows: list[tuple[int, list[str]]]
) -> dict[Arc, Strength]:
    index = {name: variable for variable, name in enumerate(network.header.names)}
    columns = [header.index(name) for name in STRENGTH_COLUMNS]
    strengths = {}
    for number, row in rows:
        try:
            found = Strength(*(float(row[column]) for column in columns))
        except (ValueError, IndexError):
            lines.fail("an arc needs two figures, strength and either", line=number)
        if not all(0 <= value <= CERTAIN for value in found):
            lines.fail("a strength that is no probability", kind=Inconsistent, line=number)
        strengths[index[row[0].strip()], index[row[1].strip()]] = found
    return strengths


def _require_directed(lines: Lines, header: Sequence[str], rows: list[tuple[int, list[str]]]) -> None:
    """Refuse undirected edges, which a column ``type`` tells."""
    if [cell.lower() for cell in header[2:3]] != ["type"]:
        return
    for number, row in rows:
        if len(row) > 2 and row[2].strip().lower() == "undirected":
            lines.fail("an undirected edge; a network needs directed ones", kind=Inconsistent, line=number)


def _read_arcs(lines: Lines, rows: list[tuple[int, list[str]]]) -> Network:
    parents: dict[str, list[str]] = {}
    for number, row in rows:
        if len(row) < 2 or not row[0].strip() or not row[1].strip():
            lines.fail("an arc needs two names", line=number)
        parent, child = row[0].strip(), row[1].strip()
        for name in (parent, child):
            parents.setdefault(name, [])
        parents[child].append(parent)
    if not parents:
        raise Malformed("the list of arcs is empty, so its variables are unknown", source=lines.source)
    return network_by_names(list(parents), parents, lines.source)


def _read_adjacency(lines: Lines, header: list[str], rows: list[tuple[int, list[str]]]) -> Network:
    has_row_names = bool(rows) and len(rows) == len(header) - 1
    names = header[1:] if has_row_names else header
    if not rows or len(rows) != len(names) or not all(names):
        raise Malformed(
            f"expected a network, got a table of {len(names)} columns and {len(rows)} rows",
            source=lines.source,
            remedy=_TABLE_REMEDY,
        )
    parents: dict[str, list[str]] = {name: [] for name in names}
    seen: set[str] = set()
    for (number, row), default_name in zip(rows, names):
        name = row[0].strip() if has_row_names else default_name
        if name not in parents or name in seen:
            lines.fail(
                f"row name {name!r} is no column name or comes twice", line=number, remedy=_TABLE_REMEDY
            )
        seen.add(name)
        cells = [cell.strip() for cell in row[1 if has_row_names else 0 :]]
        if len(cells) != len(names):
            lines.fail(f"{len(cells)} entries for {len(names)} variables", kind=Inconsistent, line=number)
        for child, cell in zip(names, cells):
            if cell not in _ZERO_ONE:
                lines.fail(f"entry {cell!r} is neither 0 nor 1", line=number)
            if _ZERO_ONE[cell]:
                parents[child].append(name)
    return network_by_names(names, parents, lines.source)
