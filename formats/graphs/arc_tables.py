"""Lists of arcs as Arrow and Parquet files, for programs that read such tables; written only."""

from __future__ import annotations

import csv
import io

import pyarrow
import pyarrow.parquet

from ..graph_records import EssentialGraph
from ..records import Network
from ..streams import open_output
from .adjacency import arcs_text, essential_arcs_text


def write_arc_table(target: str, graph: Network | EssentialGraph, format: str) -> None:
    """Write the columns that a list of arcs has as CSV.

    Parameters
    ----------
    target : str
        A path, which appears only when all is written, or ``-``.
    graph : Network or EssentialGraph
    format : str
        ``arrow`` (stream), ``feather`` (Arrow file) or ``parquet``.
    """
    text = arcs_text(graph) if isinstance(graph, Network) else essential_arcs_text(graph)
    names, *rows = csv.reader(io.StringIO(text))
    columns = [pyarrow.array([row[i] for row in rows], pyarrow.string()) for i in range(len(names))]
    table = pyarrow.table(columns, names=names)
    with open_output(target) as stream:
        if format == "parquet":
            pyarrow.parquet.write_table(table, stream)
            return
        opened = pyarrow.ipc.new_file if format == "feather" else pyarrow.ipc.new_stream
        with opened(stream, table.schema) as writer:
            writer.write_table(table)
