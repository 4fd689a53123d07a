"""Lists of arcs as Arrow and Parquet files."""

from __future__ import annotations

import csv
import io

import pyarrow

from ..errors import Malformed
from ..graph_records import Arc, EssentialGraph
from ..records import NetworkRecord
from ..schemas import ARC_PROBABILITIES
from ..streams import open_output
from ..tables.arrow import ARROW_MARKS, PARQUET_MARK, labelled, read_arrow, read_parquet
from ..tables.arrow_arrays import text_array
from ..tables.label_columns import LabelColumn
from ..tables.results.result_tables import batch_writer, is_own
from ..textlines import Lines
from ..wording import option_value
from .csv_graphs import STRENGTH_COLUMNS, arcs_text, is_arc_header, read_arc_rows, read_table


def read_arcs(lines: Lines, edges: list[Arc] | None = None) -> NetworkRecord:
    """Read a list of arcs: CSV, Arrow or Parquet; undirected edges are added to `edges`, or refused if it is None.

    Raises `Malformed`: it is another table.
    """
    is_parquet = lines.beginning.startswith(PARQUET_MARK)
    if not is_parquet and not lines.beginning.startswith(ARROW_MARKS):
        return read_table(lines, edges)
    table = (read_parquet if is_parquet else read_arrow)(lines.data())
    if is_own(table, ARC_PROBABILITIES.name):
        raise Malformed(
            "expected a network, this is a table of arc probabilities", remedy="bnsl average makes a network of it"
        )
    names, columns = labelled(table)[:2]
    header = [name.strip() for name in names]
    is_sound = all(
        column.has_cells and (_is_text(column) or name in STRENGTH_COLUMNS) for name, column in zip(header, columns)
    )
    if not is_arc_header(header) or not is_sound:
        raise Malformed(
            "expected a network, this is a table of data; arcs are columns of text called from and to",
            remedy=f"a network is learnt from data by: bnsl optimize --data {option_value(lines.source)}",
        )
    cells = [["" if cell is None else str(cell) for cell in column.array().to_pylist()] for column in columns]
    return read_arc_rows(lines, header, [(n, list(row)) for n, row in enumerate(zip(*cells), 1)], edges)


def _is_text(column: LabelColumn) -> bool:
    return pyarrow.types.is_string(column.values.type) or pyarrow.types.is_large_string(column.values.type)


def arc_table(graph: NetworkRecord | EssentialGraph) -> pyarrow.Table:
    """The list of arcs as a table, strengths as numbers."""
    names, *rows = csv.reader(io.StringIO(arcs_text(graph)))
    types = [pyarrow.float64() if name in STRENGTH_COLUMNS else pyarrow.string() for name in names]
    columns = [text_array([row[i] for row in rows]).cast(kind) for i, kind in enumerate(types)]
    return pyarrow.table(columns, names=names)


def write_arc_table(target: str, graph: NetworkRecord | EssentialGraph, format: str) -> None:
    """Write a list of arcs as ``arrow`` (stream), ``feather`` (file) or ``parquet``."""
    table = arc_table(graph)
    with open_output(target) as stream, batch_writer(format, stream, table.schema) as writer:
        writer.write_table(table)
