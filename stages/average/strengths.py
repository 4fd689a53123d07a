"""Arc strengths (proportions of networks with an arc), and the threshold above which a pair is significant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import SCREENED, UNDECIDED, ArcProbabilityTable, Strength, screened_of, with_strengths
from formats.records import Header, NetworkRecord
from stages.evaluate.alignment import align_parents
from stages.graphs.essential_graphs import Arc, list_arcs
from stages.graphs.intervention_targets import Targets, recorded_targets, targets_of
from stages.graphs.orientation import DecisionCounts, decide_directions
from stages.knowledge import Knowledge
from stages.recorded_knowledge import recorded_knowledge
from stages.runtime.errors import StageError


class ArcCounts(NamedTuple):
    """Arcs counted in networks."""

    table: ArcProbabilityTable
    # Knowledge about arcs that the headers record, if it is the same in all networks; else None.
    knowledge: Knowledge | None


def count_arcs(networks: Iterable[NetworkRecord], cpdag: bool = True) -> ArcCounts:
    """Arc strengths of networks over the same variables.

    There must be a network; variables are matched by name. With `cpdag` the edges of the essential graphs are counted
    (of the maximally oriented graphs, if a header records knowledge), an undirected one as one half in each
    direction; otherwise the arcs of the networks.

    The table has a row for every arc of some network. Its header has the facts that all networks share, and their
    number as ``networks``. Raises `Inconsistent` for networks of different variables, or one against the knowledge in
    its header; `StageError` if there is none.
    """
    whole_of: Counter[Arc] = Counter()
    half_of: Counter[Arc] = Counter()
    decided = DecisionCounts()
    header, n_networks = Header(()), 0
    knowledge, common = Knowledge(()), True
    by: tuple[Any, ...] | None = None
    screened: set[str] = set()  # variables that a screening forest attached, if they are the same for all networks
    targets: Targets = ()  # what was set in the data, if it is the same for all networks
    for network in networks:
        n_networks += 1
        header = replace(network.header, extra={}) if n_networks == 1 else _agreed(header, network.header, n_networks)
        if network.header.by != by:
            by = network.header.by
            found = recorded_knowledge(by, header.names)
            common &= n_networks == 1 or found.equals(knowledge)
            knowledge = found
        found_screened = {network.header.names[v] for v in screened_of(network)}
        screened = found_screened if n_networks == 1 or found_screened == screened else set()
        found_targets = targets_of(network.header, header.names)
        targets = found_targets if n_networks == 1 or found_targets == targets else ()
        decisions = decide_directions(align_parents(header.names, network), knowledge, found_targets)
        decided.add(decisions)
        for (tail, head), word in decisions.items():
            if cpdag and word == UNDECIDED:
                # Counted for both directions, and halved below.
                half_of.update([(tail, head), (head, tail)])
            else:
                whole_of[tail, head] += 1
    if n_networks == 0:
        raise StageError("there is no network to average")
    arcs = sorted({*whole_of, *half_of})
    whole = np.array([whole_of[arc] for arc in arcs], dtype=np.float64)
    half = np.array([half_of[arc] for arc in arcs], dtype=np.float64)
    share = (whole + half / 2) / n_networks
    # Mean square minus squared mean; an undirected edge counts 1/2 with square 1/4.
    variance = np.maximum(0.0, (whole + half / 4) / n_networks - share**2)
    by_arc = dict(zip(arcs, share.tolist()))
    either = np.array([by_arc[a, b] + by_arc.get((b, a), 0.0) for a, b in arcs], dtype=np.float64)
    ends = np.array(arcs, dtype=np.int32).reshape(-1, 2)
    order = np.lexsort((ends[:, 1], ends[:, 0], -share))
    extra = {"method": "counted", "networks": n_networks, **recorded_targets(targets)}
    if screened:
        extra[SCREENED] = [v for v, name in enumerate(header.names) if name in screened]
    table = ArcProbabilityTable(
        replace(header, extra=extra),
        ends[order, 0],
        ends[order, 1],
        share[order],
        np.sqrt(variance / n_networks)[order],
        either[order],
        directions=tuple(decided.usual(arcs[row]) for row in order),
    )
    return ArcCounts(table, knowledge if common else None)


def _agreed(ours: Header, theirs: Header, number: int) -> Header:
    """The facts that the header so far shares with the header of a further network.

    Raises `Inconsistent` if their variables differ.
    """
    other = {variable.name: variable for variable in theirs.variables}
    missing = [name for name in ours.names if name not in other]
    foreign = [name for name in theirs.names if name not in set(ours.names)]
    if missing or foreign:
        what = f"lacks variable {missing[0]!r}" if missing else f"has a variable {foreign[0]!r} more"
        raise Inconsistent(
            f"network {number} {what}: the networks have different variables",
            remedy="average networks that were learnt from the same columns",
        )
    variables = tuple(v if other[v.name].states == v.states else Variable(v.name) for v in ours.variables)
    return Header(
        variables,
        ours.score if ours.score == theirs.score else "unknown",
        ours.rows if ours.rows == theirs.rows else None,
        ours.data if ours.data == theirs.data else None,
        ours.ess if ours.score == theirs.score and ours.ess == theirs.ess else None,
        ours.by if ours.by == theirs.by else (),
    )


def pair_strengths(table: ArcProbabilityTable) -> dict[Arc, float]:
    """Probability of an arc in either direction, by pair, the smaller index first."""
    ends = zip(table.parents.tolist(), table.children.tolist())
    return {(min(pair), max(pair)): either for pair, either in zip(ends, table.either.tolist())}


def arc_strengths(table: ArcProbabilityTable) -> dict[Arc, Strength]:
    """Probability of each arc of a table, and of an arc in either direction."""
    figures = map(Strength, table.probability.tolist(), table.either.tolist())
    return dict(zip(zip(table.parents.tolist(), table.children.tolist()), figures))


def missing_variables(table: ArcProbabilityTable, network: NetworkRecord) -> list[str]:
    """Variables of the network that the table should have: all of them, or those with arcs if the format of the table
    cannot name others.
    """
    needed = set(network.header.names)
    if table.header.lacks_isolated:
        needed = {network.header.names[v] for arc in list_arcs(network.parents) for v in arc}
    known = set(table.header.names)
    return [name for name in network.header.names if name in needed and name not in known]


def with_table_strengths(network: NetworkRecord, table: ArcProbabilityTable) -> NetworkRecord:
    """A network with the strengths of its arcs from a table, matched by name; 0 for pairs without a row.

    Raises `Inconsistent` if the table lacks a variable of the network (one with arcs, if its format cannot name
    others).
    """
    index = {name: variable for variable, name in enumerate(table.header.names)}
    missing = missing_variables(table, network)
    if not missing:
        index |= {name: -1 for name in network.header.names if name not in index}
    else:
        raise Inconsistent(f"the table of strengths lacks variable {missing[0]!r} of the network")
    places = [index[name] for name in network.header.names]
    arcs, pairs = arc_strengths(table), pair_strengths(table)
    found = {}
    for arc in list_arcs(network.parents):
        parent, child = (places[variable] for variable in arc)
        either = pairs.get((min(parent, child), max(parent, child)), 0.0)
        found[arc] = arcs.get((parent, child), Strength(0.0, either))
    return with_strengths(network, found)


def significance_threshold(strengths: Iterable[float]) -> float:
    """The strength that a pair must exceed to be significant (Scutari and Nagarajan 2013).

    In the ideal case each pair is in all networks or in none, and the distribution function of the strengths has a
    constant level t between 0 and 1. The threshold is the t-quantile of the strengths, where t is the level nearest
    to their empirical distribution function F in the L1 norm. Strengths are of pairs, in either direction, from 0 to
    1; pairs of strength 0 may be omitted. The threshold is 0 if every strength is above one half.

    The constant nearest to F on [0, 1] in the L1 norm is a median of F(x) for x uniform on [0, 1], and F is
    non-decreasing: so t = F(1/2). Its quantile is the largest strength not above one half, so a pair is
    significant if more than half of the networks join it. A numerical minimiser may end at the next strength above or
    below. If F jumps at 1/2, all t within the jump are equally near; the upper end is taken.

    Scutari and Nagarajan: Identifying significant edges in graphical models of molecular networks. Artificial
    Intelligence in Medicine 57(3), 2013.
    """
    return max((strength for strength in strengths if strength <= 0.5), default=0.0)
