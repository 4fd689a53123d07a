"""Reorder the columns for a search, and restore the order of the data in its network.

Where gains are equal, searches take the variable of the lower index. Under an order by name, or one drawn for each
replicate, the order of the columns in the data does not influence that choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from formats.data_records import Dataset
from formats.graph_records import SCREENED
from formats.records import Header, NetworkRecord, ParentSetRecord, ParentSetTable, ScreeningForest
from formats.sets.listed_sets import ListedSets, best_first
from stages.graphs import positions_of

from . import OptimizeOptions
from .bounds.cuts import HalvedSum, Origin
from .bounds.proof_steps import Prices, TreeNode


def reordered_rows(rows: Dataset, order: np.ndarray) -> Dataset:
    """The table whose column k is column ``order[k]`` of `rows`; int64, shape (n_variables,), a permutation."""
    return rows.of_variables(order.tolist(), rows.fingerprint)


def reordered_options(options: OptimizeOptions, order: np.ndarray) -> OptimizeOptions:
    """The options for the columns in `order`; their knowledge is about the columns of the data."""
    knowledge = options.knowledge
    return options if knowledge is None else replace(options, knowledge=knowledge.among(order))


def reordered_forest(forest: ScreeningForest, order: np.ndarray) -> ScreeningForest:
    """The screening forest of the columns in `order`."""
    place = positions_of(order).tolist()
    header = replace(forest.header, variables=tuple(forest.header.variables[v] for v in order.tolist()))
    parents = {place[child]: tuple(sorted(place[v] for v in members)) for child, members in forest.parents.items()}
    return ScreeningForest(header, parents, {place[child]: score for child, score in forest.scores.items()})


def reordered_network(network: NetworkRecord, order: np.ndarray) -> NetworkRecord:
    """The network whose variable k is variable ``order[k]`` of `network`; the elimination order and the screened
    variables in its header follow.

    `positions_of(order)` restores the order of the data in a network found on columns in `order`.
    """
    place = positions_of(order).tolist()
    parents = tuple(tuple(sorted(place[p] for p in network.parents[v])) for v in order.tolist())
    return NetworkRecord(_reordered_header(network.header, order, place), parents, network.scores[order])


def _reordered_header(header: Header, order: np.ndarray, place: list[int]) -> Header:
    extra = header.extra
    if "treewidth" in extra:
        elimination = [place[v] for v in extra["treewidth"]["elimination"]]
        extra = {**extra, "treewidth": {**extra["treewidth"], "elimination": elimination}}
    if "interventions" in extra:
        extra = {
            **extra,
            "interventions": sorted(sorted(place[v] for v in target) for target in extra["interventions"]),
        }
    if SCREENED in extra:
        extra = {**extra, SCREENED: sorted(place[v] for v in extra[SCREENED])}
    return replace(header, variables=tuple(header.variables[v] for v in order.tolist()), extra=extra)


def reordered_table(table: ParentSetTable, order: np.ndarray) -> ParentSetTable:
    """The candidate sets of the columns in `order`."""
    header = _reordered_header(table.header, order, positions_of(order).tolist())
    return ParentSetTable.from_records(header, reordered_records(table.records(), order))


def reordered_lists(
    header: Header, records: Iterable[ParentSetRecord], order: np.ndarray
) -> tuple[Header, list[ParentSetRecord]]:
    """Header and records of candidate sets of the columns in `order`, by variable."""
    made = sorted(reordered_records(records, order), key=lambda record: record.child)
    return _reordered_header(header, order, positions_of(order).tolist()), made


def reordered_records(records: Iterable[ParentSetRecord], order: np.ndarray) -> Iterator[ParentSetRecord]:
    """The records of the columns in `order`, one for each of `records`."""
    place = positions_of(order).astype(np.int32)
    for record in records:
        sets = record.parents
        owners = np.repeat(np.arange(len(sets)), sets.sizes)
        members = place[sets.members]
        renamed = ListedSets(sets.offsets, members[np.lexsort((members, owners))])
        ranks = best_first(renamed, record.scores)
        yield replace(
            record,
            child=int(place[record.child]),
            parents=renamed.take(ranks),
            scores=record.scores[ranks],
            required=tuple(sorted(place[list(record.required)].tolist())),
        )


def reordered_nodes(nodes: Sequence[TreeNode], order: np.ndarray) -> list[TreeNode]:
    """The nodes for a proof about the columns in `order`."""
    place = positions_of(order)
    known: dict[int, HalvedSum] = {}
    made: dict[int, TreeNode] = {}

    def origin(given: Origin) -> Origin:
        if not isinstance(given, HalvedSum):
            return np.sort(place[given[0]]).astype(given[0].dtype), given[1]
        if id(given) not in known:
            lowered = np.sort(place[given.lowered]).astype(given.lowered.dtype)
            known[id(given)] = HalvedSum([origin(part) for part in given.parts], lowered)
        return known[id(given)]

    def prices(given: Prices) -> Prices:
        return given._replace(origins=tuple(map(origin, given.origins)))

    for node in nodes:
        made[id(node)] = TreeNode(
            made.get(id(node.above)),
            tuple(place[list(node.pair)].tolist()),
            [prices(some) for some in node.exclusions],
            None if node.best is None else prices(node.best),
            node.is_solved,
        )
    return list(made.values())
