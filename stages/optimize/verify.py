"""Check a network from scratch, in plain Python and independently of every search.

Each network passes through here before it is written: a search that returns a cycle, a wrong score or a width
that its certificate does not prove is a bug, and is reported as one instead of being written. Nothing here is
shared: cycle check, elimination and local scores are its own and serve nobody else, so that an error elsewhere
cannot hide itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from formats.data_records import Dataset
    from formats.records import Network, ParentSetTable

SCORE_TOLERANCE = 1e-9
"""Relative difference allowed between a stored local score and one recomputed from data."""

PART_ROWS = 1 << 18
"""Rows counted at once."""

LARGE_KEY = 1 << 40
"""Row keys are numbered anew before they could grow beyond 64 bits."""


class VerificationError(RuntimeError):
    """A network is not what it claims to be."""


def verify_network(
    network: Network,
    table: ParentSetTable | None = None,
    dataset: Dataset | None = None,
    treewidth: int | None = None,
    max_table: int | None = None,
) -> None:
    """Raise `VerificationError` on the first claim of `network` that does not hold.

    Checked are: parents are ascending indices of other variables; there is no cycle; ``total`` is the sum
    of the local scores. Further, as far as the arguments allow:

    Parameters
    ----------
    network : Network
    table : ParentSetTable, optional
        Every family must be listed there with exactly that score, and fixed records kept.
    dataset : Dataset, optional
        Local scores are recomputed (``ll``, ``aic``, ``bic``, ``bdeu``, ``k2``) and must agree.
    treewidth : int, optional
        The header's elimination order must prove that the moral graph's treewidth is at most this.
    max_table : int, optional
        It must prove, too, that no clique has more combinations of states than this.
    """
    _check_parents(network.parents)
    _check_total(network)
    if table is not None:
        _check_listed(network, table)
    if dataset is not None:
        _check_scores(network, dataset)
    if treewidth is not None:
        _check_width(network, treewidth)
    if max_table is not None:
        _check_table(network, max_table)


def _find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Variables that lie on or behind a cycle, ascending; empty when the graph is acyclic."""
    children: list[list[int]] = [[] for _ in parents]
    waiting = [len(p) for p in parents]
    for child, family in enumerate(parents):
        for parent in family:
            children[parent].append(child)
    ready = [v for v, count in enumerate(waiting) if count == 0]
    while ready:
        for child in children[ready.pop()]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return [v for v, count in enumerate(waiting) if count > 0]


def _elimination_bags(
    parents: Sequence[Sequence[int]], elimination: Sequence[int]
) -> Iterator[tuple[int, set[int]]]:
    """Variables as an order eliminates them from the moral graph, each with the neighbours it has then.

    Raises
    ------
    VerificationError
        When `elimination` is not a permutation of the variables.
    """
    if sorted(elimination) != list(range(len(parents))):
        raise VerificationError("the elimination order is not a permutation of the variables")
    neighbours: list[set[int]] = [set() for _ in parents]
    for child, family in enumerate(parents):
        clique = {child, *family}
        for member in clique:
            neighbours[member] |= clique - {member}
    for variable in elimination:
        bag = neighbours[variable]
        for member in bag:
            neighbours[member] |= bag
            neighbours[member] -= {member, variable}
        yield variable, bag


def _check_parents(parents: Sequence[Sequence[int]]) -> None:
    for child, family in enumerate(parents):
        ascending = all(a < b for a, b in itertools.pairwise(family))
        if not ascending or child in family or any(not 0 <= p < len(parents) for p in family):
            raise VerificationError(f"variable {child}: {family} is no parent set")
    cycle = _find_cycle(parents)
    if cycle:
        raise VerificationError(f"the network has a cycle among {cycle}")


def _check_total(network: Network) -> None:
    total = network.header.extra.get("total")
    if total is not None and total != math.fsum(network.scores.tolist()):
        raise VerificationError(f"total {total!r} is not the sum of the local scores")


def _check_listed(network: Network, table: ParentSetTable) -> None:
    for child, family in enumerate(network.parents):
        match = _listed_set(table, child, family)
        if match is None:
            kind = "the fixed set" if table.fixed[child] else "a listed set"
            raise VerificationError(f"variable {child}: {family} is not {kind}")
        if float(table.scores[match]) != float(network.scores[child]):
            raise VerificationError(f"variable {child}: the table scores {family} differently")


def _listed_set(table: ParentSetTable, child: int, family: Sequence[int]) -> int | None:
    """Index of `family` among the listed sets of a child, the first one if it stands there twice."""
    first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
    starts, ends = table.parent_offsets[first:end], table.parent_offsets[first + 1 : end + 1]
    matches = (ends - starts == len(family)).nonzero()[0]
    for place, parent in enumerate(family):
        matches = matches[table.parents[starts[matches] + place] == parent]
    return first + int(matches[0]) if len(matches) else None


def _check_width(network: Network, treewidth: int) -> None:
    claim = network.header.extra.get("treewidth")
    if claim is None:
        raise VerificationError("the header has no elimination order")
    width = max(len(bag) for _, bag in _elimination_bags(network.parents, claim["elimination"]))
    if width > treewidth or width != claim["width"]:
        raise VerificationError(f"the elimination order proves width {width}, not {claim['width']}")


def _check_table(network: Network, max_table: int) -> None:
    claim = network.header.extra["treewidth"]
    n_states = [len(variable.known_states) for variable in network.header.variables]
    largest = max(
        n_states[variable] * math.prod(n_states[member] for member in bag)
        for variable, bag in _elimination_bags(network.parents, claim["elimination"])
    )
    if largest > max_table or largest != claim["table"] or max_table != claim["max_table"]:
        raise VerificationError(f"the elimination order has a table of {largest} cells, not {claim['table']}")


def _check_scores(network: Network, dataset: Dataset) -> None:
    if network.header.score not in ("ll", "aic", "bic", "bdeu", "k2"):
        return
    for child, family in enumerate(network.parents):
        expected = _local_score(dataset, child, family, network.header.score, network.header.ess or 1.0)
        found = float(network.scores[child])
        if not math.isclose(expected, found, rel_tol=SCORE_TOLERANCE, abs_tol=1e-6):
            raise VerificationError(f"variable {child}: score {found!r}, but the data give {expected!r}")


def _local_score(dataset: Dataset, child: int, parents: Sequence[int], score: str, ess: float) -> float:
    """Local score in nats from the definition, by counting row keys; independent of the kernels."""
    import numpy as np

    table, configurations = _observed_counts(dataset.codes, child, parents)
    n_states = [len(v.states or ()) for v in dataset.variables]
    r, q = n_states[child], math.prod(n_states[p] for p in parents)
    sums = np.zeros(configurations.max(initial=-1) + 1, dtype=np.int64)
    np.add.at(sums, configurations, table)
    cells, margins = table.tolist(), sums.tolist()
    if score in ("bdeu", "k2"):
        per_cell, per_margin = (ess / (r * q), ess / q) if score == "bdeu" else (1.0, float(r))
        return math.fsum(
            [math.lgamma(per_cell + m) - math.lgamma(per_cell) for m in cells]
            + [math.lgamma(per_margin) - math.lgamma(per_margin + m) for m in margins]
        )
    likelihood = math.fsum([m * math.log(m) for m in cells] + [-m * math.log(m) for m in margins])
    weight = {"ll": 0.0, "aic": 1.0, "bic": math.log(dataset.n_rows) / 2}[score]
    return likelihood - weight * (r - 1) * q


def _observed_counts(codes: np.ndarray, child: int, parents: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the observed (configuration, state) cells, and for each cell the index of its
    configuration.
    """
    import numpy as np

    family = [codes[variable] for variable in (*parents, child)]
    n_states = [int(column.max(initial=0)) + 1 for column in family]
    if math.prod(n_states) <= codes.shape[1]:
        all_counts = _count_all(family, n_states)
        cells = np.flatnonzero(all_counts)
        counts = all_counts[cells]
    else:
        cells, counts = np.unique(_row_keys(family, n_states), return_counts=True)
    _, configurations = np.unique(cells // n_states[-1], return_inverse=True)
    return counts, configurations


def _count_all(family: Sequence[np.ndarray], n_states: Sequence[int]) -> np.ndarray:
    """How many rows have each key, the last variable least significant; in parts, so that keys stay in a cache."""
    import numpy as np

    n_keys, n_rows = math.prod(n_states), len(family[0])
    counts = np.zeros(n_keys, dtype=np.int64)
    # Keys of one byte are counted two at a time: as numbers of two bytes, of which each half tells.
    pairs = np.zeros(1 << 16 if n_keys < 1 << 8 and n_rows >= PART_ROWS else 0, dtype=np.int64)
    for start in range(0, n_rows, PART_ROWS):
        part = [column[start : start + PART_ROWS] for column in family]
        # Small numbers are many times as fast where there are millions of rows.
        keys = part[0].astype(np.min_scalar_type(n_keys))
        for column, states in zip(part[1:], n_states[1:]):
            keys *= states
            keys += column
        if len(pairs) and len(keys) % 2 == 0:
            pairs += np.bincount(keys.view(np.uint16), minlength=len(pairs))
        else:
            counts += np.bincount(keys, minlength=n_keys)
    if len(pairs):
        halves = pairs.reshape(1 << 8, 1 << 8)
        counts += (halves.sum(axis=0) + halves.sum(axis=1))[:n_keys]
    return counts


def _row_keys(family: Sequence[np.ndarray], n_states: Sequence[int]) -> np.ndarray:
    """A number for each row, the same for the same cells, the last variable least significant."""
    import numpy as np

    keys, n_keys = np.zeros(len(family[0]), dtype=np.int64), 1
    for column, states in zip(family, n_states):
        if n_keys > LARGE_KEY:
            _, keys = np.unique(keys, return_inverse=True)
            n_keys = len(keys)
        keys = keys * states + column
        n_keys *= states
    return keys
