"""HUGIN networks as other programs write them, sound and damaged."""

from __future__ import annotations

import io

import pytest
from helpers.parameter_files import open_parameters, write_parameters

from formats.errors import FormatError

NETWORK = """% made by hand
net { node_size = (80 40); }
discrete node rain { states = ("no" "yes, a lot"); label = "Rain % today"; position = (1 2); }
node wet
{
  states = ( "0" "1" );
}
potential ( rain ) { data = ( 0.8 0.2 ); }
potential ( wet | rain )
{
  data = (( 0.9 0.1 ) % no rain
          ( 0.25 0.75 ));
}
"""


def read(text: str, warn=None):
    return open_parameters(io.BytesIO(text.encode()), warn=warn)


def test_a_network_is_read():
    network = read(NETWORK)
    assert [v.name for v in network.variables] == ["rain", "wet"]  # a label is no name
    assert network.variables[0].states == ("no", "yes, a lot")
    assert network.parents == ((), (0,))
    assert network.tables[1].tolist() == [[0.9, 0.1], [0.25, 0.75]]


def test_a_label_that_stands_for_a_name_that_hugin_cannot_hold():
    assert read(NETWORK.replace("Rain % today", "rain")).variables[0].name == "rain"
    text = NETWORK.replace("rain", "rain_today").replace("Rain % today", "rain today")
    assert read(text).variables[0].name == "rain today"


def test_weights_are_divided_by_their_sum():
    network = read(NETWORK.replace("0.8 0.2", "10 90").replace("0.25 0.75", "1 1"))
    assert network.tables[0].tolist() == [0.1, 0.9]
    assert network.tables[1].tolist() == [[0.9, 0.1], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.25 0.75", "0 0", r"variable 'wet': the probabilities of \(yes, a lot\) sum to 0, not to 1"),
        ("0.25 0.75", "1 0.75", "sum to 1.75, not to 1"),
        ("0.25 0.75", "3 -1", "are negative or not finite"),
        ("0.25 0.75", "3 inf", "are negative or not finite"),
        ("( 0.25 0.75 )", "( 0.25 )", "3 probabilities where 4 are needed"),
        ("0.25", "0.5", "sum to 1.25, not to 1"),
        ("0.25", "x", "no table of numbers"),
        ("potential ( rain ) { data = ( 0.8 0.2 ); }", "", "no table of 'rain'"),
        ("wet | rain", "wet | snow", "unknown variable 'snow'"),
        ("node wet", "utility wet", "only chance nodes are read"),
        ('("no" "yes, a lot")', '("no" "no")', "needs distinct states"),
        ("0.75 ));\n}", "0.75", "the file ends early"),
        ("potential ( rain ) {", "potential ( rain | wet ) {", "where 4 are needed"),
    ],
)
def test_errors_are_reported(old: str, new: str, message: str):
    assert old in NETWORK
    with pytest.raises(FormatError, match=message):
        read(NETWORK.replace(old, new))


def test_the_name_as_pyagrum_writes_it():
    assert read(NETWORK.replace("net {", "net { name = rain today;")).name == "rain today"
    assert read(NETWORK).name == "unknown"


def test_a_string_goes_on_behind_a_backslash_at_the_end_of_a_line():
    text = NETWORK.replace('"yes, a lot"', '"yes, \\\na lot"').replace(
        "80 40)", '80 40); comment = "a \\"b\\" \\\n c"'
    )
    assert "\\\n" in text
    assert read(text).variables[0].states == ("no", "yes, a lot")


@pytest.mark.parametrize("name", ["rain(day)", "rain(day, 1(a))"])
def test_a_name_with_parentheses(name, tmp_path):
    network = read(NETWORK.replace("rain |", "rain|").replace("rain", name))
    assert [v.name for v in network.variables] == [name, "wet"] and network.parents == ((), (0,))
    path = str(tmp_path / "n.net")
    write_parameters(path, network, "net")
    again = open_parameters(path)
    assert [v.name for v in again.variables] == [name, "wet"]
    assert [table.tolist() for table in again.tables] == [table.tolist() for table in network.tables]


def test_a_file_may_begin_with_a_name_with_parentheses():
    node, potential = 'node cost(item) { states = ("lo" "hi"); }\n', "potential (cost(item)) { data = (0.3 0.7); }\n"
    for text in (node + potential, f"discrete {node}{potential}"):
        assert read(text).variables[0].name == "cost(item)"
    with pytest.raises(FormatError, match=r"a table of the unknown variable 'cost\(item\)'"):
        read(potential + node)


def test_a_potential_without_data_is_uniform():
    said: list[str] = []
    network = read(NETWORK[: NETWORK.index("potential ( wet")] + "potential (wet | rain) {}\n", said.append)
    assert network.tables[0].tolist() == [0.8, 0.2] and network.tables[1].tolist() == [[0.5, 0.5]] * 2
    assert said == ["<stream>: the potential of 'wet' has no data: it is uniform, as in HUGIN"]
    with pytest.raises(FormatError, match=r"'wet' is an expression \(model_nodes\), no table"):
        read(NETWORK.replace("data = ((", "model_nodes = (); model_data = (("))
