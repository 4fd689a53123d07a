"""``bnsl query``: exact inference in a network with parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from bnsl.files.inputs import certified_order, open_learnt_network
from bnsl.files.recording import write_stats
from ..options import query, shared
from bnsl.options.data import DataOptions, KnownVariables, data_options
from ..options.parameter_types import INPUT_PATH, SIZE
from ..running.option_records import packed
from bnsl.running.reporter import Reporter
from ..running.stage_command import option, stage_command

if TYPE_CHECKING:
    from stages.inference.junction_trees import Engine


@stage_command("--variables --joint --map --mpe --samples --evidence --predict --fill --data --format --output")
@click.argument("network", type=INPUT_PATH, metavar="NETWORK")
@click.argument("evidence", nargs=-1, metavar="[NAME=STATE]...")
@option(
    "--data",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Rows to fit parameters to, if the network has none.",
)
@shared.smoothing_option("With --data, equivalent sample size of a uniform prior of the parameters.", section="Input")
@data_options
@packed("question", query.QuestionOptions, section="Question", check=query.check_question)
@packed("rows", query.TableOptions, section="Rows", check=query.check_rows)
@shared.seed_option
@option(
    "--memory",
    type=SIZE,
    section="Budget",
    help=f"{shared.TABLE_MEMORY} A question that needs more is refused at once.",
)
@shared.output_options(
    ("csv", "jsonl", "arrow", "feather", "parquet", "table"),
    "CSV (default in a pipe), JSON lines, Arrow, Parquet or a table to read; by default that of the output's name.",
    without=(),
)
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    network: str,
    evidence: tuple[str, ...],
    data: str | None,
    smoothing: float | None,
    data_options: DataOptions,
    question: query.QuestionOptions,
    rows: query.TableOptions,
    seed: int | None,
    memory: int | None,
    target: shared.OutputOptions,
    reporter: Reporter,
) -> None:
    """Query a network: distributions, probable states, samples, given evidence.

    Reads a network with parameters, or any network and --data to fit them to, and evidence as NAME=STATE, and
    writes the distribution of every variable given the evidence. Answers are exact.

    \b
    Examples:
      bnsl query random80.bif --variables X1,X2 X0=1
      bnsl query random80.bif X0=1 --mpe
      bnsl sample random80.bif --rows 5 --seed 1 |
        bnsl query random80.bif --evidence - --predict X3

    See also: bnsl fit, bnsl sample, bnsl evaluate.
    """
    from formats.tables.evidence import parse_assignments

    from ..tasks.query_answers import answer, draw_samples, estimate
    from ..tasks.query_rows import answer_rows

    shared.check_sources(network, data, rows.table)
    answers = query.AnswerOptions(**vars(target), is_data=question.samples is not None or rows.fill is not None)
    if answers.is_data or not answers.is_table:
        answers.format()
    if rows.table is not None and (evidence or vars(question) != vars(query.NO_QUESTION)):
        raise click.UsageError("--evidence TABLE goes with --predict and --fill, not with questions about one row.")
    query.check_inputs(ctx, data, question, rows)
    engine = open_engine(network, data, data_options, rows.table is not None, smoothing, memory, reporter)
    observed = parse_assignments(evidence, engine.network.variables)
    if rows.table is not None:
        figures = answer_rows(engine, rows, data_options, seed, answers, reporter)
    elif question.samples is not None:
        figures = draw_samples(
            engine, observed, question.samples, shared.resolve_seed(seed, reporter), answers, reporter
        )
    elif question.approximate is not None:
        figures = estimate(engine, observed, question, shared.resolve_seed(seed, reporter), answers, reporter)
    else:
        figures = answer(engine, observed, question, answers, reporter)
    write_stats(target.stats, figures)


def open_engine(
    network: str,
    data: str | None,
    data_options: DataOptions,
    has_evidence_table: bool,
    smoothing: float | None,
    memory: int | None,
    reporter: Reporter,
) -> Engine:
    """The network with its parameters, from its file or fitted to data.

    Of a network without states the data list them, and unseen ones are those of the table of evidence.

    Raises `Inconsistent`: there are no parameters.
    """
    from formats.graphs.networks import require_parameters
    from formats.streams import source_name
    from stages.fit import fit_parameters
    from stages.inference.junction_trees import Engine

    structure, model, _ = open_learnt_network(network)
    if data is not None:
        known = KnownVariables(structure.header.variables, network)
        if has_evidence_table and not any(v.states for v in known.variables):
            data_options = replace(data_options, unseen="error")
        rows = data_options.open(data, reporter, known)
        model = fit_parameters(structure, rows, smoothing=smoothing or 0.0)
    if model is None:
        model = require_parameters(None, "query", source_name(network))
    return Engine(model, certified_order(structure), memory)
