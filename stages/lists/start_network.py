"""A network to start a search from: matched to the variables of the data, and turned into an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from formats.graphs.algorithms import elimination_width, moral_graph
from formats.records import NetworkRecord
from stages.graphs import eliminate_children_first, positions_of, topological_order
from stages.runtime.errors import StageError


@dataclass(frozen=True)
class StartNetwork:
    """Parents of each variable, and the elimination order in the network's header, if any."""

    parents: tuple[tuple[int, ...], ...]
    elimination: tuple[int, ...] | None = None

    def order(self, treewidth: int | None = None) -> np.ndarray:
        """An order in which parents precede their children; int32.

        Under a treewidth bound it is a reversed elimination order within the bound, if one is known or found; its
        first variables, the start clique of a k-tree, may come in any order. Otherwise a topological order.
        """
        if treewidth is not None:
            for order in self._orders_within(treewidth):
                if _has_parents_first(order, self.parents, treewidth + 1):
                    return order
        return np.array(topological_order(self.parents, range(len(self.parents))), dtype=np.int32)

    def order_within(self, treewidth: int) -> np.ndarray | None:
        """A reversed elimination order of at most this width, if one is known or found; int32.

        Parents may come after their children.
        """
        return next(self._orders_within(treewidth), None)

    def _orders_within(self, treewidth: int) -> Iterator[np.ndarray]:
        graph = moral_graph(self.parents)
        for elimination in (self.elimination, eliminate_children_first(graph, self.parents)):
            # In the reversed order each variable comes after its later neighbours; these form the clique that it
            # joins in a k-tree.
            if elimination is not None and elimination_width(graph, elimination) <= treewidth:
                yield np.array(elimination[::-1], dtype=np.int32)


def _has_parents_first(order: np.ndarray, parents: Sequence[Sequence[int]], n_free: int) -> bool:
    """Whether parents precede their children, except among the first `n_free` variables, the start clique."""
    place = positions_of(order)
    return all(place[p] < max(int(place[child]), n_free) for child, family in enumerate(parents) for p in family)


def match_start(start: NetworkRecord, names: Sequence[str], what: str = "the data") -> StartNetwork:
    """The start network over the variables `names`, matched by name.

    `what` is the source of the variables, for the error message. Raises `StageError` if the variables of the two
    differ.
    """
    index = {name: i for i, name in enumerate(names)}
    known = start.header.names
    missing = [name for name in known if name not in index] or [n for n in names if n not in set(known)]
    if missing:
        raise StageError(
            f"the start network and {what} differ in variable {missing[0]!r}; they must have the same variables"
        )
    parents: list[tuple[int, ...]] = [()] * len(index)
    for child, family in enumerate(start.parents):
        parents[index[known[child]]] = tuple(sorted(index[known[p]] for p in family))
    claim = start.header.extra.get("treewidth")
    elimination = claim.get("elimination") if isinstance(claim, dict) else None
    if elimination is not None and sorted(elimination) == list(range(len(names))):
        return StartNetwork(tuple(parents), tuple(index[known[v]] for v in elimination))
    return StartNetwork(tuple(parents))
