"""What `bnsl.explain` says about arcs: losses without them, and the parent sets that come next."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from formats import open_arc_probabilities
from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.graph_records import Strength, strengths_of
from formats.records import NetworkRecord, ParentSetTable
from formats.streams import source_name
from formats.tables.results.result_tables import FIGURE, NUMBER, TEXT
from formats.tables.selection import column_list
from formats.wording import plural
from stages.average.strengths import missing_variables
from stages.explain.arcs import FamilyFacts, explain_families
from stages.explain.rivals import RivalSearch
from stages.graphs.orientation import network_directions
from stages.recorded_knowledge import recorded_knowledge
from stages.scoring.interventional_scorer import scorer_of
from stages.scoring.scores import SCORES, recorded_ess

from ..files.answers import Answers, Values
from ..files.inputs import open_record, require_same_scores
from ..options.option import Given
from ..running.errors import UsageError
from ..running.function import Run

TITLES = {"removal_loss": "removed", "instead_loss": "loss", "reversal_loss": "reversed", "by_chance": "chance"}
"""Short titles of columns in a table to read."""

SPARE = ("by_chance", "cycle", "direction")
"""Columns that a table to read leaves out where it would be too wide."""


def about_arcs(
    run: Run,
    structure: NetworkRecord,
    parents: Sequence[tuple[int, ...]],
    dataset: Dataset,
    table: ParentSetTable | None,
    given: Given,
) -> Answers:
    """The table of arcs, or of runners-up.

    - `parents`: the parents of each variable, by the places of the variables in the data.
    - `table`: the parent sets to compare with; None for sets of at most `max_parents` parents.
    """
    header = structure.header
    recorded = header if table is None else table.header
    score = given.score or (recorded.score if recorded.score in SCORES else "bic")
    if given.ess is not None and not SCORES[score].takes_ess:
        raise UsageError(f"--ess does not apply to score {score}.")
    ess = given.ess or recorded.ess or 1.0
    if table is not None:
        require_same_scores(table.header, dataset, Given(score=score, ess=ess), str(given.sets))
    most = given.max_parents
    scorer = scorer_of(dataset, score, ess)
    search = RivalSearch(scorer, parents, recorded_knowledge(header.by, dataset.names), most, table)
    facts = {"score": score, "ess": recorded_ess(score, ess), "rows": dataset.n_rows}
    compared = "the listed sets"
    if table is None:
        facts["max_parents"] = most
        compared = f"sets of at most {plural(most, 'parent')}, or one change away"
    listed = _listed_families(run, dataset, search)
    if given.runners_up is not None:
        return _runners_up(listed, dataset.names, given.runners_up, score, compared, facts)
    return _arcs(listed, dataset.names, structure, given, score, compared, facts)


def _listed_families(run: Run, dataset: Dataset, search: RivalSearch) -> Iterator[FamilyFacts]:
    """The families of the variables one by one, with progress."""
    for number, family in enumerate(explain_families(dataset, search.scorer, search), start=1):
        run.reporter.progress(number, dataset.n_variables, "variables")
        yield family


def _runners_up(
    families: Iterator[FamilyFacts], names: Sequence[str], most: int, score: str, compared: str, facts: dict[str, Any]
) -> Answers:
    """The families of the network, each with the sets that come next."""

    def batches() -> Iterator[Values]:
        for family in families:
            rows = [(names[family.child], 0, column_list(names[v] for v in family.parents), "", family.score, 0.0)]
            for rank, rival in enumerate(family.rivals[:most], start=1):
                members = column_list(names[v] for v in rival.parents)
                change = _change(family.parents, rival.parents, names)
                loss = family.score - rival.score
                rows.append((names[family.child], rank, members, change, rival.score, loss))
            yield [*zip(*rows)]

    columns = {"child": TEXT, "rank": NUMBER, "parents": TEXT, "change": TEXT, "score": FIGURE, "loss": FIGURE}
    closing = (
        f"{score} in nats. Rank 0 is the set of the network; a loss below 0 is a gain. Compared: {compared} that "
        "make no cycle with the other families"
    )
    return Answers(columns, batches(), closing, facts, titles=TITLES, spare=SPARE, header={"explain": facts})


def _change(present: Sequence[int], other: Sequence[int], names: Sequence[str]) -> str:
    """What turns a parent set into another one: ``-dropped +added``."""
    dropped = [f"-{names[v]}" for v in present if v not in other]
    return " ".join([*dropped, *(f"+{names[v]}" for v in other if v not in present)])


def _arcs(
    families: Iterator[FamilyFacts],
    names: Sequence[str],
    structure: NetworkRecord,
    given: Given,
    score: str,
    compared: str,
    facts: dict[str, Any],
) -> Answers:
    """The arcs, each with what the score loses without it."""
    directions, strengths = _directions(structure), _strengths(structure, given)

    def batches() -> Iterator[Values]:
        for family in families:
            rows: list[tuple[Any, ...]] = []
            for arc in family.arcs:
                ends = names[arc.parent], names[arc.child]
                cycle = " -> ".join(names[v] for v in (arc.child, *arc.path)) if arc.path else ""
                instead = None if arc.instead is None else column_list(names[v] for v in arc.instead)
                losses = arc.removal_loss, instead, arc.instead_loss, arc.reversal_loss, cycle
                carried = arc.information.nats, arc.information.by_chance
                decided = (directions.get(ends, ""),) if directions else ()
                share = strengths.get(ends, (0.0, 0.0)) if strengths is not None else ()
                rows.append((*ends, *losses, *carried, *decided, *share))
            if rows:
                yield [*zip(*rows)]

    columns = {"parent": TEXT, "child": TEXT, "removal_loss": FIGURE, "instead": TEXT, "instead_loss": FIGURE}
    columns |= {"reversal_loss": FIGURE, "cycle": TEXT, "information": FIGURE, "by_chance": FIGURE}
    columns |= {"direction": TEXT} if directions else {}
    columns |= {"probability": FIGURE, "either": FIGURE} if strengths is not None else {}
    closing = (
        f"Losses of {score} in nats; a reversal that makes a cycle has none. Column instead: the best set without "
        f"the arc that makes no cycle, of {compared}. Column information: given the other parents, in nats"
    )
    return Answers(columns, batches(), closing, facts, titles=TITLES, spare=SPARE, header={"explain": facts})


def _directions(structure: NetworkRecord) -> dict[tuple[str, str], str]:
    """What decides the direction of each arc of a learnt network, by names; empty if nothing is recorded."""
    names = structure.header.names
    with contextlib.suppress(Inconsistent):
        return {(names[a], names[b]): by for (a, b), by in network_directions(structure).items()}
    return {}


def _strengths(structure: NetworkRecord, given: Given) -> dict[tuple[str, str], Strength] | None:
    """The strengths of arcs, by names, of the table or in the header of the network; None without any."""
    names = structure.header.names
    if given.strengths is None:
        return {(names[a], names[b]): strength for (a, b), strength in strengths_of(structure).items()} or None
    table = open_record(given.strengths, open_arc_probabilities)
    known = table.header.names
    lacking = missing_variables(table, structure)
    if lacking:
        raise Inconsistent(
            f"the variable {lacking[0]!r} of the network is missing here",
            source=source_name(given.strengths),
            remedy="give the strengths of networks of the same data",
        )
    pairs = zip(table.parents.tolist(), table.children.tolist(), table.probability.tolist(), table.either.tolist())
    return {(known[a], known[b]): Strength(arc, either) for a, b, arc, either in pairs}
