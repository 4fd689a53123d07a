"""Check a network from scratch, in plain Python and independently of every search.

Each network is checked here before it is written. A search that returns a cycle, a wrong score or a width that its
certificate does not prove has a bug; the bug is reported and the network is not written. Nothing is shared with a
search: the cycle check and elimination are implemented again, and local scores come from
`stages.scoring.independent`. So an error elsewhere cannot hide itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from formats.data_records import Dataset
from formats.errors import VerificationError
from formats.records import NetworkRecord, ParentSetTable
from stages.knowledge import Knowledge
from stages.scoring.independent import KNOWN_SCORES, IndependentScorer

from . import OptimizeOptions


def verify_network(
    network: NetworkRecord,
    table: ParentSetTable | None = None,
    dataset: Dataset | None = None,
    treewidth: int | None = None,
    max_table: int | None = None,
    knowledge: Knowledge | None = None,
) -> None:
    """Raise `VerificationError` on the first claim of `network` that does not hold.

    It checks that parents are ascending indices of other variables, that there is no cycle, and that ``total`` is the
    sum of the local scores. Further, as far as the arguments allow:

    Parameters
    ----------
    network : Network
        The network to check.
    table : ParentSetTable, optional
        Every family must be listed there with exactly that score, and fixed records kept.
    dataset : Dataset, optional
        Local scores are recomputed and must agree.
    treewidth : int, optional
        The header's elimination order must prove that the moral graph's treewidth is at most this.
    max_table : int, optional
        It must also prove that no clique has more combinations of states than this.
    knowledge : Knowledge, optional
        Every required arc must be present, and no excluded one.
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
    if knowledge is not None:
        _check_knowledge(network, knowledge)


def verify_found(
    network: NetworkRecord,
    options: OptimizeOptions,
    table: ParentSetTable | None = None,
    dataset: Dataset | None = None,
) -> None:
    """`verify_network`, with the limits and the knowledge of a search."""
    verify_network(network, table, dataset, options.treewidth, options.max_table, options.knowledge)


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


def _elimination_bags(parents: Sequence[Sequence[int]], elimination: Sequence[int]) -> Iterator[tuple[int, set[int]]]:
    """Variables in the given elimination order of the moral graph, each with its neighbours at that time.

    Raises `VerificationError` if `elimination` is not a permutation of the variables.
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


def _check_total(network: NetworkRecord) -> None:
    total = network.header.extra.get("total")
    if total is not None and total != math.fsum(network.scores.tolist()):
        raise VerificationError(f"total {total!r} is not the sum of the local scores")


def _check_listed(network: NetworkRecord, table: ParentSetTable) -> None:
    for child, family in enumerate(network.parents):
        match = _listed_set(table, child, family)
        if match is None:
            kind = "the fixed set" if table.fixed[child] else "a listed set"
            raise VerificationError(f"variable {child}: {family} is not {kind}")
        if float(table.scores[match]) != float(network.scores[child]):
            raise VerificationError(f"variable {child}: the table scores {family} differently")


def _listed_set(table: ParentSetTable, child: int, family: Sequence[int]) -> int | None:
    """Index of `family` among the listed sets of a child, the first one if it is listed twice."""
    first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
    starts, ends = table.parent_offsets[first:end], table.parent_offsets[first + 1 : end + 1]
    matches = (ends - starts == len(family)).nonzero()[0]
    for place, parent in enumerate(family):
        matches = matches[table.parents[starts[matches] + place] == parent]
    return first + int(matches[0]) if len(matches) else None


def _check_width(network: NetworkRecord, treewidth: int) -> None:
    claim = network.header.extra.get("treewidth")
    if claim is None:
        raise VerificationError("the header has no elimination order")
    width = max(len(bag) for _, bag in _elimination_bags(network.parents, claim["elimination"]))
    if width > treewidth or width != claim["width"]:
        raise VerificationError(f"the elimination order proves width {width}, not {claim['width']}")


def _check_table(network: NetworkRecord, max_table: int) -> None:
    claim = network.header.extra["treewidth"]
    n_states = [len(variable.known_states) for variable in network.header.variables]
    largest = max(
        n_states[variable] * math.prod(n_states[member] for member in bag)
        for variable, bag in _elimination_bags(network.parents, claim["elimination"])
    )
    if largest > max_table or largest != claim["table"] or max_table != claim["max_table"]:
        raise VerificationError(f"the elimination order has a table of {largest} cells, not {claim['table']}")


def _check_knowledge(network: NetworkRecord, knowledge: Knowledge) -> None:
    for child, family in enumerate(network.parents):
        lacking = sorted(set(knowledge.required_of(child)).difference(family))
        if lacking:
            raise VerificationError(f"the arc {knowledge.arc_text(lacking[0], child)} is required and not there")
        for parent in family:
            if reason := knowledge.excludes(parent, child):
                raise VerificationError(f"the arc {knowledge.arc_text(parent, child)} {reason}")


def _check_scores(network: NetworkRecord, dataset: Dataset) -> None:
    score = network.header.score
    if score not in KNOWN_SCORES:
        raise VerificationError(f"score {score!r} has no independent formula: add it to stages.scoring.independent")
    scorer = IndependentScorer(dataset, score, network.header.ess or 1.0)
    for child, family in enumerate(network.parents):
        scorer.check(child, family, float(network.scores[child]))
