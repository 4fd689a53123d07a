"""`bnsl.query`: exact inference in a network with parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..files.answers import Answers
from ..files.inputs import certified_order, open_network_or_markov, warn_of_interventions
from ..files.rows import Rows
from ..options import questions, shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter, record
from ..options.graph_questions import GraphOptions, check_graph_question
from ..options.uncertain_evidence import UncertainOptions, check_uncertain
from ..options.values import INPUT, SIZE, TEXT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..tables import Table

if TYPE_CHECKING:
    from formats.data_records import Variable
    from stages.inference.junction_trees import Engine

    from ..files.filled_rows import FilledRows
    from ..native_tables import StateValues


def _finish(found: Answers | Rows | FilledRows) -> Table:
    return found.to_table()


@function(finish=_finish)
def query(
    network: Any = argument("NETWORK", is_required=True),
    evidence: tuple[str, ...] = argument("NAME=STATE", kind=TEXT, is_several=True),
    uai_evidence: str | None = parameter(
        "Evidence in the format of the UAI competitions (.evid): numbers of variables and of their states, from 0.",
        INPUT,
        "FILE",
        section="Input",
    ),
    data: Any = parameter(
        "Rows to fit parameters to, or to test --independencies on.", INPUT, "DATA", section="Input"
    ),
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
    uncertain: UncertainOptions = record(UncertainOptions, "Question", check=check_uncertain),
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
    from .query_answers import with_uncertain_evidence

    if graph.asked:
        from .graph_answers import answer_graph

        opened = None if data is None else partial(data_options.open, data, run.reporter)
        return answer_graph(network, graph, opened, seed, run.reporter)
    shared.check_sources(network, data, rows.table, uai_evidence)
    if rows.table is not None and (
        evidence or uai_evidence is not None or vars(question) != vars(questions.NO_QUESTION)
    ):
        raise UsageError("--evidence TABLE goes with --predict and --fill, not with questions about one row.")
    questions.check_inputs(run, data, question, rows)
    engine = engine_of(network, data, data_options, rows.table is not None, smoothing, memory, do, run)
    variables = engine.variables
    fixed = parse_assignments(do, variables)
    observed: Mapping[int, int] = {**(engine.given or {}), **_parsed_evidence(evidence, uai_evidence, variables)}
    if both := sorted(observed.keys() & fixed.keys()):
        raise UsageError(f"--do sets {variables[both[0]].name}, so it cannot be evidence, too: leave one out.")
    if uncertain.likelihood or uncertain.jeffrey:
        if rows.table is not None:
            raise UsageError("--likelihood and --jeffrey go with NAME=STATE, not with --evidence TABLE.")
        engine, observed = with_uncertain_evidence(engine, observed, fixed, uncertain)
    learnt = _values_learnt(network, data, engine, data_options, run)
    found = _answered(engine, observed, fixed, question, rows, data_options, seed, run, learnt)
    note_interventions(found, engine.network, fixed)
    return found


def _parsed_evidence(texts: tuple[str, ...], file: str | None, variables: Sequence[Variable]) -> dict[int, int]:
    """Codes of observed states, by variable, from NAME=STATE and from a file.

    Raises `UsageError`: a variable has different states in both.
    """
    from formats.tables.assignments import parse_assignments
    from formats.tables.uai_evidence import open_uai_evidence

    found = parse_assignments(texts, variables)
    for variable, state in ({} if file is None else open_uai_evidence(file, variables)).items():
        if found.setdefault(variable, state) != state:
            raise UsageError(f"{variables[variable].name} has different states in NAME=STATE and --uai-evidence.")
    return found


def _values_learnt(
    network: Any, data: Any, engine: Engine, data_options: DataOptions, run: Run
) -> Mapping[str, StateValues]:
    """The values of states in the table that the parameters come from, in Python."""
    from ..native_tables import values_learnt

    if data is not None:
        return values_learnt(data, engine.variables, data_options.marks) if run.is_called else {}
    return network.learnt.values if hasattr(network, "learnt") else {}


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
    """Inference in the network with its parameters, read from its file or fitted to data, under the interventions; or
    in a Markov network.

    For a network without states, the data list them; the table of evidence may add unseen ones. A `Network` keeps the
    engine for its parameters.

    Raises `Inconsistent`: the network has no parameters.
    """
    from formats.graph_records import MarkovNetwork
    from formats.graphs.network_files import require_parameters
    from formats.streams import source_name
    from formats.tables.assignments import parse_assignments
    from stages.fit import fit_parameters
    from stages.inference.interventions import intervened
    from stages.inference.junction_trees import Engine
    from stages.inference.markov import markov_engine

    learnt = open_network_or_markov(network, run.reporter.warn)
    if isinstance(learnt, MarkovNetwork):
        if data is not None or do:
            option = "--do" if data is None else "--data"
            raise UsageError(f"{option} goes with Bayesian networks, and {source_name(network)} is a Markov network.")
        return markov_engine(learnt, memory)
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
