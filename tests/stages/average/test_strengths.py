"""Arc strengths against plain counts, the significance threshold against areas."""

from __future__ import annotations

import dataclasses
import random

import pytest
from helpers.cases.graphs import network_of
from hypothesis import given
from hypothesis import strategies as st
from naive.average import threshold_by_areas
from naive.networks import all_networks

from formats.data_records import Variable
from formats.errors import Inconsistent
from stages.average.consensus import consensus_network
from stages.average.strengths import count_arcs, pair_strengths, significance_threshold
from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.optimize import OptimizeOptions
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter


def by_arc(table):
    return dict(zip(zip(table.parents.tolist(), table.children.tolist()), table.probability.tolist()))


@pytest.mark.parametrize("cpdag", [False, True])
def test_strengths_are_shares(cpdag):
    networks = random.Random(1).choices(all_networks(4), k=20)
    table = count_arcs(map(network_of, networks), cpdag).table
    found, n_halves = by_arc(table), 0
    for parent in range(4):
        for child in range(4):
            values = []
            for parents in networks:
                graph = essential_graph(parents)
                half = tuple(sorted((parent, child))) in graph.undirected
                whole = (parent, child) in (graph.directed if cpdag else list_arcs(parents))
                values.append(0.5 if cpdag and half else float(whole))
            n_halves += values.count(0.5)
            share = sum(values) / len(values)
            assert found.get((parent, child), 0.0) == pytest.approx(share)
            if share:
                row = list(found).index((parent, child))
                variance = sum((value - share) ** 2 for value in values) / len(values)
                assert table.standard_error[row] == pytest.approx((variance / len(values)) ** 0.5)
                assert table.either[row] == pytest.approx(share + found.get((child, parent), 0.0))
    assert (n_halves > 0) == cpdag
    assert table.header.extra == {"method": "counted", "networks": 20}
    keys = list(zip((-table.probability).tolist(), table.parents.tolist(), table.children.tolist()))
    assert keys == sorted(keys)


def test_variables_are_matched_by_name():
    one, other = network_of([(), (0,)], ["a", "b"]), network_of([(1,), ()], ["b", "a"])
    assert by_arc(count_arcs([one, other], cpdag=False).table) == {(0, 1): 1.0}


def test_screened_variables_are_kept_by_name_if_all_networks_have_them():
    def screened(names, variables, parents):
        network = network_of(parents, names)
        return dataclasses.replace(network, header=dataclasses.replace(network.header, extra={"screened": variables}))

    one, other = screened(["a", "b"], [1], [(), (0,)]), screened(["b", "a"], [0], [(1,), ()])
    table = count_arcs([one, other]).table
    assert table.header.extra["screened"] == [1]
    network = consensus_network(table, 0.5, OptimizeOptions(), Budget(), NullReporter())
    assert network.header.extra["screened"] == [1]
    assert "screened" not in count_arcs([one, network_of([(), (0,)], ["a", "b"])]).table.header.extra


def test_headers_keep_what_they_agree_in():
    one = network_of([(), (0,)], ["a", "b"])
    states = (Variable("a", ("0", "1")), Variable("b", ("x",)))
    entry = {"stage": "optimize", "version": "1", "options": {}}
    header = dataclasses.replace(
        one.header, variables=states, score="bdeu", ess=1.0, rows=9, data="sha256:0", by=(entry,)
    )
    same = dataclasses.replace(one, header=header)
    kept = count_arcs([same, same]).table.header
    assert kept == dataclasses.replace(header, extra={"method": "counted", "networks": 2})
    other = dataclasses.replace(
        header, variables=(states[0], Variable("b", ("y",))), score="bic", ess=None, rows=8, data="sha256:1", by=()
    )
    left = count_arcs([same, dataclasses.replace(one, header=other)]).table.header
    assert left.variables == (states[0], Variable("b"))
    assert (left.score, left.ess, left.rows, left.data, left.by) == ("unknown", None, None, None, ())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "c"], "network 2 lacks variable 'b': the networks have different variables"),
        (["a", "b", "c"], "network 2 has a variable 'c' more"),
    ],
)
def test_other_variables_are_refused(names, message):
    with pytest.raises(Inconsistent, match=message):
        count_arcs([network_of([(), (0,)], ["a", "b"]), network_of([()] * len(names), names)])


def test_no_network_is_an_error():
    with pytest.raises(StageError, match="no network to average"):
        count_arcs([])


def test_pairs_have_one_strength():
    table = count_arcs(map(network_of, [[(), (0,), ()], [(1,), (), ()], [(), (), (1,)]])).table
    assert pair_strengths(table) == pytest.approx({(0, 1): 2 / 3, (1, 2): 1 / 3})


def test_threshold_of_strengths_on_both_sides():
    assert significance_threshold([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439]) == 0.3921


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12))
def test_threshold_is_where_the_areas_are_least(counts):
    strengths = [count / 20 for count in counts]
    assert significance_threshold(strengths) == threshold_by_areas(strengths)


def test_threshold_of_no_pair():
    assert significance_threshold([]) == 0.0
    assert significance_threshold([1.0, 0.75]) == 0.0
