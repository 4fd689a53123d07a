"""``bnsl query``: exact inference in a network with parameters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from formats.lookup import named_formats

from ..data_options import DataOptions, KnownVariables, data_options
from ..inputs import open_learnt_network
from ..options import (
    check_sources,
    drawn_seed_option,
    format_option,
    json_option,
    message_options,
    output_option,
    resolve_seed,
    shows_table,
    stats_option,
)
from ..output_formats import output_format
from ..parameter_types import COLUMNS, INPUT_PATH, Count, Size
from ..recording import write_stats
from ..reporter import Reporter
from ..score_options import smoothing_option
from ..stage_command import option, packed, stage_command

if TYPE_CHECKING:
    from stages.inference.engine import Cost, Engine
    from stages.inference.questions import Completion, Evidence, Joint, Marginals, Probability

    Table = list[Sequence[str] | Sequence[float]]
    Answer = Completion | Joint | Marginals | Probability


@dataclass(frozen=True)
class QuestionOptions:
    """What is asked; nothing means the marginals of all variables."""

    variables: tuple[str, ...] | None
    joint: tuple[str, ...] | None
    mpe: bool
    probability: bool
    samples: int | None


question_options = packed(
    "question",
    QuestionOptions,
    option(
        "--variables",
        type=COLUMNS,
        section="Question",
        help="Distributions of these variables only, each by itself; what does not bear on them is left out.",
    ),
    option("--joint", type=COLUMNS, section="Question", help="The distribution of these variables together."),
    option(
        "--mpe",
        is_flag=True,
        section="Question",
        help="The most probable states of all variables together (most probable explanation).",
    ),
    option("--probability", is_flag=True, section="Question", help="The probability of the evidence."),
    option(
        "--samples",
        type=Count(min=0),
        metavar="ROWS",
        section="Question",
        help="Rows drawn given the evidence, exactly.",
    ),
    check=lambda ctx, given: check_question(given),
)


def check_question(question: QuestionOptions) -> None:
    """One question at a time.

    Raises
    ------
    click.UsageError
    """
    asked = [name for name, value in vars(question).items() if value not in (None, False)]
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two questions; ask one at a time.")


@dataclass(frozen=True)
class OutputOptions:
    """Where answers go, and how."""

    output: str
    format_name: str | None
    as_json: bool

    @property
    def is_table(self) -> bool:
        """Whether a reader looks at it."""
        return shows_table(self.output, self.format_name, self.as_json)

    def format(self) -> str:
        """How it is written."""
        if self.as_json or self.format_name == "jsonl" or (not self.format_name and self._is_json_lines()):
            return "jsonl"
        return output_format("query", self.output, None if self.format_name == "table" else self.format_name)

    def _is_json_lines(self) -> bool:
        return self.output.lower().endswith(".jsonl") and not named_formats(self.output)


@stage_command
@click.argument("network", type=INPUT_PATH, metavar="NETWORK")
@click.argument("evidence", nargs=-1, metavar="[NAME=STATE]...")
@option(
    "--data",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Rows to fit parameters to, for a network that has none.",
)
@smoothing_option(
    "With --data: equivalent sample size of a uniform prior behind the parameters.",
    section="Input",
    may_be_zero=True,
)
@data_options
@question_options
@drawn_seed_option
@option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    section="Budget",
    help="Memory that the tables of a junction tree may take, such as 4G; what is free if not given. What needs more "
    "is refused before it begins.",
)
@output_option
@format_option(
    ("csv", "jsonl", "arrow", "feather", "parquet", "table"),
    "CSV (default in a pipe), JSON lines, Arrow, Parquet or a table to read; told by the output's name if not given.",
)
@json_option
@stats_option
@message_options
def command(
    network: str,
    evidence: tuple[str, ...],
    data: str | None,
    smoothing: float | None,
    data_options: DataOptions,
    question: QuestionOptions,
    seed: int | None,
    memory: int | None,
    output: str,
    format_name: str | None,
    as_json: bool,
    stats: str | None,
    reporter: Reporter,
) -> None:
    """Ask a network: distributions, probable states and samples, given what is observed.

    Reads a network with parameters (BIF or HUGIN), or any network and --data to fit them to, and evidence as
    NAME=STATE. Without a further option it writes the distribution of every variable given the evidence: variable,
    state, probability.

    Answers are exact. Observed variables and those that do not bear on the question are cut out; the rest becomes a
    junction tree, whose elimination order is the network's certificate, min-fill or min-weight, whichever makes the
    smallest tables. -v tells what that takes; what does not fit into --memory is refused. A bound on the treewidth
    (bnsl optimize --tw) keeps tables small whatever is asked.

    \b
    Examples:
      bnsl query random80.bif --variables X1,X2 X0=1
      bnsl query random80.bif X0=1 X7=0 --joint X1,X2 --json
      bnsl query random80.bif X0=1 --mpe
      bnsl query random80.bif X0=1 --samples 1000 --seed 1 -o drawn.csv
      bnsl optimize --data random80.csv.gz --tw 3 --time 1s -o random80.net.jsonl
      bnsl fit random80.net.jsonl random80.csv.gz --smoothing 1 | bnsl query - X0=1 X7=0 --probability
      bnsl query random80.net.jsonl --data random80.csv.gz --smoothing 1 X0=1

    \b
    Exit status: 0 done, 1 too large for the memory, or it cannot be written, 2 wrong usage, 65 bad input, or evidence
      of probability zero.
    See also: bnsl fit, bnsl sample, bnsl evaluate.
    """
    from formats.tables.evidence import parse_assignments

    check_sources(network, data)
    target = OutputOptions(output, format_name, as_json)
    if question.samples is None and not target.is_table:
        target.format()
    engine = open_engine(network, data, data_options, smoothing, memory, reporter)
    observed = parse_assignments(evidence, engine.network.variables)
    if question.samples is not None:
        figures = draw_samples(
            engine, observed, question.samples, resolve_seed(seed, reporter), target, reporter
        )
    else:
        figures = answer(engine, observed, question, target, reporter)
    write_stats(stats, figures)


def open_engine(
    network: str,
    data: str | None,
    data_options: DataOptions,
    smoothing: float | None,
    memory: int | None,
    reporter: Reporter,
) -> Engine:
    """The network with its parameters, those of its file or fitted.

    Raises
    ------
    Inconsistent
        There are none.
    """
    from formats.graphs.networks import require_parameters
    from formats.streams import source_name
    from stages.fit import fit_parameters
    from stages.inference.engine import Engine

    structure, model = open_learnt_network(network)
    if data is not None:
        rows = data_options.open(data, reporter, KnownVariables(structure.header.variables, network))
        model = fit_parameters(structure, rows, smoothing=smoothing or 0.0)
    elif smoothing is not None:
        raise click.UsageError("--smoothing goes with --data.")
    if model is None:
        model = require_parameters(None, "query", source_name(network))
    certificate = structure.header.extra.get("treewidth")
    return Engine(model, certified_order(certificate, structure.n_variables), memory)


def certified_order(certificate: object, n_variables: int) -> list[int] | None:
    """The elimination order of a network's certificate; None if there is none that is one."""
    order = certificate.get("elimination") if isinstance(certificate, dict) else None
    if not isinstance(order, list) or not all(type(v) is int for v in order):
        return None
    return order if sorted(order) == list(range(n_variables)) else None


def answer(
    engine: Engine, observed: Evidence, question: QuestionOptions, target: OutputOptions, reporter: Reporter
) -> dict[str, object]:
    """Answer a question with a table of results; figures of the run."""
    from formats.tables.result_tables import open_result_writer
    from stages.inference import questions

    from .. import tables

    columns, values, found = ask(engine, observed, question)
    tell_cost(found.cost, reporter)
    closing = f"evidence on {len(observed)} of {engine.n_variables} variables"
    what = "states and evidence together" if isinstance(found, questions.Completion) else "evidence"
    closing += f"; log-probability of {what} {found.log_probability:.6g}"
    reporter.pause()
    if target.is_table:
        tables.show_results(target.output, columns, values, target.format_name, closing)
    else:
        with open_result_writer(target.output, columns, target.format()) as writer:
            writer.write(values)
        reporter.summary(closing)
    return {"log_probability": found.log_probability, **found.cost._asdict()}


def ask(
    engine: Engine, observed: Evidence, question: QuestionOptions
) -> tuple[dict[str, str], Table, Answer]:
    """Columns and values of the table of results, and what was found."""
    from formats.tables.evidence import find_variable
    from formats.tables.result_tables import FIGURE, TEXT
    from stages.inference import questions

    variables = engine.network.variables
    values: Table
    if question.probability:
        probability = questions.log_probability(engine, observed)
        values = [[probability.log_probability], [math.exp(probability.log_probability)]]
        return {"log_probability": FIGURE, "probability": FIGURE}, values, probability
    if question.mpe:
        best = questions.most_probable_completion(engine, observed)
        states = [v.known_states[code] for v, code in zip(variables, best.codes.tolist())]
        return {"variable": TEXT, "state": TEXT}, [[v.name for v in variables], states], best
    if question.joint is not None:
        together = joined_variables(engine, observed, question.joint)
        joint = questions.joint(engine, observed, together)
        names = [variables[v].name for v in together]
        labels = zip(*itertools.product(*(variables[v].known_states for v in together)))
        columns = dict.fromkeys(names, TEXT) | {"probability": FIGURE}
        return columns, [*labels, joint.probabilities.ravel().tolist()], joint
    chosen = [find_variable(name, variables) for name in question.variables or ()]
    if question.variables is None:
        chosen = [v for v in range(len(variables)) if v not in observed]
    single = questions.marginals(engine, observed, chosen)
    values = [
        [variables[v].name for v in chosen for _ in variables[v].known_states],
        [state for v in chosen for state in variables[v].known_states],
        [p for distribution in single.probabilities for p in distribution.tolist()],
    ]
    return {"variable": TEXT, "state": TEXT, "probability": FIGURE}, values, single


def joined_variables(engine: Engine, observed: Evidence, names: Sequence[str]) -> list[int]:
    """The variables of a joint distribution.

    Raises
    ------
    click.UsageError
        One is named twice, or observed.
    """
    from formats.tables.evidence import find_variable

    found = [find_variable(name, engine.network.variables) for name in names]
    if len(set(found)) < len(found):
        raise click.UsageError("--joint names a variable twice.")
    for name, variable in zip(names, found):
        if variable in observed:
            raise click.UsageError(f"--joint: {name} is observed.")
    if "probability" in names:
        raise click.UsageError(
            "--joint: a variable called 'probability' would be a second column of that name."
        )
    return found


def draw_samples(
    engine: Engine, observed: Evidence, n_rows: int, seed: int, target: OutputOptions, reporter: Reporter
) -> dict[str, object]:
    """Draw rows and write them as data; figures of the run.

    Raises
    ------
    click.UsageError
        They are to be written as something else.
    """
    from formats import open_table_writer
    from stages.inference.questions import sample_given

    if target.as_json or target.format_name in ("jsonl", "table"):
        raise click.UsageError("--samples are rows of data: write them as csv, arrow, feather or parquet.")
    table_format = output_format("sample", target.output, target.format_name)
    drawn = 0
    with open_table_writer(target.output, engine.network.variables, table_format) as writer:
        for batch in sample_given(engine, observed, n_rows, seed):
            writer.write(batch)
            drawn += batch.shape[1]
            reporter.progress(drawn, n_rows, "rows")
    reporter.summary(f"{drawn:,} rows; evidence on {len(observed)} of {engine.n_variables} variables")
    return {"rows": drawn, "seed": seed}


def tell_cost(cost: Cost, reporter: Reporter) -> None:
    """What an answer takes, with ``-v``."""
    from stages.parentsets.memory import format_bytes

    reporter.detail(
        f"{cost.hidden} hidden variables that matter, width {cost.width}, tables of {cost.cells:,.0f} cells, "
        f"{format_bytes(cost.memory)}"
    )
