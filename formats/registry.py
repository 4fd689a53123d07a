"""Every format, declared once: content, recognition, reader, writer, and its line of help.

Detection, the readers and writers of `formats`, the targets and help of ``bnsl convert`` and the list of ``bnsl
formats`` all derive from these rows. A new format is a module of its own and a row here, with these signatures:

- a network is read by ``read(lines: Lines) -> Network`` and written by ``text(network: Network) -> str``; the same
  with `Parameters` if it has parameters, and an `EssentialGraph` as well if it has edges;
- parent sets are read by ``read(lines, *, partial, warn) -> (Header, Iterator[ParentSetRecord])`` and written by
  ``chunks(header, records) -> Iterator[bytes]``;
- data are read by ``read(data: bytes, layout, warn) -> RawTable`` (or a table of pyarrow) and written by
  a class as `table_writer.CsvWriter`;
- a picture is written by ``text(drawing: Drawing) -> str``, or ``-> bytes``;
- forests and entropy tables have one format each; their rows name the functions that users call.

This module imports the standard library only, for the command line makes its choices of the rows; readers and writers
load when they are first needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from .kinds import Format, Kind
from .unread import UAI_NUMBERS, XML_PROLOG


def _row(about: tuple[str, Kind, str, str], code: tuple[str, str], **further: Any) -> Format:
    """A format by its name, kind, noun phrase and suffixes, its reader and writer, and its further fields."""
    name, kind, called, suffix = about
    reader, writer = (f".{place}" if place else "" for place in code)
    return Format(name, kind, called, suffix=suffix, reader=reader, writer=writer, **further)


def _json_lines(about: tuple[str, Kind, str, str], code: tuple[str, str], **further: Any) -> Format:
    """One of this program's formats as JSON lines; its header line names it."""
    pattern = rb'\{[^\n]*?"format"\s*:\s*"' + about[0].replace(".", r"\.").encode() + rb'"'
    return _row(about, code, pattern=pattern, opening=rb"\{", **further)


# The patterns run over a mebibyte: repetitions are possessive or bounded by what follows, so no pattern takes
# quadratic time. A group is repeated within an atomic one: Python 3.11.2 misreads possessive repetitions of groups.
# An opening brace follows the words before it or stands alone on a line; a table whose first column is called
# "network" or "graph" continues otherwise.
_ALONE = rb"[ \t]*+\n\s*+\{[ \t]*+\}?[ \t]*+(?:\n|\Z)"
_BRACE = rb"(?:[ \t]*+\{|[ \t]*+(?://[^\n]*)?" + _ALONE + rb")"
_WORDS = rb'(?:[ \t]++(?:"(?:[^"\\\n]|\\.)*"|[^\s,;{}"]++(?>(?:[ ]+[^\s,;{}"]++)*)))?'
_BLOCK = rb"(?:" + _WORDS + _BRACE + rb"|[ \t]*\n\s*+[^\s,;{}]+" + _ALONE + rb")"
_SKIP = rb"(?>(?:\s|#[^\n]*(?:\n|\Z))*)"
_NUMBER = rb"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
# A block of a pss file has lines of a score with parents, and one bare score for the empty set; no column of a table
# looks like this.
_PSS_SETS = rb"(?>(?:[ ]*(?:" + _NUMBER + rb"[ \t]+\S[^\n]*)?\n)*)"
_PSS_EMPTY = rb"[ ]*" + _NUMBER + rb"[ ]*(?:\n|\Z)"
_PSS_NEXT = rb"(?:VAR|META)[ \t]+\S"

FORMATS = (
    _json_lines(
        ("bnsl.parentsets", Kind.PARENT_SETS, "a parent-set file", ".sets.jsonl"),
        ("json_lines.jsonl:read_parent_sets", "json_lines.jsonl_writer:parent_set_chunks"),
        help="JSON lines: candidate parent sets of every variable",
        takes=("bnsl.network", "json"),
    ),
    _json_lines(
        ("bnsl.network", Kind.NETWORK, "a network file", ".net.jsonl"),
        ("json_lines.network_lines:read_network", "json_lines.network_lines:network_text"),
        help="JSON lines: a network: one parent set for every variable",
        takes=("bnsl.parentsets", "json"),
    ),
    _json_lines(
        ("bnsl.forest", Kind.FOREST, "a screening forest", ".forest.jsonl"),
        ("json_lines.screening_forests:open_forest", "json_lines.screening_forests:write_forest"),
        help="JSON lines: a screening forest: the parents of every screened variable",
        takes=("json",),
    ),
    _row(
        ("bnsl.entropy", Kind.ENTROPIES, "an entropy table", ".arrows"),
        ("tables.results.entropy_tables:open_entropies", "tables.results.entropy_tables:write_entropies"),
        help="Arrow IPC stream: one row per variable",
        pattern=rb'"?variable"?,"?states"?,"?entropy"?,"?H\(\.\|',
        takes=("arrow", "feather", "parquet"),
    ),
    _json_lines(
        ("bnsl.trace", Kind.TRACE, "a trace of explored sets", ".trace.jsonl"),
        ("", "sets.traces:open_trace"),
        help="JSON lines (or Arrow, Parquet by name): scored sets in the order of the search",
    ),
    _json_lines(
        ("bnsl.proof", Kind.PROOF, "a proof", ".proof.jsonl"),
        ("json_lines.proof_lines:open_proof", "json_lines.proof_lines:write_proof"),
        help="JSON lines: a proof that no network of listed sets scores more than a bound",
        takes=("json",),
    ),
    _row(
        ("bnsl.arc-probabilities", Kind.ARC_PROBABILITIES, "a table of arc probabilities", ".arrows"),
        (
            "tables.results.arc_probabilities:open_arc_probabilities",
            "tables.results.arc_probabilities:write_arc_probabilities",
        ),
        help="Arrow IPC stream: one row per pair of variables (also as CSV or Parquet)",
        pattern=rb'"?parent"?,"?child"?,"?probability"?,"?standard_error"?,"?either"?(?:,|[ \t]*(?:\n|\Z))',
        takes=("arrow", "feather", "parquet"),
    ),
    _row(
        ("csv", Kind.DATA, "a table", ".csv (.gz,.zst)"),
        ("tables.tabular:read_delimited", "tables.table_writer:CsvWriter"),
        help="delimited text with a header line",
    ),
    _row(
        ("tsv", Kind.DATA, "a table with tabs", ".tsv (.gz,.zst)"),
        ("tables.tabular:read_delimited", "tables.table_writer:TsvWriter"),
        help="the same with tabs",
    ),
    _row(
        ("parquet", Kind.DATA, "a Parquet file", ".parquet"),
        ("tables.arrow:read_parquet", "tables.table_writer:ParquetWriter"),
        help="Apache Parquet",
        magic=(b"PAR1",),
    ),
    _row(
        ("arrow", Kind.DATA, "an Arrow table", ".arrows"),
        ("tables.arrow:read_arrow", "tables.table_writer:ArrowWriter"),
        help="Arrow IPC stream",
        magic=(b"\xff\xff\xff\xff",),
    ),
    _row(
        ("feather", Kind.DATA, "an Arrow file", ".arrow .feather"),
        ("tables.arrow:read_arrow", "tables.table_writer:FeatherWriter"),
        help="Arrow IPC file, Feather",
        magic=(b"ARROW1",),
    ),
    _row(
        ("jkl", Kind.PARENT_SETS, "a jkl score file", ".jkl"),
        ("sets.jkl:read_jkl", "sets.jkl:jkl_chunks"),
        help="Jaakkola scores (Gobnilp, BLIP, MINOBS)",
        # A line with the number of variables, a line with a variable and its number of sets, a line with a score: no
        # table has rows like these.
        pattern=rb"0*[1-9]\d*[ \t]*\n" + _SKIP + rb"\S+[ \t]+\d+[ \t]*(?:\n" + _SKIP + rb"[-+.\dni]|\s*\Z)",
        opening=rb"\d+[ \t]*(?:\n|\Z)",
    ),
    _row(
        ("pss", Kind.PARENT_SETS, "a pss score file (URLearning)", ".pss"),
        ("sets.pss:read_pss", "sets.pss:pss_chunks"),
        help="URLearning scores, text",
        pattern=rb"(?i:META[ \t]+[^\s=,;|]+[ \t]*=|(?>(?:META[ \t][^\n]*\n\s*)+)VAR[ \t]|VAR[ ]+\S+[ ]*\n"
        rb"(?:"
        + _PSS_SETS
        + _PSS_NEXT
        + rb"|"
        + _PSS_SETS
        + _PSS_EMPTY
        + _PSS_SETS
        + rb"(?:"
        + _PSS_NEXT
        + rb"|\Z)))",
        opening=rb"(?i:META|VAR)[ \t]",
    ),
    _row(
        ("bif", Kind.PARAMETERS, "a BIF network", ".bif"),
        ("graphs.parameters.bif:read_bif", "graphs.parameters.bif:bif_text"),
        help="Bayesian interchange format 0.15",
        pattern=rb"(?i:network|variable|probability)" + _BLOCK,
    ),
    _row(
        ("net", Kind.PARAMETERS, "a HUGIN network", ".net"),
        ("graphs.parameters.hugin:read_hugin", "graphs.parameters.hugin:hugin_text"),
        help="HUGIN",
        pattern=rb"(?>(?:%[^\n]*\n\s*)*)(?:net|(?:class|(?:(?:discrete|continuous)[ ])?node)[ ]+\w+(?:\([^()\n]*\))?|"
        rb"potential[ ]*\((?>(?:[^()\n,]|\([^()\n]*\))*)\))" + _BRACE,
    ),
    _row(
        ("xmlbif", Kind.PARAMETERS, "an XMLBIF network", ".xmlbif .bifxml"),
        ("graphs.parameters.xmlbif:read_xmlbif", "graphs.parameters.xmlbif:xmlbif_text"),
        help="XML interchange format 0.3",
        pattern=XML_PROLOG + rb"<BIF[\s>]",
    ),
    _row(
        ("xdsl", Kind.PARAMETERS, "an XDSL network", ".xdsl"),
        ("graphs.parameters.xdsl:read_xdsl", "graphs.parameters.xdsl:xdsl_text"),
        help="GeNIe and SMILE",
        pattern=XML_PROLOG + rb"<smile[\s>]",
    ),
    _row(
        ("uai", Kind.PARAMETERS, "a UAI network", ".uai"),
        ("graphs.parameters.uai:read_uai", "graphs.parameters.uai:uai_text"),
        help="UAI competitions: numbers only",
        opening=rb"BAYES[ \t]*(?:\n|\Z)",
        pattern=rb"BAYES" + UAI_NUMBERS,
    ),
    _row(
        ("dot", Kind.NETWORK, "a Graphviz graph", ".dot .gv"),
        ("graphs.dot:read_dot", "graphs.dot:dot_text"),
        help="Graphviz directed graph",
        pattern=rb"(?i:(?:strict\s+)?(?:di)?graph)" + _BLOCK,
        has_edges=True,
    ),
    _row(
        ("graphml", Kind.NETWORK, "a GraphML graph", ".graphml"),
        ("graphs.graphml:read_graphml", "graphs.graphml:graphml_text"),
        help="GraphML directed graph",
        pattern=XML_PROLOG + rb"<(?:\w+:)?graphml[\s/>]",
        has_edges=True,
        takes=("xml",),
    ),
    _row(
        ("adjacency", Kind.NETWORK, "an adjacency matrix", ".csv"),
        ("graphs.csv_graphs:read_table", "graphs.csv_graphs:adjacency_text"),
        help="matrix of 0 and 1, row is parent of column",
        has_edges=True,
        takes=("csv", "binary"),  # a name may hold a control character
    ),
    _row(
        ("arcs", Kind.NETWORK, "a list of arcs", ".csv"),
        ("graphs.arc_tables:read_arcs", "graphs.csv_graphs:arcs_text"),
        help="list of arcs, columns from and to (also as Arrow or Parquet)",
        has_edges=True,
        takes=("csv", "parquet", "arrow", "feather"),
    ),
    _row(
        ("modelstring", Kind.NETWORK, "a model string", ".txt"),
        ("graphs.modelstring:read_modelstring", "graphs.modelstring:modelstring_text"),
        help="bnlearn model string [A][B|A]",
        # Families in brackets and nothing else; but a single one on each of several lines, without a bar, is a label
        # of a table.
        pattern=rb"(?=\[)(?=(?s:.*(?:\]\[|\|))|[^\n]*+\s*+\Z)(?>(?:\[[^\[\]\n]++\]\s*)*)(?:\[[^\[\]\n]*+\s*+)?\Z",
    ),
    _row(
        ("svg", Kind.PICTURE, "an SVG picture", ".svg"),
        ("", "pictures.svg:svg_text"),
        help="picture of a network, in layers",
        pattern=XML_PROLOG + rb"<(?:\w+:)?svg[\s/>]",
    ),
    _row(
        ("html", Kind.PICTURE, "a web page", ".html .htm"),
        ("", "pictures.html:html_text"),
        help="the same as a page: search, zoom, probabilities given findings",
        pattern=rb"(?i:<!doctype[ \t]+html[\s>]|<html[\s>])",
    ),
    _row(
        ("pdf", Kind.PICTURE, "a PDF document", ".pdf"),
        ("", "pictures.rendered:pdf_bytes"),
        help="the same on a page; needs cairosvg, rsvg-convert or inkscape",
        pattern=rb"%PDF-\d",
    ),
    _row(
        ("png", Kind.PICTURE, "a PNG picture", ".png"),
        ("", "pictures.rendered:png_bytes"),
        help="the same in pixels; needs what pdf needs",
        magic=(b"\x89PNG\r\n",),
    ),
)
"""All formats that are read or written, in the order of ``bnsl formats``."""

EMPTY = Format("empty", Kind.UNKNOWN, "empty input")
BINARY = Format("binary", Kind.UNKNOWN, "binary data")
COMPRESSED = (".gz", ".zst")
"""Endings of names under which data are written compressed."""


def find_format(name: str, rows: Iterable[Format] = FORMATS) -> Format:
    """The format of a name, with or without ``bnsl.``; raises `ValueError` if there is none among the rows."""
    for row in rows:
        if name in (row.name, row.target):
            return row
    raise ValueError(f"unknown format {name!r}; known are {', '.join(row.target for row in rows)}")


def named_formats(path: str) -> list[Format]:
    """The formats whose ending a file name has, ``.gz`` and ``.zst`` removed; most often one or none.

    Of several endings that fit, the longest counts: ``.net.jsonl`` is no ``.jsonl``.
    """
    name = path.lower()
    for packed in COMPRESSED:
        name = name.removesuffix(packed)
    lengths = {row.name: max((len(s) for s in row.suffixes if name.endswith(s)), default=0) for row in FORMATS}
    longest = max(lengths.values())
    return [row for row in FORMATS if longest and lengths[row.name] == longest]


def formats_of(*kinds: Kind, written: bool = False) -> list[Format]:
    """The formats of these kinds that are read, or that are `written`."""
    return [row for row in FORMATS if row.kind in kinds and (row.writer if written else row.reader)]


def load(place: str) -> Callable[..., Any]:
    """The function or class that a row names as ``.module:name``."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module, __package__), name)


def load_writer(name: str, *kinds: Kind) -> Callable[..., Any]:
    """The writer of a format of one of these kinds; a `ValueError` if no such format is written."""
    return load(find_format(name, formats_of(*kinds, written=True)).writer)
