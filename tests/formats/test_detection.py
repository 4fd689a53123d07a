"""Which format is this: known formats are never read as data, tables that look like them always are."""

from __future__ import annotations

import gzip
import io
import re
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.format_strategies import bayesian_networks, headers, networks, record_lists, renamed, words
from helpers.parameter_files import write_parameters
from helpers.places import CASES, ROOT, SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from bnsl_cli.main import cli
from formats import open_dataset, open_network, open_parent_sets, open_table_writer, write_network
from formats.data_records import Variable
from formats.detection import _COMMENTS, HEAD_SIZE, TAGGED_NAME, detect, detect_lines
from formats.errors import Malformed
from formats.kinds import STRUCTURES, Kind
from formats.registry import FORMATS, find_format, formats_of
from formats.sets.parent_sets import write_parent_sets
from formats.textlines import Lines
from formats.unread import UNREAD

HEADS = [
    (b"a,b\n1,2\n", "csv"),
    (b"\xef\xbb\xbfa,b\n", "csv"),
    (b"5\n1\n2\n", "csv"),
    (b"\xff\xff\xff\xff\x10\x01", "arrow"),
    (b"ARROW1\x00\x00", "feather"),
    (b"PAR1\x15", "parquet"),
    (b'{"format":"bnsl.network","version":1}\n', "bnsl.network"),
    (b' {"x": 1, "format" : "bnsl.forest"}', "bnsl.forest"),
    (b'{"format":"other"}', "json"),
    (b'{"a": 1}\n{"format":"bnsl.forest"}\n', "json"),
    (b"\xef\xbb\xbf// c\n/* d */ network a {}", "bif"),
    (b"/* a * / */ /**/\nvariable x {", "bif"),
    (b"network\nx\n{\n}\n", "bif"),
    (b'NETWORK "my net" // c\n{\n}\n', "bif"),
    (b"/**/" * 5000, "csv"),
    (b"2\n0 1\n-3.5 0\n", "jkl"),
    (b"# c\n\n2\n# d\n0 1\n-3.5 0\n", "jkl"),
    (b"2\r\n0 1\r\n-3,5 0\r\n", "jkl"),
    (b"[A][B|A][C|A:B]\n", "modelstring"),
    (b"[A]\n[B|A]\n[C]\n", "modelstring"),
    (b"[A]\n", "modelstring"),
    (b"[A][B|A][C|A:", "modelstring"),
    (b"META pss_version = 0.1\n", "pss"),
    (b"META free text\nMETA more\n\nVAR a\n-1\n", "pss"),
    (b"VAR a\n-1.5 b\n-2\nVAR b\n-1\n", "pss"),
    (b"var a\nMETA arity=2\n-1\n", "pss"),
    (b"VAR a\n-1", "pss"),
    (b"net\n{\n}\n", "net"),
    (b"% made by x\nnet { }\nnode a {", "net"),
    (b"class x\n{\n", "net"),
    (b"net Unnamed\n{\n\tnode a\n", "dsl"),
    (b"net Unnamed {\n", "dsl"),
    (b"// ~->[DNET-1]->~\n\n// File created by someone\n\nbnet Asia {\n", "dne"),
    (b"bnet Asia\n{\n", "dne"),
    (b'belief network "Asia"\nnode a\n{\n', "dsc"),
    (b"net weight\n1 2\n", "csv"),
    (b"strict digraph {", "dot"),
    (b'graph "a, b" {\n', "dot"),
    (b"Digraph G\n{\n  a -> b\n}\n", "dot"),
    (b"<graphml>", "graphml"),
    (b'<?xml version="1.0"?>\n<!-- a > b -->\n<graphml xmlns="x">', "graphml"),
    (b"<?xml version='1.0'?>\n<bif>", "xml"),
    (b"<html><body/></html>", "html"),
    (b"<!DOCTYPE html>\n<html lang='en'>", "html"),
    (b'{"format_version":"1.0","generated_by":"bnsl","data":{', "cyjs"),
    (b"% Bayesian network\n\\begin{tikzpicture}[x=1bp]\n", "tikz"),
    (b"%PDF-1.7\n%\xb5\xed\n", "pdf"),
    (b'<?xml version="1.0"?>\n<svg xmlns="x">', "svg"),
    (b"<note><body/></note>", "xml"),
    (b"c a comment\np tw 3 2\n1 2\n2 3\n", "gr"),
    (b"s td 1 2 2\nb 1 1 2\n", "td"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"a\x01b", "binary"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\r", "png"),
    ("a,b\n".encode("utf-16"), "utf-16"),
    (b"% a comment\n\n% and one\n@relation 'toy set'\n@attribute a {x, y}\n", "arff"),
    (b"@RELATION toy\n", "arff"),
    (b"dag{ X -> Y ; Z -> X }", "dagitty"),
    (b'pdag "a graph" {\nX\n', "dagitty"),
    (b'graph [ directed 1 node [ id 0 label "X" ] ]', "gml"),
    (b'Creator "igraph version 1.3"\nVersion 1\ngraph\n[\n  directed 1\n', "gml"),
    (b"graph\n[\n  node\n  [\n", "gml"),
    (b"MARKOV\n3\n2 2 3\n2\n", "uai-markov"),
    (b'{"V":["A","B"],"E":[["A","B"]]}', "libpgm"),
    (b'{\n "Vdata": {"A": {"ord": 0}}}', "libpgm"),
    (b'<?xml version="1.0"?>\n<bayesNet><bnVariables/></bayesNet>', "tetrad"),
    (b'<?xml version="1.0"?>\n<ProbModelXML formatVersion="0.2.0">', "probmodelxml"),
    (b'<?xml version="1.0"?>\n<ANALYSISNOTEBOOK NAME="x">', "xbn"),
    (b"<script>alert(1)</script>,b\n1,2\n", "csv"),
    (b"<b>x</b>\t<b>y</b>\n1\t2\n", "csv"),
    (b"<a/>;b\n</a>;2\n", "csv"),
    (b"<svg>,b\n1,</svg>\n", "csv"),
    (b"<a><b>x</b></a>\n", "xml"),
    (b"", "empty"),
    (b" \r\n\t\n", "empty"),
]


@pytest.mark.parametrize(("head", "name"), HEADS, ids=lambda value: repr(value[:30]))
def test_heads(head: bytes, name: str):
    assert detect(head).name == name
    assert detect(head).called


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_samples(path):
    ending = path.suffix.removeprefix(".")
    ours = {f"{row.target}.v1.jsonl": row.name for row in FORMATS} | {"sets.v1.jsonl": "bnsl.parentsets"}
    ours |= {"modelstring.txt": "modelstring"}
    assert detect(path.read_bytes()).name == ours.get(path.name, ending)


def test_no_group_is_repeated_possessively():
    """Python 3.11.2 loses a character after such a repetition of a group that holds another."""
    patterns = [row.pattern for row in (*FORMATS, *UNREAD) if row.pattern] + [TAGGED_NAME.pattern, _COMMENTS.pattern]
    assert len(patterns) > 20
    assert [p for p in patterns if re.search(rb"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+", p)] == []


@pytest.mark.parametrize("row", [*FORMATS, *UNREAD], ids=lambda row: row.name)
def test_patterns_exclude_each_other(row):
    """No head is claimed by two rows, so their order does not matter; a tagged name of a column is seen before."""
    mine = [head for head, name in HEADS if name == row.name and not TAGGED_NAME.match(head)]
    others = [other for other in (*FORMATS, *UNREAD) if other.pattern and other.name != row.name]
    of_json = {"bnsl.parentsets", "bnsl.network", "bnsl.forest", "cyjs", "libpgm"}
    general = {"json": of_json, "xml": {"graphml", "svg", "html", "tetrad", "probmodelxml", "xbn"}}
    for head in mine:
        text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        for other in others:
            if row.name not in general.get(other.name, ()):
                assert not re.match(other.pattern, text), (row.name, other.name)


# ---- what our writers make is recognised, in text and in files, packed or not


def told_by_lines(content: bytes) -> str:
    """The answer for a stream, which must not consume anything."""
    lines = Lines(io.BytesIO(content))
    name = detect_lines(lines).name
    assert detect_lines(lines).name == name
    assert next(lines).strip() in content
    return name


def assert_detected(content: bytes, name: str) -> None:
    """Both ways of asking give this answer; no reader of data takes the content."""
    assert detect(content[:HEAD_SIZE]).name == name
    assert told_by_lines(content) == name


@pytest.mark.parametrize("row", formats_of(*STRUCTURES, written=True), ids=lambda row: row.name)
@given(data=st.data())
def test_written_networks_are_detected(tmp_path_factory, row, data):
    path = tmp_path_factory.getbasetemp() / "written"
    if row.kind is Kind.PARAMETERS:
        write_parameters(str(path), renamed(data.draw(bayesian_networks())), row.target)
    else:
        write_network(str(path), data.draw(networks(words)), row.target)
    assert_detected(path.read_bytes(), "csv" if "csv" in row.takes else row.name)


@pytest.mark.parametrize("row", formats_of(Kind.PARENT_SETS, written=True), ids=lambda row: row.name)
@given(data=st.data())
def test_written_parent_sets_are_detected(tmp_path_factory, row, data):
    header = data.draw(headers(words, words))
    path = tmp_path_factory.getbasetemp() / "written"
    write_parent_sets(str(path), header, data.draw(record_lists(header)), format=row.target)
    assert_detected(path.read_bytes(), row.name)


# ---- and no command reads it as data


REFUSED = [
    row
    for row in FORMATS
    if row.writer and row.kind in (*STRUCTURES, Kind.PARENT_SETS, Kind.PICTURE)
    if "csv" not in row.takes  # a matrix of 0 and 1, or a list of arcs, is a data table like any other
]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_no_known_format_is_read_as_data(tmp_path, monkeypatch, row, packed):
    made_by = {"svg2pdf": lambda **_: b"%PDF-1.5\n%\xb5\xed\n", "svg2png": lambda **_: b"\x89PNG\r\n\x1a\n\0"}
    monkeypatch.setitem(sys.modules, "cairosvg", SimpleNamespace(**made_by))
    source = CASES / "data" / "small.bif"
    target = tmp_path / "made"
    runner = CliRunner()
    if row.kind is Kind.PARENT_SETS:
        sets = open_parent_sets(str(SAMPLES / "sets.v1.jsonl"))
        write_parent_sets(str(target), sets.header, sets.records(), format=row.target)
    else:
        if row.target == "xdsl":  # whose labels are identifiers
            source = ROOT / "bnsl" / "bundled" / "asia.bif"
        made = runner.invoke(cli, ["convert", "-q", str(source), "--to", row.target, "-o", str(target)])
        assert made.exit_code == 0, made.output
    if packed:
        target.write_bytes(gzip.compress(target.read_bytes()))
    for command in (["entropy"], ["screen", "--roots", "0.5"], ["parentsets"], ["discretize", "--like"]):
        inputs = [str(target), str(target)] if command[-1] == "--like" else [str(target)]
        result = runner.invoke(cli, [*command, *inputs, "-o", str(tmp_path / "out")])
        assert result.exit_code == 65, (command, result.output)
        # Networks and parent sets may say how to cut, but not those that know no states.
        if command[-1] != "--like":
            assert f"this is {row.called}, not a data table\n  data may be CSV" in result.stderr
        assert not (tmp_path / "out").exists()


NETWORKS = {name for row in formats_of(Kind.NETWORK, Kind.PARAMETERS) for name in (row.name, *row.takes)}


@pytest.mark.parametrize("head", [head for head, name in HEADS if name not in NETWORKS | {"empty"}], ids=repr)
def test_messages_name_what_is_no_network(head: bytes):
    called = re.escape(detect(head).called)
    with pytest.raises(Malformed, match=f"expected a network, this looks like {called}"):
        open_network(io.BytesIO(head))


@pytest.mark.parametrize("row", [row for row in UNREAD if row.remedy], ids=lambda row: row.name)
def test_formats_that_are_not_read_are_named_with_what_converts_them(tmp_path, row):
    path = tmp_path / "given"
    path.write_bytes(next(head for head, name in HEADS if name == row.name))
    for command in (["entropy", str(path)], ["convert", str(path), "--to", "network"]):
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 65
        assert row.called in result.stderr and f"\n  {row.remedy}" in result.stderr


# ---- tables that begin like another format


KEYWORDS = [
    *("network", "variable", "probability", "graph", "digraph", "strict graph", "strict digraph", "net"),
    *("node", "class", "potential", "potential (V)", "VAR", "META", "VAR x", "META y", "var", "meta"),
    *("[x]", "[x|y]", "[0-5)", "[0,1]", "<a>", "<5", "<=1", "</a>", "p tw", "s td", "c", "p", "s"),
    *("PAR1", "FEA1", "ARROW1", "BZh", "1", "20", "#n", "//n", "network x", "graph x", "node a", "{x}"),
]
TABLES = [
    *(f"{word},b\n0,1\n1,0\n" for word in KEYWORDS if "," not in word),
    *(f"{word}\tb\n0\t1\n1\t0\n" for word in KEYWORDS),
    *(f"{word};b\n0;1\n1;0\n" for word in KEYWORDS),
    *(f"{word}\n0\n1\n0\n" for word in KEYWORDS if "," not in word),
    "VAR x\n0 1\n1 0\n0 0\n",
    "META x\n0 1\n1 0\n0 0\n",
    "network\n{a}\n{b}\n",
    "graph\n{a}\n{b}\n",
    "net\n(1)\n(2)\n",
    "[x]\n[a]\n[b]\n",
    "<a>\n<b>\n<c>\n",
    "p tw\n1 2\n2 3\n",
    "5\n1\n2\n",
    '{x,"{y}"\n0,1\n1,0\n',
]


@pytest.mark.parametrize("text", TABLES, ids=repr)
def test_tables_stay_tables(tmp_path_factory, text: str):
    path = tmp_path_factory.getbasetemp() / "table"
    delimiter = next((mark for mark in "\t;" if mark in text), ",")
    for line_end in ("\n", "\r\n"):
        content = text.replace("\n", line_end).encode()
        assert_detected(content, "csv")
        path.write_bytes(content)
        table = open_dataset(str(path), delimiter=delimiter)
        assert table.n_rows == text.count("\n") - 1
        path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + content))
        assert open_dataset(str(path), delimiter=delimiter).codes.tolist() == table.codes.tolist()


names = st.sampled_from(KEYWORDS) | st.text("abcXYZ019_ .[]()|%#+-", min_size=1, max_size=6).map(str.strip)


@given(st.data())
def test_every_table_that_we_write_is_a_table(tmp_path_factory, data):
    columns = data.draw(st.lists(names.filter(bool), min_size=1, max_size=4, unique=True))
    labels = st.text("abc019._-", min_size=1, max_size=3)
    variables = [
        Variable(name, tuple(data.draw(st.lists(labels, min_size=1, max_size=3, unique=True)))) for name in columns
    ]
    n_rows = data.draw(st.integers(2, 5))
    codes = [[data.draw(st.integers(0, len(v.known_states) - 1)) for _ in range(n_rows)] for v in variables]
    for format in ("csv", "parquet", "arrow"):
        path = tmp_path_factory.getbasetemp() / "table"
        with open_table_writer(str(path), variables, format) as writer:
            writer.write(np.array(codes, dtype=np.uint8))
        assert detect(path.read_bytes()[:HEAD_SIZE]).name == format
    assert find_format("csv").kind is Kind.DATA


def test_a_damaged_file_is_explained_as_what_it_was_to_be():
    for text, message in [("VAR a\nscore\n", "expected SCORE"), ("2\n0\n", "VARIABLE NUMBER_OF_SETS")]:
        assert detect(text.encode()).name == "csv"
        with pytest.raises(Malformed, match=message):
            open_parent_sets(io.BytesIO(text.encode()))


def test_json_lines_are_detected_by_their_first_line():
    """The records may be long in coming."""

    class Slow(io.RawIOBase):
        """A stream that must not be asked for more than its first line."""

        sent = False

        def readable(self):
            return True

        def readinto(self, buffer):
            assert not self.sent, "asked for a second line"
            self.sent = True
            head = b'{"format":"bnsl.parentsets"}\n'
            buffer[: len(head)] = head
            return len(head)

    assert detect_lines(Lines(Slow())).name == "bnsl.parentsets"


@pytest.mark.parametrize(
    "text",
    [
        b"network" + b"\n" * HEAD_SIZE,
        b"graph " + b"a " * (HEAD_SIZE // 2),
        b"graph " + b" " * HEAD_SIZE + b",",
        b"[a" + b" " * HEAD_SIZE + b"\nx",
        b"[a]" * (HEAD_SIZE // 3) + b"\nx",
        b"<a" * (HEAD_SIZE // 2),
        b"<!--" * (HEAD_SIZE // 4),
        b"/*" * (HEAD_SIZE // 2),
        b"META x\n" * (HEAD_SIZE // 7),
        b"VAR x\n" + b"1 2\n" * (HEAD_SIZE // 4),
        b"VAR x\n" + b"1" * HEAD_SIZE,
        b"1" * HEAD_SIZE,
        b"1\n" * (HEAD_SIZE // 2),
        b"c\n" * (HEAD_SIZE // 2),
        b'{"' + b'"format":' * (HEAD_SIZE // 9),
        b"% \n" * (HEAD_SIZE // 3),
        b"#\n" * (HEAD_SIZE // 2),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_head_takes_long(text: bytes):
    begin = time.process_time()
    detect(text[:HEAD_SIZE])
    assert time.process_time() - begin < 5  # quadratic time would be hours


def test_a_table_instead_of_sets_gets_a_remedy(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,b\n0,1\n1,0\n")
    with pytest.raises(
        Malformed, match=r"bnsl parentsets DATA lists them; a network .* bnsl optimize --data \S*d\.csv"
    ):
        open_parent_sets(str(path))
