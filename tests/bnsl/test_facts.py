"""The line about a network: what is proved of it, in words that claim no more than the header."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsl.facts import consensus_facts, gap_text, network_facts, origin_facts, rounded_up
from formats.data_records import Variable
from formats.records import Header, NetworkRecord


def network(total=-100.0, about="all networks", gap=0.0, **more):
    """Two variables with this header."""
    bound = {} if about is None else {"bound": total + gap, "gap": gap, "bound_relative_to": about}
    header = Header((Variable("a"), Variable("b")), score="bic", extra={"total": total, **bound, **more})
    return NetworkRecord(header, ((), (0,)), np.array([total / 2, total / 2]))


@pytest.mark.parametrize(
    ("about", "gap", "text"),
    [
        ("all networks", 0.0, "optimal among all networks"),
        ("all networks with at most 2 parents each", 1e-14, "optimal among all networks with at most 2 parents each"),
        ("networks of the listed sets (more exist)", 0.0, "optimal among networks of the listed sets"),
        ("all networks", 0.25, "within 0.25 nats (0.25 %) of the best of all networks"),
        (
            "networks of the listed sets (more exist)",
            33.0,
            "within 33 nats (33 %) of the best network of the listed sets",
        ),
        ("networks of an unknown kind", 1.0, "within 1 nats (1 %) of the best network of an unknown kind"),
        # Rounded up, and without a share that is none to speak of.
        ("all networks", 33.0301, "within 33.04 nats (34 %) of the best of all networks"),
        ("all networks", 1e-9, "within 1e-09 nats of the best of all networks"),
        (None, 0.0, None),
    ],
)
def test_the_claim_in_a_header_in_words(about, gap, text):
    found = network(0.0 if gap == 1e-9 else -100.0, about, gap)
    assert gap_text(found) == text
    assert network_facts(found).endswith("2 variables, 1 arc" if text is None else f"1 arc, {text}")


def test_how_a_network_was_made():
    options = {
        "method": "ils",
        "time": 9.0,
        "forbid": ["a", "b"] * 20,
        "min_gain": None,
        "tabu": 0,
        "perturb": 2,
        "cpdag": True,
    }
    commands = ({"stage": "optimize", "options": options}, {"stage": "average"})
    made = Header((), rows=1234, by=commands, created="2026-11-28T22:57:58Z")
    assert origin_facts(made) == (
        "Made from 1,234 rows by optimize (method ils, time 9, forbid, perturb 2, cpdag), then average on 2026-11-28."
    )
    assert origin_facts(Header((), rows=1)) == "Made from 1 row." and origin_facts(Header((), created="2026")) == ""
    assert origin_facts(Header((), by=({"stage": "x", "options": [1]}, {}))) == "Made by x."


@given(st.floats(0.0, 1e12), st.integers(1, 6))
def test_a_gap_is_not_told_smaller_than_it_is(value, digits):
    told = Fraction(rounded_up(value, digits).replace(",", ""))
    assert told >= Fraction(repr(value))
    least = Fraction(repr(value)) * (1 + Fraction(10) ** (1 - digits))
    assert told <= max(least, Fraction(repr(value)) + (1 if value >= 10 ** (digits - 1) else 0))


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"decided": 12}, "all 12 orders solved exactly"),
        ({"decided": 1}, "the one order solved exactly"),
        (
            {"decided": 9, "undecided": 3, "undecided_gap": {"largest": 30.1, "mean": 12.5}},
            "9 of 12 orders solved exactly, the others to within 30.1 nats (mean 12.5)",
        ),
        (
            {"ktrees": 5, "unproved": 5, "unproved_gap": {"largest": 3.0, "mean": 2.0}},
            "0 of 5 k-trees solved exactly, the others to within 3 nats (mean 2)",
        ),
        ({"ktrees": 5, "undecided_ktrees": 2}, "2 of 5 k-trees not proved the most informative"),
        ({"treewidth": {"bound": 3, "width": 3}}, "treewidth at most 3"),
        ({"treewidth": {"bound": 3, "width": 2}}, "treewidth at most 2 (limit 3)"),
        (
            {"treewidth": {"bound": 3, "width": 3, "max_table": 18, "table": 12}},
            "treewidth at most 3, tables of at most 12 cells (limit 18)",
        ),
        ({"interrupted": True}, "interrupted"),
    ],
)
def test_what_a_search_says_of_its_work(facts, text):
    assert network_facts(network(about=None, **facts)) == f"bic -100.0000, 2 variables, 1 arc, {text}"


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        ({}, "agreement 7.667"),
        ({"agreement_bound": 7.6667}, "agreement 7.667, the highest possible"),
        ({"agreement_bound": 8.25}, "agreement 7.667 (at most 8.25 is possible)"),
    ],
)
def test_a_consensus_says_whether_another_could_agree_more(bound, text):
    found = network(about=None, networks=3, threshold=1 / 3, agreement=7.6667, **bound)
    line = f"consensus of 3 networks, 2 variables, 1 arc, joins pairs of strength above 0.3333, {text}"
    assert consensus_facts(found) == line
