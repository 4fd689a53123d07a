"""`bnsl.query`: exact inference in a network with parameters."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from ..files.answers import Answers
from ..files.inputs import warn_of_interventions
from ..files.network_inputs import read_network
from ..files.rows import Rows
from ..networks import Network
from ..options.data import CODING, Columns, CompleteRows, KnownVariables, Reading, SeveralColumns, refuse_data_options
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.shared import TABLE_MEMORY, Do, Jobs, Seed, Smoothing, check_sources, resolve_seed
from ..options.values import INPUT, SIZE, TEXT, Whole
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, delivering

if TYPE_CHECKING:
    from stages.inference.junction_trees import Engine

    from ..files.filled_rows import FilledRows
    from ..native_tables import StateValues


class QueryQuestions(TypedDict, total=False):
    """The question; by default the marginals of all variables."""

    variables: Annotated[
        Columns,
        "Write the distribution of each of these variables only: names, patterns or ranges. Variables that do not "
        "matter for them are pruned.",
        {"section": "Question"},
    ]
    joint: Annotated[Columns, "Write the joint distribution of these variables.", {"section": "Question"}]
    map: Annotated[
        Columns,
        "Write the states of these variables that are most probable together, with all other variables summed out "
        "(MAP).",
        {"section": "Question"},
    ]
    mpe: Annotated[
        bool,
        Option(
            "Write the states of all variables that are most probable together (most probable explanation).",
            section="Question",
        ),
    ]
    probability: Annotated[bool, Option("Write the probability of the evidence.", section="Question")]
    samples: Annotated[
        int | None,
        Option(
            "Draw this many rows given the evidence, from the exact distribution.",
            Whole(0),
            "ROWS",
            section="Question",
        ),
    ]
    approximate: Annotated[
        int | None,
        Option(
            "Estimate distributions and probabilities from N weighted samples, with standard errors (likelihood "
            "weighting). This suits networks whose tables are too large for exact answers.",
            Whole(2),
            "N",
            section="Question",
        ),
    ]


class GraphOptions(TypedDict, total=False):
    """A question about the graph, which needs no parameters; none by default."""

    separated: Annotated[
        Columns,
        "Say whether the graph d-separates two variables given the variables of --given, and show an open path if "
        "not.",
        {"section": "Graph", "metavar": "A,B"},
    ]
    effect: Annotated[
        Columns,
        "List the sets to adjust for if the effect of A on B is identified: all minimal sets, and the set of least "
        "variance. With --given, say whether those variables are such a set.",
        {"section": "Graph", "metavar": "A,B"},
    ]
    given: Annotated[
        Columns, "Variables that are given in the question of --separated or --effect.", {"section": "Graph"}
    ]


class RowOptions(TypedDict, total=False):
    """A table of evidence and the question about its rows; by default their probabilities."""

    table: Annotated[
        Source,
        Option(
            "Table of rows of evidence, which may have holes, instead of NAME=STATE. Without another question, the "
            "answer is the log-probability of each row.",
            INPUT,
            "TABLE",
            names=("--evidence",),
            section="Rows",
        ),
    ]
    predict: Annotated[
        Columns,
        "Predict these columns in each row from its other cells: the most probable state, and the probabilities of "
        "all states.",
        {"section": "Rows"},
    ]
    fill: Annotated[
        Literal["best", "drawn"] | None,
        Option(
            "Fill the missing cells of the table: with the states most probable together (best), or with drawn "
            "states (drawn). All other cells and columns stay as they are. In a column that was cut, a filled cell "
            "gets the label of an interval.",
            section="Rows",
        ),
    ]


class AnswerOptions(CompleteRows, MessageOptions, total=False):
    """How questions about parameters are answered, those about the rows of a table among them."""

    data: Annotated[Source, Option("Rows to fit the parameters to.", INPUT, "DATA", section="Input")]
    smoothing: Annotated[
        Smoothing,
        "Equivalent sample size of a uniform prior of the parameters that are fitted to --data.",
        {"section": "Input"},
    ]
    do: Annotated[
        Do,
        "Set a variable to a state from outside, before evidence is observed. Arcs into it are cut. May be repeated.",
        {"section": "Question"},
    ]
    keep: Annotated[
        SeveralColumns,
        "Copy these columns of TABLE to the rows of answers: names, patterns or ranges. May be repeated.",
        {"section": "Rows"},
    ]
    jobs: Jobs
    seed: Seed
    memory: Annotated[
        int | str | None,
        Option(f"{TABLE_MEMORY} A question that needs more memory is refused at once.", SIZE, section="Budget"),
    ]


class QueryOptions(QueryQuestions, GraphOptions, RowOptions, AnswerOptions, total=False):
    """Options of `query`."""


@delivering
def query(
    run: Run,
    network: Annotated[
        Source,
        Argument("NETWORK"),
        "The network, with parameters unless the question is about the graph or data are given.",
    ],
    evidence: Annotated[
        str | Iterable[str] | Mapping[str, Any],
        Argument("NAME=STATE", TEXT, is_several=True),
        "The observed states of variables.",
    ] = (),
    **options: Unpack[QueryOptions],
) -> "Answers | Rows | FilledRows":
    """Query a network given evidence or interventions: distributions, most probable states, samples.

    Answers are exact, except with `approximate`.

    Returns
    -------
    Table
        The answers.

    Examples
    --------
    >>> network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, quiet=True)
    >>> bnsl.query(network, {"a": 1}, variables=["b"], quiet=True).to_pylist()
    [{'variable': 'b', 'state': '0', 'probability': 1.0}, {'variable': 'b', 'state': '1', 'probability': 0.0}]
    """
    from formats.tables.assignments import parse_assignments

    from ..answers.interventions import note_interventions

    asked, reading = Given(network=network, evidence=evidence, **options), Reading(**options)
    _check_question(asked)
    _check_graph_question(run, asked)
    _check_rows(run, asked)
    if asked.separated is not None or asked.effect is not None:
        from ..answers.graph_answers import answer_graph

        return answer_graph(asked, run.reporter)
    check_sources(network, asked.data, asked.table)
    if asked.table is not None and (asked.evidence or _asked(asked, QueryQuestions)):
        raise UsageError("--evidence TABLE answers for each row: leave out NAME=STATE and questions about one row.")
    _refuse_idle(run, asked)
    engine = _engine_of(run, asked, reading)
    variables = engine.variables
    fixed, observed = parse_assignments(asked.do, variables), parse_assignments(asked.evidence, variables)
    if both := sorted(observed.keys() & fixed.keys()):
        raise UsageError(f"--do sets {variables[both[0]].name}, so it cannot be evidence, too: leave one out.")
    found = _answered(run, engine, observed, fixed, asked, reading)
    note_interventions(found, engine.network, fixed)
    return found


def _asked(asked: Given, group: Any) -> list[str]:
    """The options of a group that ask for something."""
    return [name for name in group_options(group) if not any(getattr(asked, name) is no for no in (None, False))]


def _check_question(asked: Given) -> None:
    """Allow one question at a time, and no samples if a question needs exact tables."""
    questions = [name for name in _asked(asked, QueryQuestions) if name != "approximate"]
    if asked.approximate is not None and questions and questions[0] in ("map", "mpe", "samples"):
        raise UsageError(
            f"--approximate estimates distributions and --probability, not --{questions[0]}: leave one out."
        )
    if len(questions) > 1:
        raise UsageError(f"--{questions[0]} and --{questions[1]} are two questions; ask one at a time.")


def _check_graph_question(run: Run, asked: Given) -> None:
    """Allow one question about the graph, and no options of other questions beside it."""
    questions = [name for name in _asked(asked, GraphOptions) if name != "given"]
    if len(questions) > 1:
        raise UsageError("--separated and --effect are two questions; ask one at a time.")
    if questions:
        others = run.options.keys() - {"network", *group_options(GraphOptions)}
        run.refuse(others, f"cannot be combined with --{questions[0]}, which looks at the graph alone.")
    elif asked.given is not None:
        raise UsageError("--given needs --separated or --effect; in other questions NAME=STATE takes its place.")


def _check_rows(run: Run, asked: Given) -> None:
    """Refuse options of rows that do not go together."""
    if asked.table is None:
        run.refuse(("predict", "fill", "keep", "jobs"), "needs rows: give --evidence TABLE.")
    if asked.fill and asked.keep:
        raise UsageError("--fill writes all columns of TABLE: leave --keep out.")
    if asked.predict and asked.fill:
        raise UsageError("--predict and --fill are two questions; ask one at a time.")


def _refuse_idle(run: Run, asked: Given) -> None:
    """Refuse options without effect on the question."""
    if asked.data is None and asked.table is None:
        refuse_data_options(run, "needs a table: --data DATA or --evidence TABLE.")
    elif asked.data is None:
        why = "needs --data: --evidence takes its states from the network and keeps its missing cells."
        refuse_data_options(run, why, CODING)
    if asked.data is None:
        run.refuse(["smoothing", "weights"], "needs --data.")
    if asked.samples is None and asked.approximate is None and asked.fill != "drawn":
        run.refuse(["seed"], "needs --samples, --approximate or --fill drawn: other answers are exact.")
    if asked.approximate is not None:
        run.refuse(["memory"], "limits exact answers, and --approximate gives none: leave it out.")


def _answered(
    run: Run, engine: "Engine", observed: Mapping[int, int], fixed: Mapping[int, int], asked: Given, reading: Reading
) -> "Answers | Rows | FilledRows":
    """The answer to the question in the network of the engine, where `fixed` variables are set."""
    from ..answers.query_answers import about, answer, draw_samples, estimate

    learnt = _values_learnt(run, engine, asked, reading)
    if asked.table is not None:
        from ..answers.query_rows import answer_rows

        drawn = resolve_seed(asked.seed, run.reporter) if asked.fill == "drawn" else None
        return answer_rows(run, engine, fixed, asked, reading, drawn, learnt)
    if asked.samples is not None:
        seed = resolve_seed(asked.seed, run.reporter)
        batches = draw_samples(engine, observed, asked.samples, seed, run.reporter)
        closing = f"{asked.samples:,} rows; {about(engine, observed)}"
        return Rows(engine.variables, batches, closing, {"rows": asked.samples, "seed": seed}, learnt=learnt)
    if asked.approximate is not None:
        return estimate(engine, observed, asked, resolve_seed(asked.seed, run.reporter))
    return answer(engine, observed, asked, run.reporter)


def _values_learnt(run: Run, engine: "Engine", asked: Given, reading: Reading) -> "Mapping[str, StateValues]":
    """The values of states in the table that the parameters come from, in Python."""
    if asked.data is None or not run.is_called:
        return asked.network.values if isinstance(asked.network, Network) else {}
    from ..native_tables import values_learnt

    return values_learnt(asked.data, engine.variables, reading.marks)


def _engine_of(run: Run, asked: Given, reading: Reading) -> "Engine":
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

    learnt = read_network(asked.network, warn=run.reporter.warn)
    structure, model = learnt.record, learnt.model
    if asked.data is not None:
        known = KnownVariables(structure.header.variables, asked.network)
        if asked.table is not None and not any(v.states for v in known.variables):
            reading = reading.changed(unseen="error")
        warn_of_interventions(
            structure.header, run.reporter, "fit its parameters by bnsl fit --interventions COLUMN instead"
        )
        rows = reading.open(asked.data, run.reporter, known)
        model = fit_parameters(structure, rows, smoothing=asked.smoothing or 0.0)
    elif asked.memory is None and not asked.do and isinstance(asked.network, Network):
        return asked.network.engine
    if model is None:
        model = require_parameters(None, "query", source_name(asked.network), ", or give the table by --data")
    if asked.do:
        model = intervened(model, parse_assignments(asked.do, model.variables))
    return Engine(model, structure.certified_order, asked.memory)
