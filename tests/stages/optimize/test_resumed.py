"""What two runs of one search know together: the better network, and the smaller bound that still holds."""

from __future__ import annotations

import numpy as np
import pytest

from formats.records import Header, Network
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.claims import ALL, LISTED, claim_of_grown_lists, holds_in_other_runs
from stages.optimize.resumed import continued

GROWN = claim_of_grown_lists(12, OptimizeOptions())


def network(total: float, bound: float | None = None, claim: str = LISTED, **extra) -> Network:
    facts = {"total": total, **extra}
    if bound is not None:
        facts |= {"bound": bound, "gap": bound - total, "bound_relative_to": claim}
    return Network(Header((), extra=facts), (), np.array([total]))


@pytest.mark.parametrize(
    ("found", "earlier", "total", "bound"),
    [
        (network(-5.0, -1.0), network(-4.0, -2.0), -4.0, -2.0),
        (network(-3.0, -1.0), network(-4.0, -2.0), -3.0, -2.0),
        (network(-3.0, -2.5), network(-4.0, -2.0), -3.0, -2.5),
        (network(-3.0, -1.0), network(-4.0), -3.0, -1.0),
        (network(-5.0), network(-4.0, -2.0, ALL), -4.0, -2.0),
        (network(-3.0, -1.0), network(-4.0, -2.0, GROWN), -3.0, -1.0),
        (network(-3.0), network(-4.0, -2.0, GROWN), -3.0, None),
    ],
)
def test_the_better_network_and_the_smaller_bound(
    found: Network, earlier: Network, total: float, bound: float | None
):
    extra = continued(found, earlier).header.extra
    assert extra["total"] == total and extra.get("bound") == bound
    assert bound is None or extra["gap"] == bound - total
    assert not holds_in_other_runs(GROWN) and holds_in_other_runs(ALL) and holds_in_other_runs(LISTED)


def test_the_claim_and_the_elimination_order_go_with_what_they_are_about():
    wide, narrow = f"{LISTED}, of any treewidth", f"{LISTED}, of treewidth at most 2"
    mine = network(-5.0, -1.0, wide, treewidth={"width": 1}, interrupted=True)
    theirs = network(-4.0, -2.0, narrow, treewidth={"width": 2})
    extra = continued(mine, theirs).header.extra
    assert extra["bound_relative_to"] == narrow and extra["treewidth"] == {"width": 2} and extra["interrupted"]
    assert continued(theirs, mine).header.extra == theirs.header.extra
