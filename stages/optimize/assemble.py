"""From the sets a search chose to a network that says how it was found; verified before it leaves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from formats.records import Network

from .verify import elimination_width, verify_network

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget

    from . import OptimizeOptions
    from .result import SearchResult


def assemble_network(
    table: ParentSetTable, method: str, options: OptimizeOptions, budget: Budget, result: SearchResult
) -> Network:
    """Build the network of `result.chosen` and check it from scratch.

    The header keeps what the table's header says and gains ``total`` (the `math.fsum` of the local scores),
    ``method``, ``seed``, the search's facts, ``interrupted`` when the user stopped it, and under a bound
    ``treewidth`` with the elimination order that certifies the width.

    Raises
    ------
    VerificationError
        When the search returned something else than it should have; a bug of ours.
    """
    chosen = [int(s) for s in result.chosen]
    parents = tuple(table.parent_set(s) for s in chosen)
    scores = table.scores[chosen]
    facts: dict[str, Any] = dict(result.facts)
    elimination = facts.pop("elimination", None)
    extra = {
        **table.header.extra,
        "total": math.fsum(scores.tolist()),
        "method": method,
        "seed": options.seed,
        **facts,
    }
    if options.treewidth is not None:
        elimination = [int(v) for v in elimination]
        width = elimination_width(parents, elimination)
        extra["treewidth"] = {"bound": options.treewidth, "width": width, "elimination": elimination}
    if budget.interrupted:
        extra["interrupted"] = True
    network = Network(replace(table.header, extra=extra), parents, scores)
    verify_network(network, table, treewidth=options.treewidth)
    return network
