"""Reorder the columns for a search, and restore the order of the data in its network.

Where gains are equal, searches take the variable of the lower index. Under an order by name, or one drawn for each
replicate, the order of the columns in the data does not influence that choice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.data_records import Dataset, IncompleteDataset
from formats.records import Forest, Header, Network
from stages.graphs import positions_of

from . import OptimizeOptions


def reordered_rows(rows: Dataset | IncompleteDataset, order: np.ndarray) -> Dataset | IncompleteDataset:
    """The table whose column k is column ``order[k]`` of `rows`; int64, shape (n_variables,), a permutation."""
    if isinstance(rows, IncompleteDataset):
        return IncompleteDataset(_reordered(rows.dataset, order), rows.is_hidden[order])
    return _reordered(rows, order)


def _reordered(dataset: Dataset, order: np.ndarray) -> Dataset:
    codes = dataset.codes
    cells = np.ascontiguousarray(codes[order]) if isinstance(codes, np.ndarray) else codes.taken(order.tolist())
    return Dataset(tuple(dataset.variables[v] for v in order.tolist()), cells, dataset.fingerprint)


def reordered_options(options: OptimizeOptions, order: np.ndarray) -> OptimizeOptions:
    """The options for the columns in `order`; their knowledge is about the columns of the data."""
    knowledge = options.knowledge
    return options if knowledge is None else replace(options, knowledge=knowledge.among(order))


def reordered_forest(forest: Forest, order: np.ndarray) -> Forest:
    """The screening forest of the columns in `order`."""
    place = positions_of(order).tolist()
    header = replace(forest.header, variables=tuple(forest.header.variables[v] for v in order.tolist()))
    parents = {place[child]: tuple(sorted(place[v] for v in members)) for child, members in forest.parents.items()}
    return Forest(header, parents, {place[child]: score for child, score in forest.scores.items()})


def reordered_network(network: Network, order: np.ndarray) -> Network:
    """The network whose variable k is variable ``order[k]`` of `network`; the elimination order in its header
    follows.

    `positions_of(order)` restores the order of the data in a network found on columns in `order`.
    """
    place = positions_of(order).tolist()
    parents = tuple(tuple(sorted(place[p] for p in network.parents[v])) for v in order.tolist())
    return Network(_reordered_header(network.header, order, place), parents, network.scores[order])


def _reordered_header(header: Header, order: np.ndarray, place: list[int]) -> Header:
    extra = header.extra
    if "treewidth" in extra:
        elimination = [place[v] for v in extra["treewidth"]["elimination"]]
        extra = {**extra, "treewidth": {**extra["treewidth"], "elimination": elimination}}
    return replace(header, variables=tuple(header.variables[v] for v in order.tolist()), extra=extra)
