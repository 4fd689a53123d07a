"""Fixtures of the tests of evaluation."""

import pytest


@pytest.fixture
def few_cuts(monkeypatch):
    """Branch and cut without clusters and halves: trees of some nodes for lists that the root would solve."""
    from stages.optimize.bounds import lagrangian, residual
    from stages.optimize.exact import node

    monkeypatch.setattr(node, "SEPARATORS", ())
    monkeypatch.setattr(lagrangian, "SEPARATORS", ((), ()))
    monkeypatch.setattr(residual, "MOST_TOGETHER", 3)


@pytest.fixture
def few_rounds(monkeypatch):
    """Exact search within a treewidth with few rounds of rows in each branch: trees of some nodes for small lists."""
    from stages.optimize.exact.width import incumbent, tree

    monkeypatch.setattr(tree, "ROOT_ROUNDS", 3)
    monkeypatch.setattr(tree, "BRANCH_ROUNDS", 1)
    monkeypatch.setattr(incumbent, "FIRST_MOVES", 1)
