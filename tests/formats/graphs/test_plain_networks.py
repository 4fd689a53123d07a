"""Formats of other packages: records to networks by names and back, what is refused, and in whose name."""

from __future__ import annotations

import io
import sys
import types

import numpy as np
import pytest
from helpers.format_strategies import bayesian_networks, networks, same_network, words
from hypothesis import given

from bnsl.plugin import Malformed, PlainNetwork, network_format
from formats.errors import FormatError, Inconsistent
from formats.graph_records import BayesianNetwork
from formats.graphs.plain_networks import plain_network, reader_of, record_of, writer_of
from formats.graphs.structures import network_from_arcs
from formats.registry import load
from formats.textlines import Lines


def row_of(monkeypatch, **functions):
    """The row of a format of the package ``mine``, of a module with these functions."""
    module = types.ModuleType("mine_format")
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, "mine_format", module)
    row = network_format("a file of mine", ".mine", "mine_format", "mine")
    return type(row)(**vars(row) | {"name": "own", "package": "mine"})


def lines(text: bytes = b"text\n") -> Lines:
    stream = io.BytesIO(text)
    stream.name = "n.mine"
    return Lines(stream)


@given(networks(words))
def test_networks_come_back(network):
    again = record_of(plain_network(network))
    assert same_network(again, network)
    assert [v.states for v in again.header.variables] == [v.states for v in network.header.variables]


@given(bayesian_networks())
def test_parameters_come_back(network):
    again = record_of(plain_network(network))
    assert isinstance(again, BayesianNetwork)
    assert (again.variables, again.parents) == (network.variables, network.parents)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(network.tables, again.tables))


def test_a_writer_cannot_change_the_record():
    table = np.array([0.5, 0.5])
    network = record_of(PlainNetwork({"a": ()}, {"a": ("x", "y")}, {"a": table}))
    plain_network(network).tables["a"][0] = 7.0
    assert network.tables[0].tolist() == [0.5, 0.5] == table.tolist()


STATES = {"a": ("x", "y"), "b": ("x", "y")}
HALF = np.full(2, 0.5)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (PlainNetwork({"a": ["b"], "b": ["a"]}), "the arcs form a cycle: a -> b -> a|the arcs form a cycle: b -> a"),
        (PlainNetwork({"a": ["c"]}), "variable 'a' has the unknown parent 'c'"),
        (PlainNetwork({"a": [], "b": ["a", "a"]}), "variable 'b' has a parent twice"),
        (PlainNetwork({" ": []}), "a variable without a name"),
        (PlainNetwork({"a": []}, {"a": ("x", "x")}), "variable 'a' needs distinct states"),
        (PlainNetwork({"a": []}, {"a": ()}), "variable 'a' needs distinct states"),
        (PlainNetwork({"a": []}, STATES), "variable 'b' has states or a table, but no parents"),
        (PlainNetwork({"a": [], "b": []}, STATES, {"a": HALF}), "no table of 'b'"),
        (PlainNetwork({"a": [], "b": ["a"]}, STATES, {"a": HALF, "b": HALF}), r"shape \(2,\), not \(2, 2\)"),
        (
            PlainNetwork({"a": []}, {"a": ("x", "y")}, {"a": [0.5, 0.6]}),
            "the probabilities of the variable sum to 1.1",
        ),
        (PlainNetwork({"a": []}, {}, {"a": [0.5, 0.5]}), "variable 'a' needs distinct states"),
    ],
)
def test_what_is_no_network_is_refused(monkeypatch, network, said):
    with pytest.raises(Inconsistent, match=said):
        record_of(network)
    with pytest.raises(FormatError, match=f"n.mine: .*({said})"), lines() as opened:
        reader_of(row_of(monkeypatch, read=lambda text: network), load)(opened)


def fail(error: Exception):
    def failing(given):
        raise error

    return failing


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (fail(Malformed("no colon", line=3)), "n.mine:3: no colon"),
        (fail(ValueError("no colon")), "n.mine: the format 'own' of the package mine: no colon"),
        (
            fail(KeyError("a")),
            "n.mine: the format 'own' of the package mine failed, KeyError: 'a'\n  report it to the",
        ),
        (lambda text: {"a": []}, "the package mine failed, TypeError: read() returned a dict, no PlainNetwork"),
        (lambda text: PlainNetwork({1: []}), "the package mine failed, AttributeError: "),
    ],
)
def test_failures_of_a_reader_are_of_its_package(monkeypatch, read, said):
    with pytest.raises(FormatError) as met, lines() as opened:
        reader_of(row_of(monkeypatch, read=read), load)(opened)
    assert str(met.value).startswith(said) or said in str(met.value)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (
            fail(ValueError("a blank")),
            "the format 'own' of the package mine: cannot hold this network: a blank\n  write",
        ),
        (
            fail(KeyError("a")),
            "the format 'own' of the package mine failed, KeyError: 'a'\n  report it to the authors",
        ),
        (lambda network: b"a", "the package mine failed, TypeError: write() returned a bytes, no text"),
    ],
)
def test_failures_of_a_writer_are_of_its_package(monkeypatch, write, said):
    with pytest.raises(Inconsistent) as met:
        writer_of(row_of(monkeypatch, write=write), load)(network_from_arcs(["a", "b"], [(0, 1)]))
    assert said in str(met.value)
