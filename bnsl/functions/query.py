"""`bnsl.query`: exact inference in a network with parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..files.answers import Answers
from ..files.inputs import certified_order, open_learnt_network, warn_of_interventions
from ..files.rows import Rows
from ..options import questions, shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter, record
from ..options.graph_questions import GraphOptions, check_graph_question
from ..options.values import INPUT, SIZE, TEXT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..tables import Table

if TYPE_CHECKING:
    from stages.inference.junction_trees import Engine

    from ..files.filled_rows import FilledRows
    from ..native_tables import StateValues


def _finish(found: Answers | Rows | FilledRows) -> Table:
    return found.to_table()


@function(finish=_finish)
def query(
    network: Any = argument("NETWORK", is_required=True),
    evidence: tuple[str, ...] = argument("NAME=STATE", kind=TEXT, is_several=True),
    data: Any = parameter("Rows to fit parameters to.", INPUT, "DATA", section="Input"),
    smoothing: float | None = shared.smoothing_option(
        "With --data, equivalent sample size of a uniform prior of the parameters.", "Input"
    ),
    data_options: DataOptions = data_options_with(),
    question: questions.QuestionOptions = record(
        questions.QuestionOptions, "Question", check=questions.check_question
    ),
    do: tuple[str, ...] = shared.do_option(
        "Set a variable to a state from outside, before evidence is observed: arcs into it are cut; repeatable.",
        "Question",
    ),
    graph: GraphOptions = record(GraphOptions, "Graph", check=check_graph_question),
    rows: questions.TableOptions = record(questions.TableOptions, "Rows", check=questions.check_rows),
    seed: int | None = shared.seed_option(),
    memory: int | None = parameter(
        f"{shared.TABLE_MEMORY} A question that needs more is refused at once.", SIZE, section="Budget"
    ),
    *,
    run: Run,
) -> Answers | Rows | FilledRows:
    """Query a network: distributions, probable states, samples, given evidence or interventions. Answers are exact.

    Returns
    -------
    Table
        The answers; `table` is the option --evidence of the command line.

    Examples
    --------
    >>> network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, quiet=True)
    >>> bnsl.query(network, {"a": 1}, variables=["b"], quiet=True).to_pylist()
    [{'variable': 'b', 'state': '0', 'probability': 1.0}, {'variable': 'b', 'state': '1', 'probability': 0.0}]
    """
    from formats.tables.assignments import parse_assignments

    from .interventions import note_interventions

    if graph.asked:
        from .graph_answers import answer_graph

        return answer_graph(network, graph, run.reporter)
    shared.check_sources(network, data, rows.table)
    if rows.table is not None and (evidence or vars(question) != vars(questions.NO_QUESTION)):
        raise UsageError("--evidence TABLE goes with --predict and --fill, not with questions about one row.")
    questions.check_inputs(run, data, question, rows)
    engine = engine_of(network, data, data_options, rows.table is not None, smoothing, memory, do, run)
    variables = engine.variables
    fixed, observed = parse_assignments(do, variables), parse_assignments(evidence, variables)
    if both := sorted(observed.keys() & fixed.keys()):
        raise UsageError(f"--do sets {variables[both[0]].name}, so it cannot be evidence, too: leave one out.")
    learnt = _values_learnt(network, data, engine, data_options, run)
    found = _answered(engine, observed, fixed, question, rows, data_options, seed, run, learnt)
    note_interventions(found, engine.network, fixed)
    return found


def _values_learnt(
    network: Any, data: Any, engine: Engine, data_options: DataOptions, run: Run
) -> Mapping[str, StateValues]:
    """The values of states in the table that the parameters come from, in Python."""
    if data is None or not run.is_called:
        return network.learnt.values if hasattr(network, "learnt") else {}
    from ..native_tables import values_learnt

    return values_learnt(data, engine.variables, data_options.marks)


def _answered(
    engine: Engine,
    observed: Mapping[int, int],
    fixed: Mapping[int, int],
    question: questions.QuestionOptions,
    rows: questions.TableOptions,
    data_options: DataOptions,
    seed: int | None,
    run: Run,
    learnt: Mapping[str, StateValues],
) -> Answers | Rows | FilledRows:
    """The answer to the question in the network of the engine, where `fixed` variables are set.

    `learnt`: the values of states in the table learnt from.
    """
    from .query_answers import about, answer, draw_samples, estimate

    if rows.table is not None:
        from .query_rows import answer_rows

        drawn = shared.resolve_seed(seed, run.reporter) if rows.fill == "drawn" else None
        return answer_rows(engine, rows, data_options, fixed, drawn, run, learnt)
    if question.samples is not None:
        seed = shared.resolve_seed(seed, run.reporter)
        batches = draw_samples(engine, observed, question.samples, seed, run.reporter)
        closing = f"{question.samples:,} rows; {about(engine, observed)}"
        return Rows(engine.variables, batches, closing, {"rows": question.samples, "seed": seed}, learnt=learnt)
    if question.approximate is not None:
        return estimate(engine, observed, question, shared.resolve_seed(seed, run.reporter))
    return answer(engine, observed, question, run.reporter)


def engine_of(
    network: Any,
    data: Any,
    data_options: DataOptions,
    has_evidence_table: bool,
    smoothing: float | None,
    memory: int | None,
    do: tuple[str, ...],
    run: Run,
) -> Engine:
    """Inference in the network with its parameters, read from its file or fitted to data, under the interventions.

    For a network without states, the data list them; the table of evidence may add unseen ones. A `Network` keeps the
    engine for its parameters.

    Raises `Inconsistent`: the network has no parameters.
    """
    from formats.graphs.network_files import require_parameters
    from formats.streams import source_name
    from formats.tables.assignments import parse_assignments
    from stages.fit import fit_parameters
    from stages.inference.intervened_networks import intervened
    from stages.inference.junction_trees import Engine

    learnt = open_learnt_network(network, warn=run.reporter.warn)
    structure, model = learnt.structure, learnt.parameters
    if data is not None:
        known = KnownVariables(structure.header.variables, network)
        if has_evidence_table and not any(v.states for v in known.variables):
            data_options = replace(data_options, unseen="error")
        warn_of_interventions(
            structure.header, run.reporter, "fit its parameters by bnsl fit --interventions COLUMN instead"
        )
        rows = data_options.open(data, run.reporter, known)
        model = fit_parameters(structure, rows, smoothing=smoothing or 0.0)
    elif memory is None and not do and hasattr(network, "engine"):
        return network.engine
    if model is None:
        model = require_parameters(None, "query", source_name(network))
    if do:
        model = intervened(model, parse_assignments(do, model.variables))
    return Engine(model, certified_order(structure), memory)
