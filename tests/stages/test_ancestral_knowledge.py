"""Required and forbidden ancestors: what follows from them, contradictions, and records in headers."""

from __future__ import annotations

import random

import pytest
from naive.optimize.ancestors import all_networks, is_ancestor, keeps, random_pairs

from stages.ancestral_knowledge import Ancestors, ancestor_masks, shortest_path
from stages.knowledge import make_knowledge
from stages.recorded_knowledge import knowledge_record, recorded_knowledge
from stages.runtime.errors import InfeasibleError

ABCD = ("a", "b", "c", "d")
GRAPHS = {n: list(all_networks(n)) for n in (2, 3, 4)}


def test_worked_by_hand():
    found = Ancestors.of([(0, 1), (2, 3)], [(0, 3)]).implied([(1, 2)][:0], ABCD)
    assert found.required == ((0, 1), (2, 3))
    # a ~> b and c ~> d, but not a ~> d: so b is no ancestor of c, nor of d, and a none of c.
    assert set(found.forbidden) == {(1, 0), (3, 2), (0, 3), (0, 2), (1, 3), (1, 2)}


@pytest.mark.parametrize("seed", range(150))
def test_what_follows_holds_in_every_network(seed: int):
    rng = random.Random(seed)
    n = rng.choice([2, 3, 4])
    required, forbidden = random_pairs(rng, n, 4)
    fitting = [graph for graph in GRAPHS[n] if keeps(graph, required, forbidden)]
    given = Ancestors.of(required, forbidden)
    try:
        implied = given.implied([], ABCD)
    except InfeasibleError:
        assert not fitting
        return
    assert fitting and set(required) <= set(implied.required) and set(forbidden) <= set(implied.forbidden)
    assert all(keeps(graph, implied.required, implied.forbidden) for graph in fitting)
    for graph in rng.sample(GRAPHS[n], min(60, len(GRAPHS[n]))):
        assert given.agrees(graph) == keeps(graph, required, forbidden) == (not given.violations(graph))


def test_masks_and_paths():
    graph = ((), (0,), (1,), (0, 2))
    masks = ancestor_masks(graph)
    assert masks == [0b1, 0b11, 0b111, 0b1111]
    assert shortest_path(graph, 0, 3) == [0, 3] and shortest_path(graph, 1, 3) == [1, 2, 3]
    assert ancestor_masks(((1,), (0,))) is None and not Ancestors.of([], [(0, 1)]).agrees(((1,), (0,)))
    assert is_ancestor(graph, 1, 3) and not is_ancestor(graph, 3, 1)


@pytest.mark.parametrize(
    ("arcs", "required", "forbidden", "message"),
    [
        ([], [(0, 0)], [], "a ~> a is a loop"),
        ([], [(0, 1), (1, 0)], [], "a ~> b contradicts others, which make b an ancestor of a"),
        ([("b", "a")], [(0, 1)], [], "a ~> b contradicts others, which make b an ancestor of a"),
        ([], [(0, 1), (1, 2)], [(0, 2)], "a ~> c is forbidden, but follows from what is required"),
        ([("a", "b")], [], [(0, 1)], "a -> b is required but is excluded|a ~> b is forbidden, but follows"),
    ],
)
def test_contradictions_are_named(arcs, required, forbidden, message):
    with pytest.raises(InfeasibleError, match=message):
        make_knowledge(ABCD, arcs, ancestors=Ancestors.of(required, forbidden))


def test_a_path_that_no_arc_allows_is_named():
    with pytest.raises(InfeasibleError, match="a ~> c is required, but no path of permitted arcs"):
        make_knowledge(ABCD, allowed=[("a", "b"), ("d", "c")], ancestors=Ancestors.of([(0, 2)]))
    make_knowledge(ABCD, allowed=[("a", "b"), ("b", "c")], ancestors=Ancestors.of([(0, 2)]))


def test_excluded_arcs():
    knowledge = make_knowledge(ABCD, ancestors=Ancestors.of([(0, 1)], [(2, 3)]))
    assert knowledge.may_be_parent(0).tolist() == [False, False, True, True]
    assert knowledge.may_be_parent(3).tolist() == [True, True, False, False]
    assert knowledge.excludes(2, 3) == "is excluded: c ~> d may not be" and knowledge.limits_parents_of(3)
    alone = knowledge.of_arcs_alone
    assert not alone.ancestors and alone.may_be_parent(0).tolist() == knowledge.may_be_parent(0).tolist()


def test_records():
    names = ("a", "b->c", "x~>y", "c")
    knowledge = make_knowledge(names, [("a", "c")], [("c", "a")], ancestors=Ancestors.of([(0, 1)], [(2, 3), (3, 2)]))
    record = knowledge_record(knowledge)
    assert record["require"] == ["a->c", "a~>b->c"] and record["forbid"] == ["c->a", "x~>y~>c", "c~>x~>y"]
    found = recorded_knowledge([{"options": record}], names)
    assert found.equals(knowledge) and found.ancestors == knowledge.ancestors
    assert not found.equals(make_knowledge(names, [("a", "c")], [("c", "a")]))
    part = recorded_knowledge([{"options": record}], names[2:])
    assert part.ancestors == Ancestors.of([], [(0, 1), (1, 0)])
