"""Plans that are kept: what is read is what was laid out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds

from stages.inference.junction_trees import Engine
from stages.inference.queries import target_columns
from stages.kernels.inference.clique_plans import CliquePlan, eliminate_component, lay_out, measure
from stages.kernels.inference.components import component_of
from stages.kernels.inference.kept_plans import plan_costs, plan_groups, read_plan


def groups_of(engine, seed, n_rows):
    """Components of rows with holes, and the query for the distribution of every other variable."""
    rng = np.random.default_rng(seed)
    is_hidden = rng.random((engine.n_variables, n_rows)) < 0.6
    groups = engine.group(is_hidden, np.ones(engine.n_variables, dtype=np.bool_))
    target_start, _ = target_columns(engine, range(0, engine.n_variables, 2))
    return groups, engine.query(is_hidden.astype(np.uint8), groups, target_start=target_start)


def components(engine, groups, query):
    """Members, families and elimination of each group's component."""
    local = np.full(engine.n_variables, -1, dtype=np.int64)
    for group in range(len(groups.row_start) - 1):
        members, families = component_of(groups, group)
        found = eliminate_component(engine.arrays, members, families, query, local)
        yield members, families, found


@pytest.mark.parametrize("seed", seeds(12, 4))
def test_what_was_laid_out(seed):
    engine = Engine(small_network(seed, 5 + seed))
    groups, query = groups_of(engine, seed, 30)
    failed, plans = plan_groups(engine.arrays, groups, query, math.inf)
    assert failed == -1 and plans.starts[-1] == len(plans.numbers)
    np.testing.assert_array_equal(plan_costs(plans), engine.group_costs(groups, query))
    for group, (members, families, found) in enumerate(components(engine, groups, query)):
        expected, kept = lay_out(engine.arrays, members, families, found), read_plan(plans, group)
        for name in CliquePlan._fields:
            np.testing.assert_array_equal(getattr(kept, name), getattr(expected, name), err_msg=name)


def test_the_first_group_that_is_too_large_ends_the_work():
    engine = Engine(small_network(1, 9))
    groups, query = groups_of(engine, 1, 30)
    parts = components(engine, groups, query)
    sizes = [sum(measure(engine.arrays, members, found)[:2]) for members, _, found in parts]
    limit = max(sizes) - 1
    failed, plans = plan_groups(engine.arrays, groups, query, limit)
    assert failed == next(group for group, size in enumerate(sizes) if size > limit)
    assert plans.starts[failed] == len(plans.numbers)


def test_no_groups():
    engine = Engine(small_network(1, 4))
    groups = engine.group(np.zeros((4, 3), dtype=np.bool_), np.ones(4, dtype=np.bool_))
    query = engine.query(np.zeros((4, 3), dtype=np.uint8), groups)
    failed, plans = plan_groups(engine.arrays, groups, query, 0.0)
    assert failed == -1 and plans.starts.tolist() == [0] and len(plans.numbers) == 0
