"""Fixtures of the tests of evaluation."""

import sys

import pytest


@pytest.fixture(params=[False, True], ids=["solver", "volume"])
def few_cuts(request, monkeypatch):
    """Branch and cut without clusters and halves: trees of some nodes for lists that the root would solve.

    With the linear solver, and as in an installation without it.
    """
    if request.param:
        monkeypatch.setitem(sys.modules, "highspy", None)
    else:
        pytest.importorskip("highspy")
    from stages.optimize.bounds import lagrangian, residual
    from stages.optimize.exact import node

    monkeypatch.setattr(node, "SEPARATORS", ())
    monkeypatch.setattr(lagrangian, "SEPARATORS", ((), ()))
    monkeypatch.setattr(residual, "MOST_TOGETHER", 3)
