"""Every format, once: what it holds, how it is recognised, what reads and writes it, and its line of help.

Detection, the readers and writers of `formats`, the targets and help of ``bnsl convert`` and the list of
``bnsl formats`` all derive from these rows. A new format is a module of its own and a row here:

- a network is read by ``read(lines: Lines) -> Network`` and written by ``text(network: Network) -> str``; the same
  with `BayesianNetwork` if it has parameters, and an `EssentialGraph` as well if it has edges; moral graphs and tree
  decompositions are written like networks;
- parent sets are read by ``read(lines, *, partial, warn) -> (Header, Iterator[SetBlock])`` and written by
  ``chunks(header, records) -> Iterator[bytes]``;
- data are read by ``read(data: bytes, layout, warn) -> RawTable`` (or a table of pyarrow) and written by
  a `table_writer.TableWriter`;
- a picture is written by ``text(drawing: Drawing) -> str``;
- of forests and entropy tables, which have one format each, the functions that users call are named.

`lookup` finds rows. Both import the standard library only, for the command line makes its choices of them; readers
and writers load when they are first needed.
"""

from __future__ import annotations

from typing import Any

from .kinds import Format, Kind


def _row(about: tuple[str, Kind, str, str], **code: Any) -> Format:
    """A format by its name, kind, noun phrase and suffixes, and its further fields."""
    name, kind, called, suffix = about
    return Format(name, kind, called, suffix=suffix, **code)


def _json_lines(about: tuple[str, Kind, str, str], **code: Any) -> Format:
    """A format of our own as JSON lines, which its header line names."""
    pattern = rb'\{[^\n]*?"format"\s*:\s*"' + about[0].replace(".", r"\.").encode() + rb'"'
    return _row(about, pattern=pattern, opening=rb"\{", **code)


# The patterns run over a mebibyte: what repeats is possessive or bounded by what follows, so that none takes
# quadratic time. An opening brace stands behind the words before it or alone on a line: a table whose first column
# is called "network" or "graph" goes on otherwise.
_ALONE = rb"[ \t]*+\n\s*+\{[ \t]*+\}?[ \t]*+(?:\n|\Z)"
_BRACE = rb"(?:[ \t]*+\{|[ \t]*+(?://[^\n]*)?" + _ALONE + rb")"
_WORDS = rb'(?:[ \t]++(?:"(?:[^"\\\n]|\\.)*"|[^\s,;{}"]++(?:[ ]+[^\s,;{}"]++)*+))?'
_BLOCK = rb"(?:" + _WORDS + _BRACE + rb"|[ \t]*\n\s*+[^\s,;{}]+" + _ALONE + rb")"
_SKIP = rb"(?:\s|#[^\n]*(?:\n|\Z))*+"
_NUMBER = rb"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
# In a block of a pss file lines with parents and one bare score, of the empty set; no column of a table is like it.
_PSS_SETS = rb"(?:[ ]*(?:" + _NUMBER + rb"[ \t]+\S[^\n]*)?\n)*+"
_PSS_EMPTY = rb"[ ]*" + _NUMBER + rb"[ ]*(?:\n|\Z)"
_PSS_NEXT = rb"(?:VAR|META)[ \t]+\S"
_XML_PROLOG = rb"(?:<\?[^>]*>\s*|<!--(?:[^-]|-(?!->))*+-->\s*|<!(?!--)[^>]*>\s*|\]>\s*)*+"
_PACE_COMMENTS = rb"(?:c[^\n]*\n|[ \t]*\n)*+"

FORMATS = (
    _json_lines(
        ("bnsl.parentsets", Kind.PARENT_SETS, "a parent-set file", ".sets.jsonl"),
        help="JSON lines: candidate parent sets of every variable",
        reader="json_lines.jsonl:read_parent_sets",
        writer="json_lines.jsonl_writer:parent_set_chunks",
        takes=("bnsl.network", "json"),
    ),
    _json_lines(
        ("bnsl.network", Kind.NETWORK, "a network file", ".net.jsonl"),
        help="JSON lines: a network: one parent set for every variable",
        reader="json_lines.network_lines:read_network",
        writer="json_lines.network_lines:network_text",
        takes=("bnsl.parentsets", "json"),
    ),
    _json_lines(
        ("bnsl.forest", Kind.FOREST, "a screening forest", ".forest.jsonl"),
        help="JSON lines: a screening forest: one parent for every screened variable",
        reader="json_lines.screening_forests:open_forest",
        writer="json_lines.screening_forests:write_forest",
        takes=("json",),
    ),
    _row(
        ("bnsl.entropy", Kind.ENTROPIES, "an entropy table", ".arrows"),
        help="Arrow IPC stream: one row per variable",
        pattern=rb'"?variable"?,"?states"?,"?entropy"?,"?H\(\.\|',
        reader="tables.results.entropies:open_entropies",
        writer="tables.results.entropies:write_entropies",
        takes=("arrow", "feather", "parquet"),
    ),
    _json_lines(
        ("bnsl.trace", Kind.TRACE, "a trace of explored sets", ".trace.jsonl"),
        help="JSON lines (or Arrow, Parquet by name): scored sets in the order of the search",
        writer="sets.traces:open_trace",
    ),
    _json_lines(
        ("bnsl.proof", Kind.PROOF, "a proof", ".proof.jsonl"),
        help="JSON lines: a proof that no network of listed sets scores more than a bound",
        reader="json_lines.proofs:open_proof",
        writer="json_lines.proofs:write_proof",
        takes=("json",),
    ),
    _row(
        ("bnsl.arc-probabilities", Kind.ARC_PROBABILITIES, "a table of arc probabilities", ".arrows"),
        help="Arrow IPC stream: one row per pair of variables (also as CSV or Parquet)",
        pattern=rb'"?parent"?,"?child"?,"?probability"?,"?standard_error"?,"?either"?(?:,|[ \t]*(?:\n|\Z))',
        reader="tables.results.arc_probabilities:open_arc_probabilities",
        writer="tables.results.arc_probabilities:write_arc_probabilities",
        takes=("arrow", "feather", "parquet"),
    ),
    _row(
        ("csv", Kind.DATA, "a table", ".csv (.gz,.zst)"),
        help="delimited text with a header line",
        reader="tables.tabular:read_delimited",
        writer="tables.table_writer:CsvWriter",
    ),
    _row(
        ("tsv", Kind.DATA, "a table with tabs", ".tsv (.gz,.zst)"),
        help="the same with tabs",
        reader="tables.tabular:read_delimited",
        writer="tables.table_writer:TsvWriter",
    ),
    _row(
        ("parquet", Kind.DATA, "a Parquet file", ".parquet"),
        help="Apache Parquet",
        magic=(b"PAR1",),
        reader="tables.arrow:read_parquet",
        writer="tables.table_writer:ParquetWriter",
    ),
    _row(
        ("arrow", Kind.DATA, "an Arrow table", ".arrows"),
        help="Arrow IPC stream",
        magic=(b"\xff\xff\xff\xff",),
        reader="tables.arrow:read_arrow",
        writer="tables.table_writer:ArrowWriter",
    ),
    _row(
        ("feather", Kind.DATA, "an Arrow file", ".arrow .feather"),
        help="Arrow IPC file, Feather",
        magic=(b"ARROW1",),
        reader="tables.arrow:read_arrow",
        writer="tables.table_writer:FeatherWriter",
    ),
    _row(
        ("jkl", Kind.PARENT_SETS, "a jkl score file", ".jkl"),
        help="Jaakkola scores (Gobnilp, BLIP, MINOBS)",
        # The number of variables alone, a variable and its number of sets, a score: no table is so ragged.
        pattern=rb"0*[1-9]\d*[ \t]*\n" + _SKIP + rb"\S+[ \t]+\d+[ \t]*(?:\n" + _SKIP + rb"[-+.\dni]|\s*\Z)",
        opening=rb"\d+[ \t]*(?:\n|\Z)",
        reader="sets.jkl:read_jkl",
        writer="sets.jkl:jkl_chunks",
    ),
    _row(
        ("pss", Kind.PARENT_SETS, "a pss score file (URLearning)", ".pss"),
        help="URLearning scores, text",
        pattern=rb"(?i:META[ \t]+[^\s=,;|]+[ \t]*=|(?:META[ \t][^\n]*\n\s*)++VAR[ \t]|VAR[ ]+\S+[ ]*\n"
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
        reader="sets.pss:read_pss",
        writer="sets.pss:pss_chunks",
    ),
    _row(
        ("bif", Kind.PARAMETERS, "a BIF network", ".bif"),
        help="Bayesian interchange format 0.15",
        pattern=rb"(?i:network|variable|probability)" + _BLOCK,
        reader="graphs.parameters.bif_reader:read_bif",
        writer="graphs.parameters.bif_writer:bif_text",
    ),
    _row(
        ("net", Kind.PARAMETERS, "a HUGIN network", ".net"),
        help="HUGIN",
        pattern=rb"(?:%[^\n]*\n\s*)*+(?:net|(?:class|(?:(?:discrete|continuous)[ ])?node)[ ]+\w+|"
        rb"potential[ ]*\([^()\n,]*\))" + _BRACE,
        reader="graphs.parameters.hugin:read_hugin",
        writer="graphs.parameters.hugin:hugin_text",
    ),
    _row(
        ("xmlbif", Kind.PARAMETERS, "an XMLBIF network", ".xmlbif .bifxml"),
        help="XML interchange format 0.3",
        pattern=_XML_PROLOG + rb"<BIF[\s>]",
        reader="graphs.parameters.xmlbif:read_xmlbif",
        writer="graphs.parameters.xmlbif:xmlbif_text",
    ),
    _row(
        ("xdsl", Kind.PARAMETERS, "an XDSL network", ".xdsl"),
        help="GeNIe and SMILE",
        pattern=_XML_PROLOG + rb"<smile[\s>]",
        reader="graphs.parameters.xdsl:read_xdsl",
        writer="graphs.parameters.xdsl:xdsl_text",
    ),
    _row(
        ("uai", Kind.PARAMETERS, "a UAI network", ".uai"),
        help="UAI competitions: numbers only",
        opening=rb"(?:BAYES|MARKOV)[ \t]*(?:\n|\Z)",
        # The number of variables alone, later a line of at least two numbers: a table of one column has none.
        pattern=rb"(?:BAYES|MARKOV)[ \t]*\n\s*\d++[ \t]*\n(?:[ \t]*(?:\d++[ \t]*)?\n)*+[ \t]*\d++[ \t]+\d",
        reader="graphs.parameters.uai:read_uai",
        writer="graphs.parameters.uai:uai_text",
    ),
    _row(
        ("dot", Kind.NETWORK, "a Graphviz graph", ".dot .gv"),
        help="Graphviz directed graph",
        pattern=rb"(?i:(?:strict\s+)?(?:di)?graph)" + _BLOCK,
        reader="graphs.dot:read_dot",
        writer="graphs.dot:dot_text",
        has_edges=True,
    ),
    _row(
        ("graphml", Kind.NETWORK, "a GraphML graph", ".graphml"),
        help="GraphML directed graph",
        pattern=_XML_PROLOG + rb"<(?:\w+:)?graphml[\s/>]",
        reader="graphs.graphml:read_graphml",
        writer="graphs.graphml:graphml_text",
        has_edges=True,
        takes=("xml",),
    ),
    _row(
        ("adjacency", Kind.NETWORK, "an adjacency matrix", ".csv"),
        help="matrix of 0 and 1, row is parent of column",
        reader="graphs.adjacency:read_table",
        writer="graphs.adjacency:adjacency_text",
        has_edges=True,
        takes=("csv", "binary"),  # a name may hold a control character
    ),
    _row(
        ("arcs", Kind.NETWORK, "a list of arcs", ".csv"),
        help="list of arcs, columns from and to (also as Arrow or Parquet)",
        reader="graphs.arc_tables:read_arcs",
        writer="graphs.adjacency:arcs_text",
        has_edges=True,
        takes=("csv", "parquet", "arrow", "feather"),
    ),
    _row(
        ("modelstring", Kind.NETWORK, "a model string", ".txt"),
        help="bnlearn model string [A][B|A]",
        # Families in brackets, nothing else; but one on each of several lines, without a bar, are labels of a table.
        pattern=rb"(?=\[)(?=(?s:.*(?:\]\[|\|))|[^\n]*+\s*+\Z)(?:\[[^\[\]\n]++\]\s*)*+(?:\[[^\[\]\n]*+\s*+)?\Z",
        reader="graphs.modelstring:read_modelstring",
        writer="graphs.modelstring:modelstring_text",
    ),
    _row(
        ("gr", Kind.MORAL_GRAPH, "a PACE graph", ".gr"),
        help="PACE 2016 graph",
        pattern=_PACE_COMMENTS + rb"p[ \t]+tw[ \t]+\d+[ \t]+\d+[ \t]*(?:\n|\Z)",
        writer="graphs.pace:gr_text",
    ),
    _row(
        ("td", Kind.DECOMPOSITION, "a PACE tree decomposition", ".td"),
        help="PACE 2016 tree decomposition",
        pattern=_PACE_COMMENTS + rb"s[ \t]+td[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]*(?:\n|\Z)",
        writer="graphs.pace:td_text",
    ),
    _row(
        ("svg", Kind.PICTURE, "an SVG picture", ".svg"),
        help="picture of a network, in layers",
        pattern=_XML_PROLOG + rb"<(?:\w+:)?svg[\s/>]",
        writer="pictures.svg:svg_text",
    ),
    _row(
        ("html", Kind.PICTURE, "a web page", ".html .htm"),
        help="the same as a page: search, zoom, Markov blankets",
        pattern=rb"(?i:<!doctype[ \t]+html[\s>]|<html[\s>])",
        writer="pictures.html:html_text",
    ),
)
"""All formats that are read or written, in the order of ``bnsl formats``."""

EMPTY = Format("empty", Kind.UNKNOWN, "empty input")
BINARY = Format("binary", Kind.UNKNOWN, "binary data")
COMPRESSED = (".gz", ".zst")
"""Endings of names under which data are written compressed."""

UNREAD = (
    Format("feather-v1", Kind.UNKNOWN, "a Feather file of version 1", magic=(b"FEA1",)),
    Format("gzip", Kind.UNKNOWN, "doubly compressed data", magic=(b"\x1f\x8b",)),
    Format("zip", Kind.UNKNOWN, "a zip archive (or a spreadsheet)", magic=(b"PK\x03\x04",)),
    Format("xz", Kind.UNKNOWN, "xz-compressed data", magic=(b"\xfd7zXZ\x00",)),
    Format("bzip2", Kind.UNKNOWN, "bzip2-compressed data", magic=(b"BZh",)),
    Format("zstd", Kind.UNKNOWN, "doubly compressed data", magic=(b"\x28\xb5\x2f\xfd",)),
    Format("hdf5", Kind.UNKNOWN, "an HDF5 file", magic=(b"\x89HDF",)),
    Format("utf-16", Kind.UNKNOWN, "UTF-16 text", magic=(b"\xff\xfe", b"\xfe\xff")),
    Format("dsl", Kind.UNKNOWN, "a DSL network (GeNIe writes XDSL, too)", pattern=rb"net[ \t]+\w+" + _BRACE),
    Format("json", Kind.UNKNOWN, "JSON that is none of ours", pattern=rb'\{\s*["}]'),
    Format(
        "xml", Kind.UNKNOWN, "an XML file", pattern=rb"<(?:\?xml\b|!--|!DOCTYPE|(?=(?s:.*(?:</|/>)))[a-zA-Z][^<>]*+>)"
    ),
)
"""What is recognised so that messages can name it, but not read or written."""
