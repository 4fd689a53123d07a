"""``bnsl query``: exact inference in a network with parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..data_options import DataOptions, KnownVariables, data_options
from ..evidence_tables import TableOptions, answer_rows, table_options
from ..inputs import certified_order, open_learnt_network
from ..options import (
    check_sources,
    drawn_seed_option,
    format_option,
    json_option,
    message_options,
    output_option,
    resolve_seed,
    stats_option,
    table_memory_option,
)
from ..parameter_types import INPUT_PATH
from ..query_answers import answer, draw_samples, estimate
from ..query_options import NO_QUESTION, OutputOptions, QuestionOptions, question_options
from ..recording import write_stats
from ..reporter import Reporter
from ..score_options import smoothing_option
from ..stage_command import option, stage_command

if TYPE_CHECKING:
    from stages.inference.engine import Engine


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
@table_options
@drawn_seed_option
@table_memory_option("Budget", " What needs more is refused before it begins.")
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
    rows: TableOptions,
    seed: int | None,
    memory: int | None,
    output: str,
    format_name: str | None,
    as_json: bool,
    stats: str | None,
    reporter: Reporter,
) -> None:
    """Ask a network: distributions, probable states, samples under evidence.

    Reads a network with parameters (BIF, HUGIN, XMLBIF, XDSL, UAI), or any network and --data to fit them to, and
    evidence as NAME=STATE. Without a further option it writes the distribution of every variable given the
    evidence: variable, state, probability.

    With --evidence TABLE it answers for each row of a table with holes (empty cells, ?, NA; whole columns may be
    missing): its log-probability, columns predicted with probabilities, or the table filled. Rows are worked on
    together where their holes are alike.

    Answers are exact. Observed variables and those that do not bear on the question are cut out; the rest becomes a
    junction tree, whose elimination order is the network's certificate, min-fill or min-weight, whichever makes the
    smallest tables. -v tells what that takes; what does not fit into --memory is refused. A bound on the treewidth
    or on tables (bnsl optimize --tw, --max-table) keeps them small whatever is asked. --approximate N answers from
    weighted samples instead, and says how far off it may be.

    \b
    Examples:
      bnsl query random80.bif --variables X1,X2 X0=1
      bnsl query random80.bif X0=1 X7=0 --joint X1,X2 --json
      bnsl query random80.bif X0=1 --mpe
      bnsl query random80.bif X0=1 --map X1,X2,X40
      bnsl query random80.bif X0=1 --variables X1 --approximate 10000 --seed 1
      bnsl query random80.bif X0=1 --samples 1000 --seed 1 -o drawn.csv
      bnsl sample random80.bif --rows 5 --seed 1 | bnsl query random80.bif --evidence - --predict X3
      bnsl optimize --data random80.csv.gz --tw 3 --time 1s -o random80.net.jsonl
      bnsl fit random80.net.jsonl random80.csv.gz --smoothing 1 | bnsl query - X0=1 X7=0 --probability
      bnsl query random80.net.jsonl --data random80.csv.gz --smoothing 1 X0=1

    \b
    Exit status: 0 done, 1 too large for the memory, or it cannot be written, 2 wrong usage, 65 bad input, or evidence
      of probability zero.
    See also: bnsl fit, bnsl sample, bnsl evaluate.
    """
    from formats.tables.evidence import parse_assignments

    check_sources(network, data, rows.table)
    target = OutputOptions(
        output, format_name, as_json, question.samples is not None or rows.fill is not None
    )
    if target.is_data or not target.is_table:
        target.format()
    if rows.table is not None and (evidence or vars(question) != vars(NO_QUESTION)):
        raise click.UsageError(
            "--evidence TABLE goes with --predict and --fill, not with what is asked of one row."
        )
    engine = open_engine(network, data, data_options, smoothing, memory, reporter)
    observed = parse_assignments(evidence, engine.network.variables)
    if rows.table is not None:
        figures = answer_rows(engine, rows, data_options, seed, target, reporter)
    elif question.samples is not None:
        figures = draw_samples(
            engine, observed, question.samples, resolve_seed(seed, reporter), target, reporter
        )
    elif question.approximate is not None:
        figures = estimate(engine, observed, question, resolve_seed(seed, reporter), target, reporter)
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
    return Engine(model, certified_order(structure), memory)
