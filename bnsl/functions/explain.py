"""`bnsl.explain`: why a network has its arcs, and what drives a variable."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files.answers import Answers, Values
from ..files.inputs import (
    COUNT_APART,
    LearntNetwork,
    certified_order,
    completed,
    open_network_or_class,
    open_record,
    require_same_scores,
    warn_of_cut_lists,
    warn_of_interventions,
)
from ..options import shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter, record
from ..options.explain import MOST_PAIRED, ExplainOptions, check_explained
from ..options.values import INPUT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..tables import Table

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.graph_records import Strength
    from formats.records import ParentSetTable
    from stages.explain.arcs import FamilyFacts
    from stages.explain.drivers import Driver, Findings
    from stages.explain.rivals import RivalSearch
    from stages.inference.junction_trees import Engine

TITLES = {
    "removal_loss": "removed",
    "instead_loss": "loss",
    "reversal_loss": "reversed",
    "by_chance": "chance",
    "given_blanket": "given",
    "blanket_by_chance": "chance",
    "target_state": "target",
}
"""Short titles of columns in a table to read."""

SPARE = ("by_chance", "blanket_by_chance", "cycle", "direction")
"""Columns that a table to read leaves out where it would be too wide."""


class Explained(NamedTuple):
    """A network placed on its data: the parents of each variable, by the places of the variables in the data."""

    learnt: LearntNetwork
    parents: tuple[tuple[int, ...], ...]
    dataset: Dataset


def _finish(found: Answers) -> Table:
    return found.to_table()


@function(finish=_finish)
def explain(
    network: Any = argument("NETWORK", is_required=True),
    data: Any = parameter("Rows that the network explains.", INPUT, "DATA", section="Input", is_required=True),
    data_options: DataOptions = data_options_with(counts_families=True),
    given: ExplainOptions = record(ExplainOptions, "Question", check=check_explained),
    *,
    run: Run,
) -> Answers:
    """Explain why a network has its arcs, or what drives a variable.

    Returns
    -------
    Table
        A row for each arc; with `runners_up` for each parent set; with `target` for each variable, or for each
        finding.

    Examples
    --------
    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> network = bnsl.optimize(data=table, require="a->b", quiet=True)
    >>> [arc] = bnsl.explain(network, data=table, quiet=True).to_pylist()
    >>> arc["parent"], arc["child"], round(arc["removal_loss"], 4), round(arc["information"], 4)
    ('a', 'b', 25.8814, 0.6931)
    """
    from formats.streams import source_name

    shared.check_sources(network, data, given.sets, given.strengths)
    learnt = open_network_or_class(network, warn=run.reporter.warn)
    if learnt.is_class:
        raise UsageError(
            f"{source_name(network)} is an essential graph: give a network of it (bnsl convert --class 1)."
        )
    table = None
    if given.sets is not None:
        from formats import open_parent_sets

        table = open_record(given.sets, open_parent_sets)
        warn_of_cut_lists(table, run.reporter)
    explained = _placed(learnt, network, data, data_options, table, given, run)
    if given.target is not None:
        return _about_target(explained, network, given, run)
    return _about_families(explained, table, given, run)


def _placed(
    learnt: LearntNetwork,
    source: Any,
    data: Any,
    data_options: DataOptions,
    table: ParentSetTable | None,
    given: ExplainOptions,
    run: Run,
) -> Explained:
    """The network and its data, coded by the states of the lists or of the network.

    Raises `Inconsistent`: the network has other variables.
    """
    from formats.errors import Inconsistent
    from formats.streams import source_name

    header = learnt.structure.header
    known = None if header.lacks_isolated else KnownVariables(header.variables, source)
    if table is not None:
        known = KnownVariables(table.header.variables, given.sets or "SETS")
    dataset = data_options.open(data, run.reporter, known)
    if dataset.interventions is None:
        where = "leave out --target, and " if given.target is not None else ""
        warn_of_interventions(header, run.reporter, where + COUNT_APART)
    structure = completed(learnt.structure, source, dataset.names, data, run.reporter)
    place = {name: number for number, name in enumerate(dataset.names)}
    if place.keys() != set(structure.header.names):
        raise Inconsistent(
            "the network has other variables than the data or the list of parent sets",
            source=source_name(source),
            remedy="give the rows and the lists that it was learnt from",
        )
    where_is = [place[name] for name in structure.header.names]
    parents: list[tuple[int, ...]] = [()] * len(where_is)
    for child, family in zip(where_is, structure.parents):
        parents[child] = tuple(sorted(where_is[parent] for parent in family))
    return Explained(learnt, tuple(parents), dataset)


# ------------------------------------------------------------------------------------------------ arcs
def _about_families(explained: Explained, table: ParentSetTable | None, given: ExplainOptions, run: Run) -> Answers:
    """The table of arcs, or of runners-up."""
    from formats.wording import plural
    from stages.explain.rivals import RivalSearch
    from stages.recorded_knowledge import recorded_knowledge
    from stages.scoring.interventional_scorer import scorer_of
    from stages.scoring.scores import SCORES, recorded_ess

    dataset, header = explained.dataset, explained.learnt.structure.header
    recorded = header if table is None else table.header
    score = given.score or (recorded.score if recorded.score in SCORES else "bic")
    if given.ess is not None and not SCORES[score].takes_ess:
        raise UsageError(f"--ess does not apply to score {score}.")
    ess = given.ess or recorded.ess or 1.0
    if table is not None:
        require_same_scores(table.header, dataset, shared.ScoreOptions(score, ess), str(given.sets))
    most = given.max_parents
    if most is None:
        most = 2 if dataset.n_variables <= MOST_PAIRED else 1
    scorer = scorer_of(dataset, score, ess)
    search = RivalSearch(scorer, explained.parents, recorded_knowledge(header.by, dataset.names), most, table)
    facts = {"score": score, "ess": recorded_ess(score, ess), "rows": dataset.n_rows, "max_parents": most}
    if table is not None:
        del facts["max_parents"]
    listed = _listed_families(explained, search, run)
    compared = (
        "the listed sets" if table is not None else f"sets of at most {plural(most, 'parent')}, or one change away"
    )
    if given.runners_up is not None:
        return _runners_up(listed, dataset.names, given.runners_up, score, compared, facts)
    return _arcs(listed, explained, given, run, score, compared, facts)


def _listed_families(explained: Explained, search: RivalSearch, run: Run) -> Iterator[FamilyFacts]:
    from stages.explain.arcs import explain_families

    for number, family in enumerate(explain_families(explained.dataset, search.scorer, search), start=1):
        run.reporter.progress(number, explained.dataset.n_variables, "variables")
        yield family


def _runners_up(
    families: Iterator[FamilyFacts], names: Sequence[str], most: int, score: str, compared: str, facts: dict[str, Any]
) -> Answers:
    """The families of the network, each with the sets that come next."""
    from formats.tables.results.result_tables import FIGURE, NUMBER, TEXT
    from formats.tables.selection import column_list

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
    explained: Explained,
    given: ExplainOptions,
    run: Run,
    score: str,
    compared: str,
    facts: dict[str, Any],
) -> Answers:
    """The arcs, each with what the score loses without it."""
    from formats.tables.results.result_tables import FIGURE, TEXT
    from formats.tables.selection import column_list

    names = explained.dataset.names
    directions, strengths = _directions(explained), _strengths(explained, given)

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


def _directions(explained: Explained) -> dict[tuple[str, str], str]:
    """What decides the direction of each arc of a learnt network, by names; empty if nothing is recorded."""
    from formats.errors import Inconsistent
    from stages.graphs.orientation import network_directions

    structure = explained.learnt.structure
    names = structure.header.names
    with contextlib.suppress(Inconsistent):
        return {(names[a], names[b]): by for (a, b), by in network_directions(structure).items()}
    return {}


def _strengths(explained: Explained, given: ExplainOptions) -> dict[tuple[str, str], Strength] | None:
    """The strengths of arcs, by names, of the table or in the header of the network; None without any."""
    from formats import open_arc_probabilities
    from formats.errors import Inconsistent
    from formats.graph_records import Strength, strengths_of
    from formats.streams import source_name
    from stages.average.strengths import missing_variables

    structure = explained.learnt.structure
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


# ---------------------------------------------------------------------------------------------- target
def _about_target(explained: Explained, source: Any, given: ExplainOptions, run: Run) -> Answers:
    """The table of drivers of a variable, or of findings about one of its states."""
    from formats.errors import Inconsistent
    from formats.tables.assignments import find_variable, parse_assignments
    from stages.explain.drivers import drivers_of, findings_about

    dataset, text = explained.dataset, str(given.target)
    state = None
    if text in dataset.names or "=" not in text:
        target = find_variable(text, dataset.variables)
    else:
        [(target, state)] = parse_assignments([text], dataset.variables).items()
    findings = findings_about(_engine(explained, source, given, run), target)
    facts = {"target": dataset.names[target], "rows": dataset.n_rows}
    if state is not None:
        return _of_findings(dataset, findings, target, state, facts)
    if dataset.n_rows == 0:
        raise Inconsistent("there are no rows to count", remedy="the table needs at least one row of data")
    return _of_drivers(explained, findings, target, drivers_of(dataset, explained.parents, target), facts)


def _engine(explained: Explained, source: Any, given: ExplainOptions, run: Run) -> Engine:
    """Inference by the network's own parameters, or those fitted to the rows."""
    from formats.graphs.structures import network_from_parents
    from stages.fit import fit_parameters
    from stages.inference.junction_trees import Engine

    learnt, dataset = explained.learnt, explained.dataset
    if learnt.parameters is not None:
        run.refuse(("smoothing",), "smooths parameters from the rows, and this network has its own: leave it out.")
        if hasattr(source, "engine"):
            return source.engine
        return Engine(learnt.parameters, certified_order(learnt.structure))
    structure = network_from_parents(dataset.variables, explained.parents)
    smoothing = 1.0 if given.smoothing is None else given.smoothing
    same_order = learnt.structure.header.names == dataset.names
    model = fit_parameters(structure, dataset, smoothing=smoothing)
    return Engine(model, certified_order(learnt.structure) if same_order else None)


def _of_drivers(
    explained: Explained, findings: Findings, target: int, drivers: Iterator[Driver], facts: dict[str, Any]
) -> Answers:
    """The other variables: the Markov blanket first, then by information."""
    import shlex

    from formats.tables.results.result_tables import FIGURE, TEXT

    variables = explained.dataset.variables
    rows = []
    for driver in sorted(drivers, key=lambda each: (not each.relation, -each.alone.nats)):
        variable = variables[driver.variable]
        state, of_target = findings.strongest(driver.variable)
        before, after = findings.before[of_target], findings.after[driver.variable][state, of_target]
        numbers = *driver.alone, *driver.given_blanket
        moved = variable.known_states[state], variables[target].known_states[of_target], float(before), float(after)
        rows.append((variable.name, driver.relation, *numbers, *moved))
    columns = {"variable": TEXT, "relation": TEXT, "information": FIGURE, "by_chance": FIGURE}
    columns |= {"given_blanket": FIGURE, "blanket_by_chance": FIGURE, "finding": TEXT, "target_state": TEXT}
    columns |= {"before": FIGURE, "after": FIGURE}
    name = variables[target].name
    closing = (
        f"Information about {name} in nats: alone, and given the rest of its Markov blanket. Before and after the "
        f"finding: P({name} = target). To draw the blanket: bnsl convert NETWORK --markov-blanket "
        f"{shlex.quote(name)} -o blanket.svg"
    )
    values: Values = [*zip(*rows)] or [[] for _ in columns]
    titles = TITLES | {"information": "alone"}
    return Answers(columns, [values], closing, facts, titles=titles, spare=SPARE, header={"explain": facts})


def _of_findings(dataset: Dataset, findings: Findings, target: int, state: int, facts: dict[str, Any]) -> Answers:
    """What each finding does to the probability of a state, the largest difference first."""
    from formats.tables.results.result_tables import FIGURE, TEXT

    before = float(findings.before[state])
    rows = []
    for place, variable in enumerate(dataset.variables):
        if place != target:
            for code, label in enumerate(variable.known_states):
                after = float(findings.after[place][code, state])
                rows.append((variable.name, label, float(findings.probability[place][code]), after, after - before))
    rows.sort(key=lambda row: -abs(row[-1]) if row[-1] == row[-1] else 1.0)
    columns = {"variable": TEXT, "state": TEXT, "probability": FIGURE, "after": FIGURE, "difference": FIGURE}
    name = f"{dataset.names[target]}={dataset.variables[target].known_states[state]}"
    facts = {**facts, "state": dataset.variables[target].known_states[state], "before": before}
    closing = f"P({name}) is {before:.4f}. Columns: probability, of the finding; after, P({name}) given it alone"
    values: Values = [*zip(*rows)] or [[] for _ in columns]
    return Answers(columns, [values], closing, facts, titles={}, header={"explain": facts})
