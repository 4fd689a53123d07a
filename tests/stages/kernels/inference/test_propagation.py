"""Junction trees at work: plans, propagation in numbers and in logarithms, states traced back."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.cases.inference import contradiction, small_network
from helpers.seeds import seeds
from naive import inference as naive

from stages.inference.junction_trees import Engine
from stages.kernels.inference.answers import NO_STOP
from stages.kernels.inference.clique_plans import eliminate_component, lay_out, measure
from stages.kernels.inference.clique_tables import join_axes, marginalise, next_offset
from stages.kernels.inference.expected_counts import add_expected
from stages.kernels.inference.log_tables import IMPOSSIBLE, collect_logs
from stages.kernels.inference.propagation import LEAST_PEAK, ask_cliques, collect, distribute, read_marginals
from stages.kernels.inference.trace_states import trace_states


class Case:
    """A network whose hidden variables are in one component, planned, and rows of evidence."""

    def __init__(self, network, hidden, codes):
        self.network, self.codes = network, codes
        engine = Engine(network)
        self.arrays, n = engine.arrays, engine.n_variables
        self.members = np.array(sorted(hidden))
        self.families = np.array([v for v in range(n) if {v, *network.parents[v]} & set(hidden)])
        local, nothing = (
            np.full(n, -1),
            engine.query(codes, engine.group(np.zeros((n, 1), dtype=np.bool_), np.zeros(n, dtype=np.bool_))),
        )
        self.is_inside = np.isin(np.arange(n), self.members)
        eliminated = eliminate_component(self.arrays, self.members, self.families, nothing, local)
        assert (local == -1).all()
        self.cost = measure(self.arrays, self.members, eliminated)
        self.plan = lay_out(self.arrays, self.members, self.families, eliminated)
        self.rows = np.arange(codes.shape[1])
        self.tables = np.empty(self.plan.cell_start[-1] * codes.shape[1])
        self.messages = np.empty(self.plan.message_start[-1] * codes.shape[1])

    def evidence(self, row):
        return {v: int(self.codes[v, row]) for v in range(len(self.codes)) if not self.is_inside[v]}

    def collect(self, is_max, rows=None, is_kept=True):
        rows = self.rows if rows is None else rows
        logs = np.empty(len(rows))
        collect(
            self.plan,
            self.arrays,
            self.codes,
            rows,
            self.is_inside,
            is_max,
            is_kept,
            self.tables,
            self.messages,
            logs,
            NO_STOP,
        )
        return logs

    def collect_logs(self, row, is_max):
        return collect_logs(
            self.plan, self.arrays, self.codes, row, self.is_inside, is_max, self.tables, self.messages
        )

    def marginals(self, rows):
        n_states = self.arrays.n_states
        start = np.concatenate([[0], np.cumsum(n_states)])
        posterior = np.full((len(self.rows), start[-1]), np.nan)
        read_marginals(self.plan, rows, self.tables, start[:-1], posterior)
        return [posterior[:, a:b] for a, b in itertools.pairwise(start)]

    def distribute(self, n_rows):
        distribute(
            self.plan,
            n_rows,
            np.ones(len(self.plan.tree_parents), dtype=np.bool_),
            self.tables,
            self.messages,
            NO_STOP,
        )


def random_case(seed, zeros=0.0):
    """The whole component of some hidden variable, and rows that are possible."""
    rng = np.random.default_rng(seed)
    network = small_network(seed, 7, zeros=zeros)
    table = naive.joint_table(network)
    hidden = {0}
    for family in [{v, *network.parents[v]} for v in rng.permutation(7).tolist()]:
        if family & hidden:
            hidden |= {v for v in family if rng.random() < 0.8}
    while True:  # what hidden families leave out is observed, so this is one component or several
        possible = np.argwhere(table > 0)
        codes = possible[rng.integers(len(possible), size=5)].T.astype(np.uint8)
        return Case(network, hidden, np.ascontiguousarray(codes)), table


@pytest.mark.parametrize("n_rows", [1, 5])
@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", seeds(20, 4))
def test_sums_and_marginals(seed, zeros, n_rows):
    case, table = random_case(seed, zeros)
    rows = case.rows[:n_rows]
    case.collect(False, rows)
    assert case.cost[0] == case.plan.cell_start[-1]
    assert case.cost[1] == case.plan.message_start[-1]
    case.distribute(n_rows)
    found = case.marginals(rows)
    for row in range(n_rows):
        for v in case.members:
            expected = naive.marginal(table, case.evidence(row), [v])
            np.testing.assert_allclose(found[v][row], expected, atol=1e-12)


@pytest.mark.parametrize("n_rows", [1, 5])
@pytest.mark.parametrize("seed", seeds(20, 4))
def test_only_cliques_between_a_target_and_its_root_are_needed(seed, n_rows):
    case, table = random_case(seed)
    rows = case.rows[:n_rows]
    for target in case.members:
        is_asked = np.arange(7) == target
        case.collect(False, rows)
        is_needed = ask_cliques(case.plan, is_asked)
        distribute(case.plan, n_rows, is_needed, case.tables, case.messages, NO_STOP)
        start, posterior = np.where(is_asked, 0, -1), np.full((n_rows, case.arrays.n_states[target]), np.nan)
        read_marginals(case.plan, rows, case.tables, start, posterior)
        for row in range(n_rows):
            expected = naive.marginal(table, case.evidence(row), [target])
            np.testing.assert_allclose(posterior[row], expected, atol=1e-12)


@pytest.mark.parametrize("seed", seeds(10, 3))
def test_expected_counts_are_added(seed):
    case, table = random_case(seed, 0.2)
    logs = case.collect(False)
    case.distribute(len(case.rows))
    logs[1] = -np.inf
    weights = np.arange(1.0, 6.0)
    counts = np.full(len(case.arrays.probabilities), 7.0)
    add_expected(case.plan, case.arrays, case.codes, case.rows, case.is_inside, case.tables, logs, weights, counts)
    for family in range(7):
        members = [*case.network.parents[family], family]
        start, size = case.arrays.table_start[family], case.network.tables[family].size
        expected = np.full(case.network.tables[family].shape, 7.0)
        for row in (0, 2, 3, 4) if family in case.families else ():
            expected += weights[row] * naive.marginal(table, case.evidence(row), members)
        np.testing.assert_allclose(counts[start : start + size].reshape(expected.shape), expected, atol=1e-12)


@pytest.mark.parametrize("is_max", [False, True])
@pytest.mark.parametrize("seed", seeds(10, 3))
def test_logarithms_agree_with_numbers(seed, is_max):
    case, table = random_case(seed, 0.2)
    logs = case.collect(is_max)
    for row in range(5):
        assert case.collect_logs(row, is_max) == pytest.approx(logs[row], abs=1e-12)
        if not is_max:
            case.distribute(1)
            found = case.marginals(np.array([row]))
            for v in case.members:
                expected = naive.marginal(table, case.evidence(row), [v])
                np.testing.assert_allclose(found[v][row], expected, atol=1e-12)


@pytest.mark.parametrize("in_logs", [False, True])
@pytest.mark.parametrize("seed", seeds(10, 3))
def test_most_probable_states(seed, in_logs):
    case, table = random_case(seed, 0.2)
    codes, uniforms = case.codes.copy(), np.zeros((0, 0))
    if not in_logs:
        case.collect(True)
        trace_states(case.plan, 5, case.tables, case.rows, case.rows, uniforms, False, codes)
    for row in range(5):
        if in_logs:
            case.collect_logs(row, True)
            place, column = np.zeros(1, dtype=np.int64), np.array([row])
            trace_states(case.plan, 1, case.tables, place, column, uniforms, False, codes)
        best = naive.most_probable(table, case.evidence(row))
        assert table[tuple(codes[:, row])] == pytest.approx(best)


def test_draws_follow_the_distribution():
    case, table = random_case(2)
    case.collect(False)
    n_draws = 20_000
    drawn = np.repeat(case.codes[:, :1], n_draws, axis=1)
    uniforms = np.random.default_rng(1).random((7, n_draws))
    places = np.zeros(n_draws, dtype=np.int64)
    trace_states(case.plan, 5, case.tables, places, np.arange(n_draws), uniforms, True, drawn)
    for v in case.members:
        expected = naive.marginal(table, case.evidence(0), [v])
        found = np.bincount(drawn[v], minlength=len(expected)) / n_draws
        assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / n_draws)).all()


def test_small_and_impossible_rows():
    """A row below the least peak is left to the logarithms, which distinguish it from an impossible one."""
    assert LEAST_PEAK > 1e-310
    codes = np.array([[0, 0], [1, 0], [0, 0]], dtype=np.uint8)
    case = Case(contradiction(), {0}, codes)
    logs = case.collect(False)
    assert math.isnan(logs[0])
    assert logs[1] == pytest.approx(math.log(0.5))
    assert case.collect_logs(0, False) == pytest.approx(math.log(1e-310) + math.log(0.5) + math.log(0.25))
    impossible = Case(contradiction(0.0), {0}, codes)
    assert impossible.collect_logs(0, False) == IMPOSSIBLE


def test_states_are_counted_like_an_odometer():
    case, _ = random_case(2)
    plan = case.plan
    for clique in range(len(plan.tree_parents)):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        sizes = plan.sizes[begin:end]
        np.testing.assert_array_equal(sizes, case.arrays.n_states[plan.axes[begin:end]])
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            at = plan.stride_start[factor]
            strides = plan.strides[at : at + len(sizes)]
            digits, offset = np.zeros(len(sizes), dtype=np.int64), np.int64(0)
            for expected in [*itertools.product(*map(range, sizes)), (0,) * len(sizes)]:
                assert digits.tolist() == list(expected)
                assert offset == (strides * digits).sum()
                offset = next_offset(sizes, strides, len(sizes) - 1, digits, offset)


@pytest.mark.parametrize("n_rows", [1, 3])
@pytest.mark.parametrize("seed", seeds(60, 10))
def test_joined_axes_reach_the_same_cells(seed, n_rows):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, rng.integers(1, 6))
    kept = rng.random(len(sizes)) < 0.6
    strides = np.zeros(len(sizes), dtype=np.int64)
    axes = rng.permutation(np.flatnonzero(kept)) if seed % 2 else np.flatnonzero(kept)
    n_cells = 1
    for axis in axes[::-1]:
        strides[axis], n_cells = n_cells, n_cells * sizes[axis]
    table = rng.random((*sizes, n_rows))
    runs, target = np.empty((3, len(sizes)), dtype=np.int64), np.zeros(n_cells * n_rows)
    n_runs = join_axes(sizes, strides, runs)
    assert runs[0, :n_runs].prod() == sizes.prod()
    marginalise(runs[:, :n_runs], n_rows, table.ravel(), target)
    summed = table.sum(axis=tuple(np.flatnonzero(~kept)), keepdims=True)
    expected = summed.transpose([*axes, *np.flatnonzero(~kept), len(sizes)]).reshape(-1)
    np.testing.assert_allclose(target, expected, atol=1e-12)
