"""Every way in which a network can be wrong is caught before it is written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from naive.optimize.networks_search import make_table
from naive.scores import local_score as naive_local_score

from formats.data_records import Dataset, Variable
from formats.errors import VerificationError
from formats.records import Header, NetworkRecord
from stages.knowledge import Knowledge, make_knowledge
from stages.optimize.verify import verify_network

TABLE = make_table({0: {(): -3.0}, 1: {(): -4.0, (0,): -1.0}, 2: {(1,): -2.0}}, fixed=(2,))


def network(parents=((), (0,), (1,)), scores=(-3.0, -1.0, -2.0), **extra):
    header = replace(TABLE.header, extra={"total": sum(scores), **extra})
    return NetworkRecord(header, tuple(parents), np.array(scores))


def test_a_right_network_passes():
    verify_network(network(), TABLE)
    verify_network(network(treewidth={"bound": 1, "width": 1, "elimination": [2, 1, 0]}), TABLE, treewidth=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (network(parents=((1,), (0,), ())), "cycle"),
        (network(parents=((), (1,), ())), "no parent set"),
        (network(parents=((), (3,), ())), "no parent set"),
        (network(parents=((), (), (1, 0))), "no parent set"),
        (network(total=-6.1), "total"),
        (network(parents=((), (2,), ())), "not a listed set"),
        (network(parents=((), (0,), ())), "not the fixed set"),
        (network(scores=(-3.0, -1.5, -2.0)), "differently"),
    ],
)
def test_wrong_networks_are_caught(wrong, message):
    with pytest.raises(VerificationError, match=message):
        verify_network(wrong, TABLE)


@pytest.mark.parametrize(
    "claim",
    [
        {"width": 1, "elimination": [1, 0, 2]},
        {"width": 1, "elimination": [0, 1]},
        {"width": 2, "elimination": [2, 1, 0]},
    ],
)
def test_wrong_widths_are_caught(claim):
    with pytest.raises(VerificationError):
        verify_network(network(treewidth=claim), TABLE, treewidth=1)


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (Knowledge.of_arcs("abc", required=[(0, 1)]), None),
        (Knowledge.of_arcs("abc", required=[(0, 2)]), "a -> c is required and not there"),
        (Knowledge.of_arcs("abc", forbidden=[(1, 0), (1, 2)]), "b -> c is forbidden"),
        (Knowledge.of_arcs("abc", tiers=[1, 0, -1]), "a -> b goes from tier 2 back"),
        (make_knowledge("abc", allowed=[("a", "b")]), "b -> c is not among the allowed arcs"),
    ],
)
def test_networks_against_the_knowledge_are_caught(knowledge, message):
    if message is None:
        verify_network(network(), TABLE, knowledge=knowledge)
        return
    with pytest.raises(VerificationError, match=message):
        verify_network(network(), TABLE, knowledge=knowledge)


def test_missing_certificate_is_caught():
    with pytest.raises(VerificationError, match="no elimination order"):
        verify_network(network(), TABLE, treewidth=1)


@pytest.mark.parametrize(
    ("parents", "elimination", "width"),
    [
        ([(), (), (0, 1)], [0, 1, 2], 2),
        ([(), (0,), (1,), (2,)], [0, 1, 2, 3], 1),
        ([(), (0,), (1,), (2,)], [1, 0, 2, 3], 2),
        ([(), ()], [1, 0], 0),
    ],
)
def test_hand_widths(parents, elimination, width):
    header = Header(tuple(Variable(f"V{i}") for i in range(len(parents))))
    for claimed in (width - 1, width, width + 1):
        claim = {"width": claimed, "elimination": elimination}
        learned = NetworkRecord(replace(header, extra={"treewidth": claim}), parents, np.zeros(len(parents)))
        if claimed == width:
            verify_network(learned, treewidth=width)
        else:
            with pytest.raises(VerificationError, match=f"proves width {width}, not {claimed}"):
                verify_network(learned, treewidth=3)
    if width:
        with pytest.raises(VerificationError, match="proves width"):
            verify_network(learned, treewidth=width - 1)


def test_hand_cycles():
    with pytest.raises(VerificationError, match=r"cycle among \[0, 1, 2\]"):
        verify_network(network(parents=((1,), (0,), (1,), ())))


@pytest.mark.parametrize("score", ["ll", "aic", "bic", "bdeu", "k2"])
def test_scores_from_data_are_checked(score):
    rng = np.random.default_rng(1)
    sizes = (2, 3, 4)
    codes = np.array([rng.integers(0, r, 60) for r in sizes], dtype=np.uint8)
    variables = tuple(Variable(f"V{i}", tuple(map(str, range(r)))) for i, r in enumerate(sizes))
    dataset = Dataset(variables, codes, "sha256:0")
    parents = ((), (0,), (0, 1))
    rows = codes.T.tolist()
    scores = np.array([naive_local_score(rows, sizes, c, p, score, 2.5) for c, p in enumerate(parents)])
    learned = NetworkRecord(Header(variables, score=score, ess=2.5), parents, scores)
    verify_network(learned, dataset=dataset)
    scores[1] += 1e-4
    with pytest.raises(VerificationError, match="data give"):
        verify_network(learned, dataset=dataset)
