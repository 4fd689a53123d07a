"""What decides the directions of arcs: the same from whoever asks, and as counted network by network."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from helpers.cases.graphs import network_of
from helpers.seeds import seeds
from naive.average import consensus_directions
from naive.networks import all_networks, arcs

import bnsl
from formats.graph_records import UNDECIDED, directions_of

NAMES = "abcd"


def learnt(parents, required=(), forbidden=()) -> bnsl.Network:
    """A network as a search writes it."""
    known = {"require": required, "forbid": forbidden}
    options = {name: [f"{NAMES[a]}->{NAMES[b]}" for a, b in sorted(of)] for name, of in known.items() if of}
    network = network_of(parents, NAMES[: len(parents)])
    by = ({"stage": "optimize", "version": "1", "options": options},)
    return bnsl.Network(replace(network, header=replace(network.header, by=by)))


def words_of(network: bnsl.Network) -> dict:
    """The words of the header, after a look at what else says them."""
    stated = {
        (network.variables[a], network.variables[b]): by for (a, b), by in directions_of(network.record).items()
    }
    table = network.to_arrow()
    ends = zip(table["from"].to_pylist(), table["to"].to_pylist())
    said = table["direction"].to_pylist() if stated else []
    assert dict(zip(ends, said, strict=True)) == network.directions == stated
    headless = bnsl.convert(network, to="dot", quiet=True)
    assert str(headless).count("arrowhead=none") == list(stated.values()).count(UNDECIDED)
    return stated


def check(seed: int) -> None:
    """A consensus of up to five networks of two to four variables that agree with what is known."""
    rng = random.Random(seed)
    n, of_classes = rng.choice([2, 3, 4, 4]), rng.random() < 0.7
    truth, some = rng.choice(all_networks(n)), rng.random() < 0.4
    drawn = sorted(arcs(truth))
    required = frozenset(arc for arc in drawn if some and rng.random() < 0.2)
    forbidden = frozenset((b, a) for a, b in drawn if some and (a, b) not in required and rng.random() < 0.2)
    agreeing = [p for p in all_networks(n) if required <= arcs(p) and not forbidden & arcs(p)]
    networks = rng.choices(agreeing, k=rng.randint(1, 5))
    found = bnsl.average(
        [learnt(parents, required, forbidden) for parents in networks], cpdag=of_classes, seed=seed, quiet=True
    )
    expected = consensus_directions(networks, found.record.parents, required, forbidden, of_classes)
    assert words_of(found) == {(NAMES[a], NAMES[b]): word for (a, b), word in expected.items()}


@pytest.mark.parametrize("seed", seeds(200, 40))
def test_directions_of_a_consensus_are_counted(seed):
    check(seed)


def test_arcs_as_strong_as_their_reverse_are_decided_by_neither():
    """Of networks given as bits of parents; in the class of the consensus, all arcs are directed."""
    masks = (10, 8, 11, 0), (0, 4, 0, 5), (8, 0, 2, 6)
    found = bnsl.average(
        [learnt(tuple(tuple(p for p in range(4) if mask >> p & 1) for mask in of)) for of in masks], quiet=True
    )
    assert set(words_of(found).values()) == {"neither"}
    assert found.cpdag() == {"arcs": found.arcs, "edges": []}


def test_a_file_keeps_what_decides(tmp_path):
    found = bnsl.average([learnt(((), (0, 2), ())), learnt(((1,), (), ()))], cpdag=False, seed=1, quiet=True)
    found.save(tmp_path / "consensus.jsonl")
    assert bnsl.read(tmp_path / "consensus.jsonl").directions == found.directions == words_of(found)


def test_the_whole_decides_the_directions_of_a_part():
    """Of a -> c <- b all arcs are decided; a -> c alone could be turned."""
    part = learnt(((), (), (0, 1))).around("a")
    assert part.directions == {("a", "c"): "data"}
    assert part.to_arrow()["direction"].to_pylist() == ["data"]
    assert part.cpdag() == {"arcs": [], "edges": [("a", "c")]}


def test_a_network_that_was_given_has_directions_of_its_class():
    given = bnsl.Network(network_of(((), (0,), (1,)), "abc"))
    assert given.directions == {("a", "b"): "neither", ("b", "c"): "neither"}
    assert "direction" not in given.to_arrow().column_names
