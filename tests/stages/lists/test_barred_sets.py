"""Lists without the empty set: searches against trying all networks."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from formats.data_records import Variable
from formats.records import Header, ParentSetRecord, ParentSetTable
from stages.knowledge import make_knowledge
from stages.lists.barred_sets import bar_least_sets, children_without_least, refuse_barred
from stages.lists.constrain import keep_admissible
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter

N = 4
HEADER = Header(tuple(map(Variable, "abcd")), score="unknown")


def random_table(seed: int) -> ParentSetTable:
    """Lists of up to four sets, which lack the empty set in every other case."""
    rng = np.random.default_rng(seed)
    records = []
    for child in range(N):
        others = [v for v in range(N) if v != child]
        possible = [s for size in range(N) for s in itertools.combinations(others, size)][int(rng.random() < 0.5) :]
        chosen = [possible[i] for i in rng.choice(len(possible), rng.integers(1, 5), replace=False)]
        scores = np.sort(-10 * rng.random(len(chosen)))[::-1]
        records.append(ParentSetRecord.of(child, chosen, scores))
    return ParentSetTable.from_records(HEADER, records)


def is_acyclic(families) -> bool:
    left = set(range(N))
    while removable := {v for v in left if not left & set(families[v])}:
        left -= removable
    return not left


def best_total(table: ParentSetTable) -> float | None:
    """The score of the best network of listed sets, by trying all; None if all have cycles."""
    choices = itertools.product(*(range(a, b) for a, b in itertools.pairwise(table.set_offsets.tolist())))
    networks = [chosen for chosen in choices if is_acyclic([table.parent_set(s) for s in chosen])]
    return max((float(table.scores[list(chosen)].sum()) for chosen in networks), default=None)


@pytest.mark.parametrize("method", ["exact", "ils", "asobs"])
def test_the_best_network_of_listed_sets_is_found(method):
    n_infeasible = 0
    for seed in range(24):
        table = random_table(seed)
        expected = best_total(table)
        whole, barred = bar_least_sets(table)
        try:
            options = OptimizeOptions(method, restarts=None if method == "exact" else 40)
            network, _ = run(whole, options, Budget(), NullReporter())
            refuse_barred(network, barred)
        except InfeasibleError:
            assert expected is None
            n_infeasible += 1
            continue
        assert network.header.extra["total"] == pytest.approx(expected)
    assert 0 < n_infeasible < 24


@pytest.mark.parametrize("method", ["exact", "ils", "obs", "winasobs"])
def test_lists_that_knowledge_leaves_without_a_least_set_are_searched(method):
    """`b` must have the parent `a`, and lists it with `c` or with `d`; both `c` and `d` list `b`."""
    lists = {0: {(): -1.0}, 1: {(): -1.0, (0, 2): -2.0, (0, 3): -3.0}, 2: {(1,): -1.0, (): -9.0}, 3: {(): -4.0}}
    records = [ParentSetRecord.of(c, list(sets), list(sets.values())) for c, sets in lists.items()]
    knowledge = make_knowledge(HEADER.names, [(0, 1)])
    table = keep_admissible(ParentSetTable.from_records(HEADER, records), knowledge)
    whole, barred = bar_least_sets(table, knowledge)
    assert barred == {1: (0,)}
    options = OptimizeOptions(method, restarts=None if method == "exact" else 40, knowledge=knowledge)
    network, _ = run(whole, options, Budget(), NullReporter())
    refuse_barred(network, barred)
    assert network.parents == ((), (0, 3), (1,), ())
    assert network.header.extra["total"] == -9.0


def test_lists_with_a_least_set_stay_as_they_are():
    records = [ParentSetRecord.of(child, ((),), (0.0,)) for child in range(1, N)]
    records.append(ParentSetRecord.of(0, ((1, 2), (1,)), (-1.0, -2.0)))
    table = ParentSetTable.from_records(HEADER, records)
    assert children_without_least(table) == [] and bar_least_sets(table) == (table, {})


def test_the_message_says_whether_there_is_no_network():
    records = [ParentSetRecord.of(c, (((c + 1) % N,), ((c + 2) % N,)), (-1.0, -2.0)) for c in range(N)]
    table, barred = bar_least_sets(ParentSetTable.from_records(HEADER, records))
    assert barred == dict.fromkeys(range(N), ())
    network, _ = run(table, OptimizeOptions("exact"), Budget(), NullReporter())
    with pytest.raises(InfeasibleError, match=r"no network of listed sets exists: the lists of '.' lack"):
        refuse_barred(network, barred)
    unproved = replace(network, header=replace(network.header, extra={}))
    with pytest.raises(InfeasibleError, match="no network of listed sets was found"):
        refuse_barred(unproved, barred)
