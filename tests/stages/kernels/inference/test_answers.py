"""Groups of rows answered: the same whatever rows are worked on together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds
from naive import inference as naive

from stages.inference.junction_trees import Engine
from stages.inference.queries import target_columns
from stages.kernels.inference import answers
from stages.kernels.inference.answers import answer_groups, answer_planned, draw_rows, joint_distribution
from stages.kernels.inference.kept_plans import plan_groups


def ask(engine, codes, is_hidden, is_joined=None):
    n, n_rows = codes.shape
    everything = np.ones(n, dtype=np.bool_)
    groups = engine.group(is_hidden, everything, is_joined)
    target_start, n_columns = target_columns(engine, range(n))
    query = engine.query(
        codes.copy(),
        groups,
        is_joined=np.zeros(n, dtype=np.bool_) if is_joined is None else is_joined,
        target_start=target_start,
        uniforms=np.random.default_rng(1).random((n, n_rows)),
        posterior=np.full((n_rows, n_columns), np.nan),
    )
    return groups, query


@pytest.mark.parametrize("seed", seeds(10, 2))
def test_rows_in_groups(seed):
    rng = np.random.default_rng(seed)
    network = small_network(seed, 6)
    table, engine = naive.joint_table(network), Engine(network)
    codes = np.array([rng.integers(0, size, 40) for size in table.shape]).astype(np.uint8)
    is_hidden = rng.random((6, 40)) < 0.4
    groups, query = ask(engine, codes, is_hidden)
    assert answer_groups(engine.arrays, groups, query, answers.MARGINALS, math.inf) == -1
    for row in range(40):
        evidence = {v: int(codes[v, row]) for v in range(6) if not is_hidden[v, row]}
        for v in np.flatnonzero(is_hidden[:, row]).tolist():
            found = query.posterior[row, query.target_start[v] :][: table.shape[v]]
            np.testing.assert_allclose(found, naive.marginal(table, evidence, [v]), atol=1e-12)
    for kind in (answers.BEST, answers.DRAWN):
        assert answer_groups(engine.arrays, groups, query, kind, math.inf) == -1
        np.testing.assert_array_equal(query.codes[~is_hidden], codes[~is_hidden])
        assert (query.codes < np.array(table.shape)[:, None]).all()


@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("seed", seeds(10, 2))
def test_one_target_is_in_the_last_clique(seed, zeros):
    """Whatever the target: only the last table is kept, and no message goes back."""
    rng = np.random.default_rng(seed)
    network = small_network(seed, 6, zeros=zeros)
    table, engine = naive.joint_table(network), Engine(network)
    codes = np.array([rng.integers(0, size, 30) for size in table.shape]).astype(np.uint8)
    for target in range(6):
        is_hidden = rng.random((6, 30)) < 0.6
        is_hidden[target] = True
        _, query = ask(engine, codes, is_hidden)
        start, n_columns = target_columns(engine, [target])
        query = query._replace(target_start=start, posterior=np.full((30, n_columns), np.nan))
        groups = engine.group(is_hidden, start >= 0)
        query = query._replace(logs=np.empty(len(groups.rows)))
        assert answer_groups(engine.arrays, groups, query, answers.MARGINALS, math.inf) == -1
        for row in range(30):
            evidence = {v: int(codes[v, row]) for v in range(6) if not is_hidden[v, row]}
            if naive.probability(table, evidence) > 0.0:
                expected = naive.marginal(table, evidence, [target])
                np.testing.assert_allclose(query.posterior[row], expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", [answers.LOGS, answers.MARGINALS, answers.BEST, answers.DRAWN, answers.COUNTS])
def test_along_kept_plans_the_same_bits(kind):
    engine = Engine(small_network(4, 8, zeros=0.1))
    rng = np.random.default_rng(4)
    is_hidden = rng.random((8, 50)) < 0.5
    codes = np.array([rng.integers(0, size, 50) for size in engine.arrays.n_states]).astype(np.uint8)
    results = []
    for is_kept in (False, True):
        groups, query = ask(engine, codes, is_hidden)
        counts = np.zeros(len(engine.arrays.probabilities))
        query = query._replace(weights=np.ones(50), counts=counts)
        if is_kept:
            _, plans = plan_groups(engine.arrays, groups, query, math.inf)
            answer_planned(engine.arrays, groups, plans, query, kind)
        else:
            answer_groups(engine.arrays, groups, query, kind, math.inf)
        results.append([part.tobytes() for part in (query.logs, query.codes, query.posterior, counts)])
    assert results[0] == results[1]


def test_the_first_group_that_is_too_large_ends_the_work():
    engine = Engine(small_network(1, 6))
    groups, query = ask(engine, np.zeros((6, 2), dtype=np.uint8), np.ones((6, 2), dtype=np.bool_))
    costs = engine.group_costs(groups, query)
    limit = float((costs[:, 0] + costs[:, 1]).max()) - 1
    worst = int(np.argmax(costs[:, 0] + costs[:, 1] > limit))
    assert answer_groups(engine.arrays, groups, query, answers.LOGS, limit) == worst


def test_joint_distribution_and_draws():
    network = small_network(5, 5)
    table, engine = naive.joint_table(network), Engine(network)
    is_joined = np.array([True, False, True, False, False])
    is_hidden = np.array([[True], [True], [True], [False], [True]])
    groups, query = ask(engine, np.zeros((5, 1), dtype=np.uint8), is_hidden, is_joined)
    group = int(np.searchsorted(groups.member_start, np.flatnonzero(groups.members == 0)[0], "right")) - 1
    _, plans = plan_groups(engine.arrays, groups, query, math.inf)
    found = joint_distribution(engine.arrays, groups, plans, query, group, np.array([2, 0]))
    np.testing.assert_allclose(found, naive.marginal(table, {3: 0}, [2, 0]).ravel(), atol=1e-12)
    drawn = np.zeros((5, 5000), dtype=np.uint8)
    query = query._replace(uniforms=np.random.default_rng(3).random((5, 5000)))
    assert draw_rows(engine.arrays, groups, plans, query, group, drawn) > -math.inf
    share = np.bincount(drawn[0], minlength=table.shape[0]) / 5000
    np.testing.assert_allclose(share, naive.marginal(table, {3: 0}, [0]), atol=0.04)
