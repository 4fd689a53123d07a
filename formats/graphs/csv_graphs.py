"""Structures as CSV: an adjacency matrix, or a list of arcs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..errors import Inconsistent, Malformed
from ..graph_records import Arc, EssentialGraph, Strength, arcs_of, directions_of, parts_of, with_strengths
from ..records import NetworkRecord
from ..tables.results.result_tables import csv_text
from ..textlines import Lines
from ..wording import plural
from .network_claims import CERTAIN
from .structures import UNDIRECTED, UNDIRECTED_REMEDY, network_by_names

ARC_HEADERS = {("from", "to"), ("parent", "child"), ("source", "target")}
"""Names of the two columns of a list of arcs."""
STRENGTH_COLUMNS = ("strength", "either")
"""Further columns of a list of arcs: the strength of the arc, and the strength of an arc in either direction."""

_ZERO_ONE = {"0": False, "1": True, "0.0": False, "1.0": True}
_TABLE_REMEDY = "a network as a table is a matrix (names, then rows of 0 and 1) or two columns from, to"
Rows = Sequence[tuple[int, Sequence[str]]]
"""Numbered rows of a table."""


def adjacency_text(graph: NetworkRecord | EssentialGraph) -> str:
    """Adjacency matrix as CSV: names in the first line and column, 1 where the row is a parent of the column.

    An undirected edge is a 1 in both directions.
    """
    names, arcs, edges, _ = parts_of(graph)
    matrix = [["0"] * len(names) for _ in names]
    for row, column in [*arcs, *edges, *(edge[::-1] for edge in edges)]:
        matrix[row][column] = "1"
    return _csv_text([["", *names], *([name, *cells] for name, cells in zip(names, matrix))])


def arcs_text(graph: NetworkRecord | EssentialGraph) -> str:
    """List of arcs as CSV: columns ``from`` and ``to``, and columns of directions and strengths if these are known.

    For an essential graph the column ``type`` is directed or undirected. A variable without arcs does not occur.
    """
    names, arcs, edges, strengths = parts_of(graph)
    if isinstance(graph, NetworkRecord):
        words = directions_of(graph)
        titles = ["direction"] if words else []
    else:
        words = dict.fromkeys(arcs, "directed") | dict.fromkeys(edges, "undirected")
        titles = ["type"]
    rows = [
        (
            names[a],
            names[b],
            *([words[a, b]] if words else []),
            *(f"{value:.6g}" for value in strengths.get((a, b), ())),
        )
        for a, b in [*arcs, *edges]
    ]
    return _csv_text([("from", "to", *titles, *(STRENGTH_COLUMNS if strengths else ())), *rows])


def _csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Cells as CSV; names with line breaks or blanks at the ends, which a reader would change, are refused."""
    rows = list(rows)
    for row in rows:
        for cell in row:
            if cell != cell.strip() or set(cell) & set("\n\r\0"):
                raise Inconsistent(f"a table cannot hold the name {cell!r}", remedy="write another format")
    return csv_text(rows)


def read_table(lines: Lines, edges: list[Arc] | None = None) -> NetworkRecord:
    """Read a CSV table: an adjacency matrix, or a list of arcs, whose variables are the names in it.

    A matrix has the names in its first line and, optionally, in its first column; its entry is 1 where the row
    is a parent of the column. Undirected edges (of type undirected, or 1 both ways) are added to `edges`, or refused
    if it is None.
    """
    try:
        table = enumerate(csv.reader(io.StringIO(lines.text()), strict=True), 1)
        rows = [(number, row) for number, row in table if any(cell.strip() for cell in row)]
    except csv.Error as error:
        reason = "a carriage return that ends no line" if "new-line" in str(error) else error
        raise Malformed(f"not a CSV table ({reason})") from None
    if not rows:
        raise Malformed("a table of blanks", remedy=_TABLE_REMEDY)
    header = [cell.strip() for cell in rows[0][1]]
    read = read_arc_rows if is_arc_header(header) else _read_adjacency
    return read(lines, header, rows[1:], edges)


def is_arc_header(header: Sequence[str]) -> bool:
    """Whether columns of these names hold arcs."""
    return tuple(cell.lower() for cell in header[:2]) in ARC_HEADERS


def read_arc_rows(lines: Lines, header: Sequence[str], rows: Rows, edges: list[Arc] | None = None) -> NetworkRecord:
    """The network of a list of arcs: numbered rows of parent, child, optional columns; `edges` as in `read_table`."""
    names = [cell.lower() for cell in header]
    parents: dict[str, list[str]] = {}
    pairs: list[tuple[str, str]] = []
    for number, row in rows:
        is_undirected = names[2:3] == ["type"] and len(row) > 2 and row[2].strip().lower() == "undirected"
        if is_undirected and edges is None:
            lines.fail(UNDIRECTED, kind=Inconsistent, line=number, remedy=UNDIRECTED_REMEDY)
        if len(row) < 2 or not row[0].strip() or not row[1].strip():
            lines.fail("an arc needs two names", line=number)
        parent, child = row[0].strip(), row[1].strip()
        parents.setdefault(parent, [])
        parents.setdefault(child, []).extend([] if is_undirected else [parent])
        pairs += [(parent, child)] if is_undirected else []
    network = network_by_names(list(parents), parents)
    network = replace(network, header=replace(network.header, lacks_isolated=True))
    if edges is not None:
        edges += _numbered(pairs, network.header.names)
    if not set(STRENGTH_COLUMNS) <= set(names):
        return network
    return with_strengths(network, _read_strengths(lines, network, names, rows))


def _read_strengths(lines: Lines, network: NetworkRecord, header: list[str], rows: Rows) -> dict[Arc, Strength]:
    index = {name: variable for variable, name in enumerate(network.header.names)}
    columns = [header.index(name) for name in STRENGTH_COLUMNS]
    joined = set(arcs_of(network))
    strengths = {}
    for number, row in rows:
        if (index[row[0].strip()], index[row[1].strip()]) not in joined:  # an undirected edge
            continue
        try:
            found = Strength(*(float(row[column]) for column in columns))
        except (ValueError, IndexError):
            lines.fail("an arc needs two figures, strength and either", line=number)
        if not all(0 <= value <= CERTAIN for value in found):
            lines.fail("a strength that is no probability", kind=Inconsistent, line=number)
        strengths[index[row[0].strip()], index[row[1].strip()]] = found
    return strengths


def _numbered(pairs: Iterable[tuple[str, str]], names: Sequence[str]) -> Iterator[Arc]:
    """Pairs of names as pairs of indices."""
    index = {name: variable for variable, name in enumerate(names)}
    return ((index[one], index[other]) for one, other in pairs)


def _read_adjacency(lines: Lines, header: list[str], rows: Rows, edges: list[Arc] | None = None) -> NetworkRecord:
    # A matrix has one row per variable; if its header has one cell more, the first column has the row names.
    has_row_names = bool(rows) and len(rows) == len(header) - 1
    names = header[1:] if has_row_names else header
    if not rows or len(rows) != len(names) or not all(names):
        shape = f"a table of {plural(len(names), 'column')} and {plural(len(rows), 'row')}"
        raise Malformed(f"expected a network, got {shape}", remedy=_TABLE_REMEDY)
    parents: dict[str, list[str]] = {name: [] for name in names}
    line_of: dict[str, int] = {}
    for (number, row), default_name in zip(rows, names):
        name = row[0].strip() if has_row_names else default_name
        if name not in parents or name in line_of:
            message = f"row name {name!r} is no column name or comes twice"
            lines.fail(message, line=number, remedy=_TABLE_REMEDY)
        line_of[name] = number
        cells = [cell.strip() for cell in row[1 if has_row_names else 0 :]]
        if len(cells) != len(names):
            lines.fail(f"{len(cells)} entries for {len(names)} variables", kind=Inconsistent, line=number)
        for child, cell in zip(names, cells):
            if cell not in _ZERO_ONE:
                lines.fail(f"entry {cell!r} is neither 0 nor 1", line=number)
            if _ZERO_ONE[cell]:
                parents[child].append(name)
    ones = {(parent, child) for child in names for parent in parents[child] if parent != child}
    both = {(one, other) for one, other in ones if (other, one) in ones}
    if both and edges is None:
        one, other = min(both)
        message = f"{one!r} and {other!r} have 1 both ways: {UNDIRECTED}"
        lines.fail(message, kind=Inconsistent, line=line_of[one], remedy=UNDIRECTED_REMEDY)
    if edges is not None:
        parents = {child: [p for p in family if (p, child) not in both] for child, family in parents.items()}
        edges += _numbered(both, names)
    return network_by_names(names, parents)
