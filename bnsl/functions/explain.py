"""`bnsl.explain`: why a network has its arcs, and what drives a variable."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict, Unpack

from stages.scoring.scores import SCORES

from ..files.answers import Answers, Values
from ..files.inputs import COUNT_APART, completed, open_record, warn_of_cut_lists, warn_of_interventions
from ..files.network_inputs import read_network_or_class
from ..networks import Network
from ..options.data import CompleteRows, InterventionOptions, KnownVariables, Reading
from ..options.option import Argument, Given, Option, Source
from ..options.shared import ESS_RANGE, SCORE, Smoothing, check_sources
from ..options.values import INPUT, Number, Whole
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, delivering

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import ParentSetTable
    from stages.explain.drivers import Driver, Findings
    from stages.inference.junction_trees import Engine

MOST_PAIRED = 100
"""Most variables for which sets of two parents are scored by default."""

TITLES = {
    "information": "alone",
    "by_chance": "chance",
    "given_blanket": "given",
    "blanket_by_chance": "chance",
    "target_state": "target",
}
"""Short titles of columns in a table to read about a target."""

SPARE = ("by_chance", "blanket_by_chance")
"""Columns that a table to read leaves out where it would be too wide."""


class ExplainQuestions(TypedDict, total=False):
    """What is explained, and what it is compared with."""

    runners_up: Annotated[
        int | None,
        Option(
            "Write parent sets instead of arcs: for each variable the N sets that come next to the present one.",
            Whole(1),
            "N",
            section="Question",
        ),
    ]
    sets: Annotated[
        Source,
        Option(
            "Compare with the parent sets of this list and their scores, instead of small sets.",
            INPUT,
            "SETS",
            section="Question",
        ),
    ]
    max_parents: Annotated[
        int | None,
        Option(
            "Compare with all sets of at most K parents. The present set with one parent dropped, added or exchanged "
            f"is compared, too. [default: 2 up to {MOST_PAIRED} variables, 1 beyond]",
            Whole(0),
            "K",
            section="Question",
        ),
    ]
    strengths: Annotated[
        Source,
        Option(
            "Add the arc probabilities of 'bnsl posterior', or the arc strengths of 'bnsl average', from this table.",
            INPUT,
            "ARCS",
            section="Question",
        ),
    ]
    target: Annotated[
        str | None,
        Option(
            "Explain a variable instead: the information that each other variable has about it, and the finding that "
            "moves it most. For NAME=STATE, what each finding does to the probability of this state.",
            metavar="NAME[=STATE]",
            section="Question",
        ),
    ]
    score: Annotated[
        str | None, Option("Local score. By default it is the score of the network, or bic.", SCORE, section="Score")
    ]
    ess: Annotated[
        float | None,
        Option(
            "Equivalent sample size of the scores that have one. [default: that of the network, or 1]",
            Number(*ESS_RANGE),
            "ROWS",
            section="Score",
        ),
    ]
    smoothing: Annotated[
        Smoothing,
        "Equivalent sample size of a uniform prior of the parameters. It serves --target if the network has no "
        "parameters. [default: 1]",
        {"section": "Question"},
    ]


class ExplainOptions(CompleteRows, InterventionOptions, ExplainQuestions, MessageOptions, total=False):
    """Options of `explain`."""


OF_ARCS = ("runners_up", "sets", "max_parents", "strengths", "score", "ess")
"""Options that are about arcs."""


class Explained(NamedTuple):
    """A network placed on its data: the parents of each variable, by the places of the variables in the data."""

    learnt: Network
    parents: tuple[tuple[int, ...], ...]
    dataset: "Dataset"


@delivering
def explain(
    run: Run,
    network: Annotated[Source, Argument("NETWORK"), "The network to explain."],
    *,
    data: Annotated[Source, Option("Rows that the network explains.", INPUT, "DATA", section="Input")],
    **options: Unpack[ExplainOptions],
) -> Answers:
    """Explain why a network has its arcs, or what drives a variable.

    Returns
    -------
    Table
        A row for each arc. With `runners_up`, a row for each parent set. With `target`, a row for each variable; if
        it names a state, a row for each finding.

    Examples
    --------
    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> network = bnsl.optimize(data=table, require="a->b", quiet=True)
    >>> [arc] = bnsl.explain(network, data=table, quiet=True).to_pylist()
    >>> arc["parent"], arc["child"], round(arc["removal_loss"], 4), round(arc["information"], 4)
    ('a', 'b', 25.8814, 0.6931)
    """
    from formats.streams import source_name

    given, reading = Given(network=network, data=data, **options), Reading(**options)
    _check(run, given)
    check_sources(network, data, given.sets, given.strengths)
    learnt = read_network_or_class(network, warn=run.reporter.warn)
    if learnt.is_class:
        raise UsageError(
            f"{source_name(network)} is an essential graph: give a network of it (bnsl convert --class 1)."
        )
    table = None
    if given.sets is not None:
        from formats import open_parent_sets

        table = open_record(given.sets, open_parent_sets)
        warn_of_cut_lists(table, run.reporter)
    explained = _placed(run, learnt, table, given, reading)
    if given.target is not None:
        return _about_target(run, explained, given)
    from ..answers.explained_arcs import about_arcs

    if given.max_parents is None:
        given = given.changed(max_parents=2 if explained.dataset.n_variables <= MOST_PAIRED else 1)
    return about_arcs(run, explained.learnt.record, explained.parents, explained.dataset, table, given)


def _check(run: Run, given: Given) -> None:
    """Refuse options that do not go together."""
    if given.target is not None:
        run.refuse(OF_ARCS, "explains arcs, and --target explains a variable: leave one out.")
        run.refuse(("interventions",), "cannot be combined with --target, which takes rows as they come.")
        return
    run.refuse(("smoothing",), "needs --target.")
    if given.sets is not None:
        run.refuse(("max_parents", "score", "ess"), "cannot be combined with --sets, whose sets have scores.")
    if given.runners_up is not None:
        run.refuse(("strengths",), "explains arcs, and --runners-up lists parent sets: leave one out.")
    if given.ess is not None and given.score is not None and not SCORES[given.score].takes_ess:
        raise UsageError(f"--ess does not apply to score {given.score}.")


def _placed(run: Run, learnt: Network, table: "ParentSetTable | None", given: Given, reading: Reading) -> Explained:
    """The network and its data, coded by the states of the lists or of the network.

    Raises `Inconsistent`: the network has other variables.
    """
    from formats.errors import Inconsistent
    from formats.streams import source_name

    header = learnt.record.header
    known = None if header.lacks_isolated else KnownVariables(header.variables, given.network)
    if table is not None:
        known = KnownVariables(table.header.variables, given.sets)
    dataset = reading.open(given.data, run.reporter, known)
    if dataset.interventions is None:
        where = "leave out --target, and " if given.target is not None else ""
        warn_of_interventions(header, run.reporter, where + COUNT_APART)
    structure = completed(learnt.record, given.network, dataset.names, given.data, run.reporter)
    place = {name: number for number, name in enumerate(dataset.names)}
    if place.keys() != set(structure.header.names):
        raise Inconsistent(
            "the network has other variables than the data or the list of parent sets",
            source=source_name(given.network),
            remedy="give the rows and the lists that it was learnt from",
        )
    where_is = [place[name] for name in structure.header.names]
    parents: list[tuple[int, ...]] = [()] * len(where_is)
    for child, family in zip(where_is, structure.parents):
        parents[child] = tuple(sorted(where_is[parent] for parent in family))
    return Explained(learnt, tuple(parents), dataset)


def _about_target(run: Run, explained: Explained, given: Given) -> Answers:
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
    findings = findings_about(_engine(run, explained, given), target)
    facts = {"target": dataset.names[target], "rows": dataset.n_rows}
    if state is not None:
        return _of_findings(dataset, findings, target, state, facts)
    if dataset.n_rows == 0:
        raise Inconsistent("there are no rows to count", remedy="the table needs at least one row of data")
    return _of_drivers(explained, findings, target, drivers_of(dataset, explained.parents, target), facts)


def _engine(run: Run, explained: Explained, given: Given) -> "Engine":
    """Inference by the network's own parameters, or those fitted to the rows."""
    from formats.graphs.structures import network_from_parents
    from stages.fit import fit_parameters
    from stages.inference.junction_trees import Engine

    learnt, dataset = explained.learnt, explained.dataset
    if learnt.model is not None:
        run.refuse(("smoothing",), "smooths parameters from the rows, and this network has its own: leave it out.")
        return learnt.engine
    structure = network_from_parents(dataset.variables, explained.parents)
    smoothing = 1.0 if given.smoothing is None else given.smoothing
    same_order = learnt.record.header.names == dataset.names
    model = fit_parameters(structure, dataset, smoothing=smoothing)
    return Engine(model, learnt.record.certified_order if same_order else None)


def _of_drivers(
    explained: Explained, findings: "Findings", target: int, drivers: "Iterator[Driver]", facts: dict[str, Any]
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
    return Answers(columns, [values], closing, facts, titles=TITLES, spare=SPARE, header={"explain": facts})


def _of_findings(dataset: "Dataset", findings: "Findings", target: int, state: int, facts: dict[str, Any]) -> Answers:
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
