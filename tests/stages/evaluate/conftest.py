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
