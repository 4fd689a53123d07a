"""Plans that are kept: what is read is what was laid out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.seeds import seeds

from stages.inference.junction_trees import Engine
from stages.kernels.inference.clique_plans import CliquePlan, eliminate_component, lay_out, measure
from stages.kernels.inference.components import component_of
from stages.kernels.inference.kept_plans import plan_groups, read_plan


def groups_of(engine, seed, n_rows):
    is_hidden = np.random.default_rng(seed).random((engine.n_variables, n_rows)) < 0.6
    return engine.group(is_hidden, np.ones(engine.n_variables, dtype=np.bool_))


def components(engine, groups):
    """Members, families and elimination of each group's component."""
    no_variable = np.zeros(engine.n_variables, dtype=np.bool_)
    local = np.full(engine.n_variables, -1, dtype=np.int64)
    for group in range(len(groups.row_start) - 1):
        members, families = component_of(groups, group)
        found = eliminate_component(engine.arrays, members, families, engine.ranks, no_variable, local)
        yield members, families, found


@pytest.mark.parametrize("seed", seeds(12, 4))
def test_what_was_laid_out(seed):
    engine = Engine(small_network(seed, 5 + seed))
    groups = groups_of(engine, seed, 30)
    failed, plans = plan_groups(engine.arrays, groups, engine.ranks, math.inf)
    assert failed == -1 and plans.starts[-1] == len(plans.numbers)
    for group, (members, families, found) in enumerate(components(engine, groups)):
        expected, kept = lay_out(engine.arrays, members, families, found), read_plan(plans, group)
        for name in CliquePlan._fields:
            np.testing.assert_array_equal(getattr(kept, name), getattr(expected, name), err_msg=name)


def test_the_first_group_that_is_too_large_ends_the_work():
    engine = Engine(small_network(1, 9))
    groups = groups_of(engine, 1, 30)
    sizes = [sum(measure(engine.arrays, members, found)[:2]) for members, _, found in components(engine, groups)]
    limit = max(sizes) - 1
    failed, plans = plan_groups(engine.arrays, groups, engine.ranks, limit)
    assert failed == next(group for group, size in enumerate(sizes) if size > limit)
    assert plans.starts[failed] == len(plans.numbers)


def test_no_groups():
    engine = Engine(small_network(1, 4))
    groups = engine.group(np.zeros((4, 3), dtype=np.bool_), np.ones(4, dtype=np.bool_))
    failed, plans = plan_groups(engine.arrays, groups, engine.ranks, 0.0)
    assert failed == -1 and plans.starts.tolist() == [0] and len(plans.numbers) == 0
