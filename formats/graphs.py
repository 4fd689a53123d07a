"""Structures as plain text: adjacency matrix and list of arcs (CSV), bnlearn model string; and `write_graph`.

`write_graph` is the one door to all formats for pictures and for other programs; drawings (Graphviz, GraphML),
HUGIN and PACE files live in modules of their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from .errors import Inconsistent, Malformed
from .networks import network_from_parents, structure_of
from .records import BayesianNetwork, Network, Variable
from .streams import open_output
from .textlines import Lines

WRITABLE = ("dot", "graphml", "adjacency", "modelstring", "net", "gr", "td")

_ZERO_ONE = {"0": False, "1": True, "0.0": False, "1.0": True}
_TABLE_REMEDY = "a network as a table is a matrix (names, then rows of 0 and 1) or two columns from, to"
_ARC_HEADERS = (("from", "to"), ("parent", "child"), ("source", "target"))


def write_graph(
    target: str,
    network: Network | BayesianNetwork,
    format: str,
    *,
    elimination: Sequence[int] | None = None,
) -> None:
    """Write a network in one of the formats that hold less than our own.

    Parameters
    ----------
    target : str
        A path or ``-``.
    network : Network or BayesianNetwork
        ``net`` needs one with parameters.
    format : {"dot", "graphml", "adjacency", "modelstring", "net", "gr", "td"}
    elimination : sequence of int, optional
        Elimination order of the moral graph for ``td``; without it the one in the network's header is used.

    Raises
    ------
    Inconsistent
        The format cannot hold the network: no parameters, no elimination order, impossible names.
    """
    if format not in WRITABLE:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(WRITABLE)}")
    if format == "net":
        from .hugin import hugin_text

        text = hugin_text(network)
    elif format in ("dot", "graphml"):
        from .drawings import dot_text, graphml_text

        text = (dot_text if format == "dot" else graphml_text)(structure_of(network))
    elif format in ("gr", "td"):
        from .pace import gr_text, td_text

        structure = structure_of(network)
        text = gr_text(structure) if format == "gr" else td_text(structure, elimination)
    else:
        text = (adjacency_text if format == "adjacency" else modelstring_text)(structure_of(network))
    with open_output(target) as stream:
        stream.write(text.encode())


def adjacency_text(network: Network) -> str:
    """Adjacency matrix as CSV: names in the first line and column, 1 where the row is a parent of the column."""
    names = network.header.names
    matrix = [["0"] * len(names) for _ in names]
    for child, parents in enumerate(network.parents):
        for parent in parents:
            matrix[parent][child] = "1"
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["", *names])
    writer.writerows([name, *row] for name, row in zip(names, matrix))
    return buffer.getvalue()


def modelstring_text(network: Network) -> str:
    """The model string of bnlearn, variables in header order: ``[A][B|A][C|A:B]``.

    Raises
    ------
    Inconsistent
        A name contains one of ``[ ] | :`` or is blank.
    """
    names = network.header.names
    for name in names:
        if re.search(r"[\[\]|:]", name) or name != name.strip() or not name:
            raise Inconsistent(
                f"a model string cannot hold the variable name {name!r}", remedy="write another format"
            )
    parts = []
    for name, parents in zip(names, network.parents):
        given = "|" + ":".join(names[p] for p in parents) if parents else ""
        parts.append(f"[{name}{given}]")
    return "".join(parts) + "\n"


def read_modelstring(lines: Lines) -> Network:
    """Read a bnlearn model string; it may run over several lines."""
    text = lines.text()
    families, position = [], 0
    pattern = re.compile(r"\s*\[([^\[\]|]+)(?:\|([^\[\]|]*))?\]\s*")
    while position < len(text):
        match = pattern.match(text, position)
        if not match:
            line = text.count("\n", 0, position) + 1
            lines.fail(f"expected [NAME] or [NAME|PARENT:...], got {text[position:][:40]!r}", line=line)
        parents = [p.strip() for p in match[2].split(":")] if match[2] else []
        families.append((match[1].strip(), parents))
        position = match.end()
    return _network_by_names(lines, [name for name, _ in families], dict(families))


def _network_by_names(lines: Lines, names: list[str], parents: dict[str, list[str]]) -> Network:
    """A network from parents by name.

    Raises
    ------
    Inconsistent
        Names repeat, a parent is unknown, repeated or the child itself.
    """
    index_of = {name: index for index, name in enumerate(names)}
    if len(index_of) < len(names):
        twice = next(name for index, name in enumerate(names) if index_of[name] != index)
        raise Inconsistent(f"variable {twice!r} comes twice", source=lines.source)
    sets = []
    for name in names:
        for parent in parents.get(name, ()):
            if parent not in index_of:
                raise Inconsistent(
                    f"variable {name!r} has the unknown parent {parent!r}", source=lines.source
                )
        indices = [index_of[parent] for parent in parents.get(name, ())]
        if len(set(indices)) < len(indices):
            raise Inconsistent(f"variable {name!r} has a parent twice", source=lines.source)
        sets.append(indices)
    return network_from_parents(tuple(map(Variable, names)), sets, lines.source)


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
        raise Malformed(f"not a CSV table ({error})", source=lines.source) from None
    if not rows:
        raise Malformed("a table of blanks", source=lines.source, remedy=_TABLE_REMEDY)
    header = [cell.strip() for cell in rows[0][1]]
    if tuple(cell.lower() for cell in header[:2]) in _ARC_HEADERS:
        return _read_arcs(lines, rows[1:])
    return _read_adjacency(lines, header, rows[1:])


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
    return _network_by_names(lines, list(parents), parents)


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
    return _network_by_names(lines, names, parents)
