"""The probabilities that a picture shows, and whether its page can answer questions itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

from formats.graph_records import Probabilities
from formats.graphs.algorithms import moral_graph
from formats.records import Parameters
from stages.graphs.treewidth import exceeds_cells

from .junction_trees import Engine
from .queries import marginals, prepare

PAGE_CELLS = 1_000_000
"""Largest number of parameters in a page, which take 5 to 20 bytes each."""
MOST_CELLS = 1e8
"""Largest number of cells of a junction tree with which a picture's marginals are computed."""


def shown_probabilities(model: Parameters, elimination: Sequence[int] | None = None) -> Probabilities | str:
    """The marginals of a network, with its parameters, up to `PAGE_CELLS`, and an elimination order; or why there are
    none.

    `elimination`: a known order, as for `Engine`. Raises errors as `Engine` does.
    """
    if _is_hopeless(model, elimination):
        return _left_out("a clique")
    engine = Engine(model, elimination)
    variables = range(engine.n_variables)
    if _cells(engine) > MOST_CELLS:
        return _left_out("the junction tree")
    found = tuple(marginals(engine, {}, variables).found)
    states = tuple(variable.known_states for variable in model.variables)
    needed = sum(table.size for table in model.tables)
    if needed <= PAGE_CELLS:
        return Probabilities(states, found, model, tuple(sorted(variables, key=engine.ranks.__getitem__)))
    note = (
        f"Findings cannot be set here: the network has {needed:,} parameters, more than the {PAGE_CELLS:,} of a "
        "page; bnsl query answers."
    )
    return Probabilities(states, found, note=note)


def _is_hopeless(model: Parameters, elimination: Sequence[int] | None) -> bool:
    """Whether a clique of a greedy order, and the known order, pass `MOST_CELLS`."""
    sizes = [len(variable.known_states) for variable in model.variables]
    if not exceeds_cells(moral_graph(model.parents), sizes, MOST_CELLS):
        return False
    return elimination is None or bucket_cells(model, elimination) > MOST_CELLS


def _left_out(what: str) -> str:
    return (
        f"Probabilities are left out: {what} of a greedy elimination order has more than {MOST_CELLS:,.0f} cells; "
        "bnsl query --approximate N estimates them."
    )


def _cells(engine: Engine) -> float:
    """Cells of the junction tree for the marginals of all variables; infinite if they do not fit into memory."""
    if engine.whole_cells > engine.max_cells:
        return math.inf
    return prepare(engine, {}, range(engine.n_variables)).cost.cells


def bucket_cells(model: Parameters, order: Sequence[int]) -> int:
    """Cells of the buckets of an elimination order (Dechter 1999): each is over a variable and what it meets."""
    rank = {v: i for i, v in enumerate(order)}
    scopes: list[set[int]] = [{v} for v in order]
    for v, family in enumerate(model.parents):
        scopes[min(rank[u] for u in (v, *family))] |= {v, *family}
    for i, scope in enumerate(scopes):
        rest = scope - {order[i]}
        if rest:
            scopes[min(rank[u] for u in rest)] |= rest
    sizes = [len(variable.known_states) for variable in model.variables]
    return sum(math.prod(sizes[v] for v in scope) for scope in scopes)
