"""Random networks and rows drawn from networks."""

from __future__ import annotations

import itertools
import math
from graphlib import TopologicalSorter
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.records import Parameters
from stages.graphs import topological_order
from stages.inference import forward_sampling as sample
from stages.inference.forward_sampling import inverted_tree, random_network, sample_rows
from stages.runtime.errors import StageError


def make_network(parents, tables) -> Parameters:
    tables = tuple(np.array(table, dtype=np.float64) for table in tables)
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(table.shape[-1])))) for i, table in enumerate(tables))
    return Parameters(variables, tuple(parents), tables)


def all_rows(network, n_rows, seed=0, batch_rows=1 << 20) -> np.ndarray:
    return np.concatenate(list(sample_rows(network, n_rows, seed, batch_rows)), axis=1)


def joint_probabilities(network: Parameters) -> np.ndarray:
    """The probability of every combination of states, by the factorisation."""
    shape = tuple(len(v.states) for v in network.variables)
    joint = np.ones(shape)
    for cell in itertools.product(*map(range, shape)):
        for child, parents in enumerate(network.parents):
            joint[cell] *= network.tables[child][(*(cell[p] for p in parents), cell[child])]
    return joint


def chi_square_fits(observed, expected) -> bool:
    """Pearson's statistic is below its 99.9 % point (Wilson and Hilferty's approximation)."""
    observed, expected = np.asarray(observed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    freedom = len(observed) - 1
    statistic = ((observed - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    return statistic < freedom * (1 - spread + NormalDist().inv_cdf(0.999) * math.sqrt(spread)) ** 3


def is_acyclic(network: Parameters) -> bool:
    order = list(TopologicalSorter(dict(enumerate(network.parents))).static_order())
    return len(order) == len(network.variables)


# Worked by hand


def test_deterministic_tables_are_followed():
    # X2 = X0 + X1 with its parents listed in descending order, X0 ternary, X1 binary.
    addition = np.zeros((2, 3, 4))
    for x1, x0 in itertools.product(range(2), range(3)):
        addition[x1, x0, x0 + x1] = 1
    network = make_network([(), (), (1, 0)], [[0.2, 0.3, 0.5], [0.5, 0.5], addition])
    codes = all_rows(network, 500)
    assert (codes[2] == codes[0] + codes[1]).all()
    assert [set(line.tolist()) for line in codes] == [{0, 1, 2}, {0, 1}, {0, 1, 2, 3}]


@pytest.mark.parametrize(
    "row", [[0, 0, 1, 0, 0], [0, 0.5, 0, 0.5, 0], [1, 0, 0], [0, 0, 0, 1], [1.0], [1e-300, 1], [0, 3, 1]]
)
def test_states_of_probability_zero_never_occur(row):
    drawn = set(all_rows(make_network([()], [row]), 5000)[0].tolist())
    assert drawn == {state for state, p in enumerate(row) if p > 1e-9}


@pytest.mark.parametrize(("uniform", "state"), [(0.0, 1), (0.25, 3), (np.nextafter(1, 0), 3)])
def test_extreme_draws_meet_no_state_of_probability_zero(uniform, state):
    class Constant:
        def random(self, size):
            return np.full(size, uniform)

    codes = np.zeros((1, 3), dtype=np.uint8)
    sampler = sample._VariableSampler(make_network([()], [[0, 0.1, 0, 0.3, 0]]), 0)
    sampler.draw(codes, Constant())
    assert codes.tolist() == [[state] * 3]


def test_shape_type_and_sizes_of_batches():
    network = random_network(4, seed=1)
    batches = list(sample_rows(network, 10_000, batch_rows=4_000))
    assert [batch.shape for batch in batches] == [(4, 4000), (4, 4000), (4, 2000)]
    assert all(batch.dtype == np.uint8 and batch.flags.c_contiguous for batch in batches)
    assert not list(sample_rows(network, 0))


def test_wide_tables_come_in_shorter_batches(monkeypatch):
    monkeypatch.setattr(sample, "BATCH_CELLS", 40)
    network = random_network(4, seed=1)
    assert [batch.shape[1] for batch in sample_rows(network, 25)] == [10, 10, 5]
    monkeypatch.undo()
    assert [batch.shape[1] for batch in sample_rows(network, 70_000)] == [65_536, 4464]


def test_cycles_and_empty_rows_are_refused():
    with pytest.raises(Inconsistent, match="cycle"):
        next(sample_rows(make_network([(1,), (0,)], [np.ones((2, 2)), np.ones((2, 2))]), 1))
    with pytest.raises(Inconsistent, match=r"'X0'.*zero"):
        next(sample_rows(make_network([()], [[0, 0]]), 1))
    with pytest.raises(ValueError):
        next(sample_rows(random_network(2), 1, batch_rows=0))


# Distributions, with fixed seeds: the tests cannot fail by chance, only by a change of the stream


@pytest.mark.parametrize("seed", range(3))
def test_joint_frequencies_fit_the_network(seed):
    network = random_network(5, states=(2, 4), parents=(1, 3), seed=seed)
    expected = joint_probabilities(network)
    assert expected.sum() == pytest.approx(1)
    codes = all_rows(network, 40_000, seed=seed)
    cells = np.ravel_multi_index(tuple(codes.astype(np.int64)), expected.shape)
    counts = np.bincount(cells, minlength=expected.size)
    # Rare cells are pooled, as the approximation asks for.
    rare = expected.ravel() * 40_000 < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected.ravel()[~rare], expected.ravel()[rare].sum()) * 40_000
    keep = wanted > 0
    assert keep.sum() > 20 and chi_square_fits(observed[keep], wanted[keep])


@pytest.mark.parametrize("n_states", [3, 5, 21, 256])
def test_frequencies_of_many_states(n_states):
    table = np.random.default_rng(n_states).dirichlet(np.full(n_states, 5.0), size=2)
    network = make_network([(), (0,)], [[0.3, 0.7], table])
    codes = all_rows(network, 60_000, seed=5)
    for state in range(2):
        counts = np.bincount(codes[1, codes[0] == state], minlength=n_states)
        assert chi_square_fits(counts, table[state] * counts.sum())


def test_columns_without_arcs_are_independent():
    codes = all_rows(random_network(6, states=(2, 2), parents=(0, 0), seed=2), 20_000)
    correlation = np.corrcoef(codes)[~np.eye(6, dtype=bool)]
    assert np.abs(correlation).max() < 5 / math.sqrt(20_000)


def test_random_tables_are_uniform_on_the_simplex():
    network = random_network(3000, states=(3, 3), parents=(0, 0), seed=4)
    rows = np.array(network.tables)
    # Each coordinate of a uniform point on the triangle has the distribution Beta(1, 2).
    for state in range(3):
        values = np.sort(rows[:, state])
        distance = np.abs(1 - (1 - values) ** 2 - (np.arange(3000) + 0.5) / 3000).max()
        assert distance < 1.95 / math.sqrt(3000)


# Reproducibility


@pytest.mark.parametrize("batch_rows", [1, 7, 99, 100, 101, 1 << 20])
def test_rows_do_not_depend_on_batches(monkeypatch, batch_rows):
    monkeypatch.setattr(sample, "CHUNK_ROWS", 100)
    network = random_network(6, seed=9)
    assert (all_rows(network, 250, 3, batch_rows) == all_rows(network, 250, 3)).all()


def test_more_rows_begin_with_the_same_rows():
    network = random_network(6, seed=9)
    assert (all_rows(network, 9000, seed=3)[:, :4500] == all_rows(network, 4500, seed=3)).all()


def test_seeds_matter_and_suffice():
    def bits(network):
        return [table.tobytes() for table in network.tables]

    for make in (lambda seed: random_network(30, seed=seed), lambda seed: inverted_tree(3, 31, seed)):
        assert make(1).parents == make(1).parents and bits(make(1)) == bits(make(1))
        assert make(1).parents != make(2).parents
    network = random_network(30, seed=1)
    assert (all_rows(network, 100, seed=1) == all_rows(network, 100, seed=1)).all()
    assert (all_rows(network, 100, seed=1) != all_rows(network, 100, seed=2)).any()
    # Chunks have streams of their own, not the same one again.
    rows = all_rows(network, 2 * sample.CHUNK_ROWS, seed=1)
    assert (rows[:, : sample.CHUNK_ROWS] != rows[:, sample.CHUNK_ROWS :]).any()


# Random structures


def test_random_network_of_the_papers():
    network = random_network(2000, seed=7)
    assert is_acyclic(network)
    n_parents = np.array([len(parents) for parents in network.parents])
    n_states = np.array([len(v.states) for v in network.variables])
    assert chi_square_fits(np.bincount(n_parents, minlength=7), np.full(7, 2000 / 7))
    assert chi_square_fits(np.bincount(n_states)[2:], np.full(3, 2000 / 3))
    # The order is random: as many arcs go up in index as go down.
    up = sum(p < c for c, parents in enumerate(network.parents) for p in parents)
    assert abs(up / n_parents.sum() - 0.5) < 0.05


@given(
    st.integers(1, 12),
    st.integers(1, 3).flatmap(lambda low: st.tuples(st.just(low), st.integers(low, 5))),
    st.integers(0, 3).flatmap(lambda low: st.tuples(st.just(low), st.integers(low, 4))),
    st.integers(0, 1000),
)
def test_random_networks_are_well_formed(n, states, parents, seed):
    network = random_network(n, states, parents, seed)
    order = topological_order(network.parents)
    assert sorted(order) == list(range(n))
    # Only the first variables of the underlying order have fewer parents than asked for.
    assert sum(len(parent_set) < parents[0] for parent_set in network.parents) <= parents[0]
    for child, parent_set in enumerate(network.parents):
        table = network.tables[child]
        assert list(parent_set) == sorted(set(parent_set)) and len(parent_set) <= parents[1]
        assert table.shape == tuple(len(network.variables[v].states) for v in (*parent_set, child))
        assert states[0] <= table.shape[-1] <= states[1]
        assert table.sum(axis=-1) == pytest.approx(np.ones(table.shape[:-1]))


@pytest.mark.parametrize(
    ("states", "parents"), [((0, 2), (0, 1)), ((3, 2), (0, 1)), ((2, 300), (0, 1)), ((2, 2), (2, 1))]
)
def test_impossible_ranges(states, parents):
    with pytest.raises(ValueError):
        random_network(3, states, parents)


@pytest.mark.slow
def test_tables_that_do_not_fit():
    # 256**9 is 0 in 64 bits.
    with pytest.raises(StageError, match="cells"):
        random_network(12, (256, 256), (8, 8))


@pytest.mark.parametrize(("k", "n"), [(2, 21), (4, 101), (1, 10), (3, 3), (4, 100), (2, 1)])
def test_inverted_trees(k, n):
    network = inverted_tree(k, n, seed=n)
    n_children = np.bincount([p for parents in network.parents for p in parents], minlength=n)
    # One variable has no child, all others one, and there is no cycle: a tree whose arcs point to its root.
    assert is_acyclic(network) and sorted(n_children.tolist()) == [0] + [1] * (n - 1)
    whole, rest = divmod(n - 1, k)
    assert sorted(filter(None, map(len, network.parents))) == ([rest] if rest else []) + [k] * whole
    assert all(table.shape[-1] == 2 for table in network.tables)


def test_treewidth_of_inverted_trees():
    networkx = pytest.importorskip("networkx")
    for k, n in ((2, 21), (4, 40)):
        parents = inverted_tree(k, n, seed=n).parents
        graph = networkx.DiGraph([(p, child) for child, parent_set in enumerate(parents) for p in parent_set])
        moral = networkx.moral_graph(graph)
        assert networkx.is_chordal(moral) and networkx.chordal_graph_treewidth(moral) == k


def depth(network: Parameters) -> int:
    """Arcs on the longest directed path."""
    depths = [0] * len(network.parents)
    for child in topological_order(network.parents):
        depths[child] = max((depths[parent] + 1 for parent in network.parents[child]), default=0)
    return max(depths)


def test_inverted_trees_branch_at_random():
    # With 2 parents and 7 variables either both or one of the final variable's parents are expanded.
    depths = {depth(inverted_tree(2, 7, seed)) for seed in range(20)}
    assert depths == {2, 3}
    with pytest.raises(ValueError):
        inverted_tree(0, 5)
