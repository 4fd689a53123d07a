"""BIF: what other programs write, what must be refused, round trips, and the published networks."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from helpers.format_strategies import bayesian_networks
from helpers.parameter_files import open_parameters, write_parameters
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent, Malformed
from formats.graphs.held_texts import is_line
from formats.graphs.network_files import open_network
from formats.records import Parameters

PLAIN = (SAMPLES / "plain.bif").read_text()
TWO = """network n {
}
variable A {
  type discrete [ 2 ] { x, y };
}
variable B {
  type discrete [ 3 ] { u, v, w };
}
probability ( A ) {
  table 0.25, 0.75;
}
probability ( B | A ) {
  (x) 0.5, 0.25, 0.25;
  (y) 0.125, 0.125, 0.75;
}
"""


def read(text: str | bytes) -> Parameters:
    return open_parameters(io.BytesIO(text.encode() if isinstance(text, str) else text))


# ---- by hand


def test_plain_sample():
    network = open_parameters(str(SAMPLES / "plain.bif"))
    assert network.variables == (
        Variable("Age", ("<5", "5-12", "12+")),
        Variable("Chest X-ray", ("Asy/Patch", "Grd_Glass")),
        Variable("Sick", ("yes", "no")),
    )
    assert network.parents == ((), (2, 0), (0,))
    age, xray, sick = network.tables
    assert age.tolist() == [0.25, 0.25, 0.5]
    # first axis Sick, second Age, third the X-ray itself
    assert xray[:, :, 0].tolist() == [[0.125, 0.375, 0.625], [0.25, 0.5, 0.75]]
    assert sick[:2].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert sick[2].sum() == pytest.approx(1, abs=1e-15)
    assert sick[2, 0] == pytest.approx(0.3333333 / 0.9999999, rel=1e-15)


def test_quoted_sample():
    network = open_parameters(str(SAMPLES / "quoted.bif"))
    assert network.name == "dog; {problem}"
    assert [v.name for v in network.variables] == ["family out", "light-on", "hear"]
    assert network.variables[1].states == ("on, bright", "off")
    assert network.variables[2].states == ("a//b", "c")
    assert network.parents == ((), (0,), (1, 0))
    # in a 'table' line the child varies slowest
    assert network.tables[1].tolist() == [[0.6, 0.4], [0.05, 0.95]]
    assert network.tables[2].tolist() == [[[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]]


def test_structure_of_a_bif_file():
    network = open_network(str(SAMPLES / "plain.bif"))
    assert network.parents == ((), (0, 2), (0,))
    assert np.isnan(network.scores).all()
    assert network.header.score == "unknown"
    assert network.header.variables[2].states == ("yes", "no")


def test_written_text(tmp_path):
    write_parameters(str(tmp_path / "out.bif"), read(TWO), "bif")
    assert (tmp_path / "out.bif").read_text() == TWO


def test_names_that_need_quotes(tmp_path):
    variables = (Variable('a "b", c', ("x y", "{", "//z")), Variable("<5\\", ("0", "1")))
    tables = (np.array([0.5, 0.25, 0.25]), np.array([[0.1, 0.9], [0.2, 0.8], [1.0, 0.0]]))
    network = Parameters(variables, ((), (0,)), tables, 'two "words"')
    path = str(tmp_path / "out.bif")
    write_parameters(path, network, "bif")
    again = open_parameters(path)
    assert (again.variables, again.parents, again.name) == (variables, ((), (0,)), 'two "words"')
    assert all(np.array_equal(a, b) for a, b in zip(again.tables, tables))


class TestComments:
    """A comment ends a name; whether ``//`` within a bare word begins one is never guessed."""

    LABELS = "type discrete [ 2 ] { yes, %s };"

    def states(self, labels: str, between: str = "") -> tuple[str, ...] | None:
        variable = f"network n {{ }} variable A {{\n {self.LABELS % labels}{between}\n}}\n"
        return read(variable + "probability ( A ) { table 0.5, 0.5; }").variables[0].states

    @pytest.mark.parametrize(
        "labels",
        ['no// "no"\n', 'no//"no"\n', "no//\n", "no// is, no\n", "no/* a, b */", '"no"//no\n', "/**/no", "no,//x\n"],
    )
    def test_a_comment_that_touches_a_label_is_no_part_of_it(self, labels: str):
        assert self.states(labels) == ("yes", "no")

    def test_a_comment_that_touches_a_sign(self):
        assert self.states("no", between="//no, no") == ("yes", "no")

    @pytest.mark.parametrize("label", ["a//b", "a/b", "http://a.b"])
    def test_a_bare_word_with_slashes_stays_whole(self, label: str):
        assert self.states(label) == ("yes", label)

    @pytest.mark.parametrize("labels", ["no//no\n", "no//is it no\n"])
    def test_what_may_be_either_is_refused(self, labels: str):
        with pytest.raises(Malformed, match=r":2: '//.*' touches a word"):
            self.states(labels)


def test_layout_does_not_matter():
    squeezed = TWO.replace("\n", " ").replace("  ", " ")
    spread = TWO.replace(" ", "\n").replace(",", "\n,")
    for text in (squeezed, spread, TWO.replace("\n", "\r\n"), "\ufeff" + TWO, TWO.upper().lower()):
        network = read(text)
        assert network.parents == ((), (0,))
        assert network.tables[1][1].tolist() == [0.125, 0.125, 0.75]


def test_parameters_of_a_noisy_function_are_no_table():
    """Each row of such a block is of one parent in one state, all others in their first."""
    with pytest.raises(Inconsistent, match=":13: the rows are parameters of a function"):
        read(TWO.replace("( B | A ) {", "( B | A ) {\n  property function max;"))


# ---- rows that do not quite sum to one


def test_rounded_rows_are_renormalised_and_exact_ones_kept():
    off = read(TWO.replace("0.5, 0.25, 0.25", "0.5002, 0.25, 0.25"))
    assert off.tables[1][0].sum() == pytest.approx(1, abs=1e-15)
    exact = read(TWO.replace("0.5, 0.25, 0.25", "0.1, 0.2, 0.7"))
    assert exact.tables[1][0].tolist() == [0.1, 0.2, 0.7]


@pytest.mark.parametrize(
    "row, expected",
    [
        ("0.51, 0.25, 0.25", r"\(x\) sum to 1.01, not to 1"),
        ("0, 0, 0", r"\(x\) sum to 0, not to 1"),
        ("-0.5, 0.75, 0.75", r"\(x\) are negative or not finite"),
        ("nan, 0.5, 0.5", "are negative or not finite"),
        ("inf, 0.5, 0.5", "are negative or not finite"),
    ],
)
def test_rows_that_are_no_distribution(row, expected):
    with pytest.raises(Inconsistent, match=expected):
        read(TWO.replace("0.5, 0.25, 0.25", row))


# ---- errors


@pytest.mark.parametrize(
    "old, new, line, expected",
    [
        ("(x) 0.5, 0.25, 0.25", "(x) 0.5, 0.5", 13, "2 probabilities where 3 are needed"),
        ("(x) 0.5, 0.25, 0.25", "(x) 0.5, 0.25, one", 13, "not a number in '0.5, 0.25, one'"),
        ("(x) 0.5", "(z) 0.5", 13, "'z' is no state of parent 'A'"),
        ("(x) 0.5", "(y) 0.5", 14, "two rows for (y)"),
        ("  (x) 0.5, 0.25, 0.25;\n", "", 12, "no probabilities for (x)"),
        ("(x) 0.5", "(x 0.5", 13, "a row without its closing parenthesis"),
        ("(x) 0.5", "when x 0.5", 13, "expected a row, 'table' or 'default', got 'when x"),
        ("  (x) 0.5, 0.25, 0.25;", "  (x) 0.5, 0.25, 0.25; table 1;", 13, "a 'table' line beside other rows"),
        ("table 0.25, 0.75", "table 0.25, 0.75, 0", 10, "3 probabilities where 2 are needed"),
        ("( B | A )", "( B | C )", 12, "unknown variable 'C'"),
        ("( B | A )", "( B | B )", 12, "names no variable, or one twice"),
        ("( B | A )", "( B | A, A )", 12, "names no variable, or one twice"),
        ("( B | A )", "( A | B )", 12, "two tables of 'A'"),
        ("( B | A )", "()", 12, "names no variable, or one twice"),
        ("( B | A )", "B given A", 12, "expected 'probability ( child | parents )'"),
        ("[ 3 ]", "[ 2 ]", 6, "announces 2 states but names 3"),
        ("u, v, w", "u, u, w", 6, "needs distinct states"),
        ("u, v, w", "u, , w", 6, "needs non-empty state names"),
        ("type discrete", "type continuous", 3, "has no 'type discrete"),
        ("variable B", "variable A", 6, "two variables are called 'A'"),
        ("variable B", "variable", 6, "a variable without a name"),
        ("probability ( A ) {", "utility ( A ) {", 9, "expected network, variable or probability"),
    ],
)
def test_broken_files(old, new, line, expected):
    assert old in TWO
    with pytest.raises(FormatError) as caught:
        read(TWO.replace(old, new, 1))
    assert str(caught.value).startswith(f"<stream>:{line}: ")
    assert expected in str(caught.value)


def test_blocks_missing_twice_or_cyclic():
    head, a, b = TWO.partition("probability ( A )")[0], "", ""
    a = TWO[TWO.index("probability ( A )") : TWO.index("probability ( B")]
    b = TWO[TWO.index("probability ( B") :]
    with pytest.raises(Inconsistent, match="no table of 'B'"):
        read(head + a)
    with pytest.raises(Inconsistent, match="two tables of 'A'"):
        read(head + a + a + b)
    cyclic = "probability ( A | B ) {\n default 0.5, 0.5;\n}\n"
    with pytest.raises(Inconsistent, match="the arcs form a cycle: "):
        read(head + cyclic + b)
    with pytest.raises(Malformed, match="no variable blocks"):
        read("network x {\n}\n")


def test_enormous_table_is_refused():
    states = ", ".join(map(str, range(100)))
    text = "".join(f"variable v{i} {{ type discrete [ 100 ] {{ {states} }}; }}\n" for i in range(6))
    text += "probability ( v0 | v1, v2, v3, v4, v5 ) { default 1; }\n"
    with pytest.raises(Malformed, match="more than 100000000 entries"):
        read(text)


def test_cut_at_every_byte():
    content = TWO.encode().rstrip()
    for size in range(len(content)):
        with pytest.raises(FormatError):
            read(content[:size])


@given(position=st.integers(0, 10**6), junk=st.binary(min_size=1, max_size=3))
def test_damaged_bytes_never_crash(position, junk):
    content = bytearray(PLAIN.encode())
    position %= len(content)
    content[position : position + len(junk)] = junk
    try:
        read(bytes(content))
    except FormatError as error:
        assert str(error)


def test_not_utf8_and_nul():
    with pytest.raises(Malformed, match=r"<stream>:6: not UTF-8 text"):
        read(TWO.replace("variable B", "variable \xe4").encode("latin1").replace(b"variable \xe4", b"\xe4", 1))
    with pytest.raises(Malformed, match="binary data"):
        read(TWO + "\0")


def test_writer_refuses_what_bif_cannot_hold(tmp_path):
    nan = Parameters((Variable("a", ("0",)),), ((),), (np.array([np.nan]),))
    with pytest.raises(ValueError, match="not finite"):
        write_parameters(str(tmp_path / "x"), nan, "bif")
    assert list(tmp_path.iterdir()) == []


HOSTILE = Parameters(
    (
        Variable("type", ("<=12.25", ">12.25")),
        Variable("mean area", ("no", "yes; or so")),
        Variable("mean_area", ("1.5", "2%")),
        Variable("a // b", ("table", '"q"')),
    ),
    ((), (0,), (0,), (1, 2)),
    (np.array([0.25, 0.75]), np.full((2, 2), 0.5), np.full((2, 2), 0.5), np.full((2, 2, 2), 0.5)),
    "network",
)
"""Names and labels that strict readers refuse."""


def test_names_that_others_refuse_come_back(tmp_path):
    path, warnings = str(tmp_path / "n.bif"), []
    write_parameters(path, HOSTILE, "bif", warnings.append)
    text = Path(path).read_text()
    assert "variable type {" in text and "{ <=12.25, >12.25 }" in text and '{ no, "yes; or so" }' in text
    assert warnings == ["pyAgrum and pgmpy refuse some names or labels (those of 'type'; 4 variables in all)"]
    again = open_parameters(path)
    assert again.variables == HOSTILE.variables and again.name == HOSTILE.name
    assert again.parents == HOSTILE.parents


def test_variables_of_one_state_are_reported(tmp_path):
    warnings: list[str] = []
    model = Parameters((Variable("a", ("0",)),), ((),), (np.array([1.0]),))
    write_parameters(str(tmp_path / "n.bif"), model, "bif", warnings.append)
    assert len(warnings) == 1 and "one state in BIF ('a'; 1 in all)" in warnings[0]


TAKEN = Parameters(
    tuple(
        Variable(name, labels) for name, labels in (("a", ("0", "1")), ("b_2", ("-1", "x.y")), ("c-d", ("no", "yes")))
    ),
    ((), (0,), (0, 1)),
    (np.array([0.25, 0.75]), np.full((2, 2), 0.5), np.full((2, 2, 2), 0.5)),
)
"""Names and labels that strict readers take."""


def test_pyagrum_reads_what_is_written(tmp_path):
    pyagrum = pytest.importorskip("pyagrum")
    path, warnings = str(tmp_path / "n.bif"), []
    write_parameters(path, TAKEN, "bif", warnings.append)
    network = pyagrum.loadBN(path)
    assert warnings == [] and sorted(network.names()) == ["a", "b_2", "c-d"] and network.sizeArcs() == 3


def test_pgmpy_reads_what_is_written(tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    path = str(tmp_path / "n.bif")
    write_parameters(path, TAKEN, "bif")
    model = readwrite.BIFReader(path).get_model()
    assert model.check_model() and len(model.nodes()) == len(model.edges()) == 3
    roots = [model.get_cpds(node) for node in model.nodes() if not model.get_parents(node)]
    assert [cpd.values.tolist() for cpd in roots] == [[0.25, 0.75]]
    assert roots[0].state_names == {"a": ["0", "1"]}


# ---- properties


@given(bayesian_networks())
def test_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.bif")
    if not all(is_line(text) for v in network.variables for text in (v.name, *v.states)):
        with pytest.raises(FormatError, match="bif cannot hold the"):
            write_parameters(path, network, "bif")
        return
    write_parameters(path, network, "bif")
    again = open_parameters(path)
    assert (again.variables, again.parents) == (network.variables, network.parents)
    assert again.name == (network.name if is_line(network.name) else "unknown")
    for ours, theirs in zip(again.tables, network.tables):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)
    write_parameters(path + "2", again, "bif")
    assert Path(path + "2").read_bytes() == Path(path).read_bytes()


# ---- published networks

PUBLISHED = {
    # nodes, arcs, free parameters, as the data's own documentation counts them
    "alarm": (37, 46, 509),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "pathfinder135": (135, 200, 77155),
    "link": (724, 1125, 14211),
}


def n_parameters(network: Parameters) -> int:
    return sum((t.shape[-1] - 1) * t.size // t.shape[-1] for t in network.tables)


@pytest.mark.slow
def test_published_networks(shared):
    paths = sorted((shared / "data" / "networks").glob("*.bif.gz"))
    assert paths
    for path in paths:
        network = open_parameters(str(path))
        for table in network.tables:
            np.testing.assert_allclose(table.sum(axis=-1), 1, atol=1e-12)
        name = path.name.removesuffix(".bif.gz")
        if name in PUBLISHED:
            found = len(network.variables), sum(map(len, network.parents)), n_parameters(network)
            assert found == PUBLISHED[name], name


def test_published_child_round_trips_digit_for_digit(shared, tmp_path):
    path = shared / "data" / "networks" / "child.bif.gz"
    network = open_parameters(str(path))
    assert Variable("Age", ("0-3_days", "4-10_days", "11-30_days")) in network.variables
    write_parameters(str(tmp_path / "child.bif"), network, "bif")
    written = (tmp_path / "child.bif").read_text()
    assert "{ <5, 5-12, 12+ }" in written
    again = open_parameters(str(tmp_path / "child.bif"))
    assert again.variables == network.variables
    assert all(np.array_equal(a, b) for a, b in zip(again.tables, network.tables))
    packed = tmp_path / "child.bif.gz"
    packed.write_bytes(gzip.compress((tmp_path / "child.bif").read_bytes()))
    assert open_parameters(str(packed)).parents == network.parents
