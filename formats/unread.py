"""Formats that are recognised, so that messages name them and say what converts them, but neither read nor written.

Standard library only.
"""

from __future__ import annotations

from .kinds import Format, Kind

XML_PROLOG = rb"(?>(?:<\?[^>]*>\s*|<!--(?>(?:[^-]|-(?!->))*)-->\s*|<!(?!--)[^>]*>\s*|\]>\s*)*)"
"""What may precede the first element of an XML file; the expression is possessive."""

UAI_NUMBERS = rb"[ \t]*\n(?>(?:[ \t]*(?:\d++[ \t]*)?\n)*)[ \t]*\d++[ \t]+\d"
"""Lines of a number, then one of at least two numbers, which a table of one column has not."""

_OPENED = rb"[ \t]+\w+\s*+\{[ \t]*+(?:\n|\Z)"
_PACE_COMMENTS = rb"(?>(?:c[^\n]*\n|[ \t]*\n)*)"

_BY_PGMPY = "pgmpy reads it (readwrite.{}) and writes BIF, which is read (readwrite.BIFWriter)"


def _row(name: str, called: str, remedy: str = "", *, magic: tuple[bytes, ...] = (), pattern: bytes = b"") -> Format:
    return Format(name, Kind.UNKNOWN, called, magic=magic, pattern=pattern, remedy=remedy)


UNREAD = (
    _row("feather-v1", "a Feather file of version 1", magic=(b"FEA1",)),
    _row("gzip", "doubly compressed data", magic=(b"\x1f\x8b",)),
    _row("zip", "a zip archive (or a spreadsheet)", magic=(b"PK\x03\x04",)),
    _row("xz", "xz-compressed data", magic=(b"\xfd7zXZ\x00",)),
    _row("bzip2", "bzip2-compressed data", magic=(b"BZh",)),
    _row("zstd", "doubly compressed data", magic=(b"\x28\xb5\x2f\xfd",)),
    _row("hdf5", "an HDF5 file", magic=(b"\x89HDF",)),
    _row(
        "utf-16",
        "UTF-16 text",
        "convert it first: iconv -f utf-16 -t utf-8 FILE > NEW (spreadsheets: save as CSV UTF-8)",
        magic=(b"\xff\xfe", b"\xfe\xff"),
    ),
    _row(
        "arff",
        "an ARFF file of WEKA",
        "save it as CSV: WEKA, R (foreign::read.arff) and Python (scipy.io.arff.loadarff) read it",
        pattern=rb"(?>(?:%[^\n]*+\n\s*+)*)(?i:@relation)[ \t]",
    ),
    _row(
        "dagitty",
        "a graph of dagitty",
        "write digraph in place of its first word, dag, and it is a Graphviz graph, which is read",
        pattern=rb'(?:dag|pdag|mag|pag)[ \t]*+(?:"[^"\n]*"[ \t]*+)?\{',
    ),
    _row(
        "gml",
        "a GML graph",
        "write it as GraphML, which is read, in Python: "
        "networkx.write_graphml(networkx.read_gml('FILE'), 'NEW.graphml')",
        pattern=rb"(?>(?:(?:Creator|Version|comment)[ \t][^\n]*+\n\s*+)*)graph\s*+\[\s*+(?:(?:node|edge)\s*+\[|"
        rb'(?:directed|id|version|multigraph)\s++[-\d]|(?:comment|label|name|Creator)\s++")',
    ),
    _row(
        "libpgm",
        "a network of libpgm",
        "write its arcs as CSV, which is read, by: python -c \"import json; print('from,to', *map(','.join, "
        "json.load(open('FILE'))['E']), sep='\\n')\" > arcs.csv",
        pattern=rb'\{\s*+"(?:[VE]"\s*+:\s*+\[|Vdata"\s*+:\s*+\{)',
    ),
    _row(
        "dsl",
        "a DSL network, of GeNIe before XDSL",
        "pyAgrum reads it and writes BIF, which is read: pyagrum.saveBN(pyagrum.loadBN('FILE.dsl'), 'NEW.bif')",
        pattern=rb"net" + _OPENED,
    ),
    _row(
        "dne",
        "a Netica network",
        "GeNIe opens it and saves it as .xdsl, which is read",
        pattern=rb"(?>(?://[^\n]*\n\s*)*)bnet" + _OPENED,
    ),
    _row(
        "dsc",
        "a network of Microsoft's MSBN",
        "bnlearn of R reads it and writes BIF, which is read: write.bif('NEW.bif', read.dsc('FILE'))",
        pattern=rb"(?>(?://[^\n]*\n\s*)*)belief[ \t]+network\b",
    ),
    _row(
        "gr",
        "an undirected PACE graph",
        "it has no arcs: a network is directed",
        pattern=_PACE_COMMENTS + rb"p[ \t]+tw[ \t]+\d+[ \t]+\d+[ \t]*(?:\n|\Z)",
    ),
    _row(
        "td",
        "a tree decomposition of PACE",
        "it has no arcs: a network is directed",
        pattern=_PACE_COMMENTS + rb"s[ \t]+td[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]*(?:\n|\Z)",
    ),
    _row(
        "cyjs",
        "a Cytoscape network",
        "Cytoscape exports it as GraphML, which is read: File, Export, Network to File",
        pattern=rb'\{\s*"format_version"\s*:\s*"[\d.]++"\s*,\s*"generated_by"',
    ),
    _row("tikz", "a TikZ picture", pattern=rb"(?>(?:%[^\n]*+\n)*)\\begin\{tikzpicture\}"),
    _row(
        "uai-markov",
        "a Markov network of UAI",
        "it has no arcs: pyAgrum (loadMRF) and toulbar2 answer for its states",
        pattern=rb"MARKOV" + UAI_NUMBERS,
    ),
    _row("json", "JSON that is none of ours", pattern=rb'\{\s*["}]'),
    _row(
        "tetrad",
        "a network of Tetrad as XML",
        "write its graph as DOT, which is read: GraphSaveLoadUtils.graphToDot of Tetrad",
        pattern=XML_PROLOG + rb"<bayesNet[\s>]",
    ),
    _row(
        "probmodelxml",
        "a ProbModelXML network of OpenMarkov",
        _BY_PGMPY.format("ProbModelXMLReader"),
        pattern=XML_PROLOG + rb"<ProbModelXML[\s>]",
    ),
    _row(
        "xbn",
        "an XBN network of Microsoft's MSBN",
        _BY_PGMPY.format("XBNReader"),
        pattern=XML_PROLOG + rb"<ANALYSISNOTEBOOK[\s>]",
    ),
    _row("xml", "an XML file", pattern=rb"<(?:\?xml\b|!--|!DOCTYPE|(?=(?s:.*(?:</|/>)))[a-zA-Z][^<>]*+>)"),
)
"""A format of XML or JSON stands before the general one."""
