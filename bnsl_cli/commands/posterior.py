"""``bnsl posterior``: candidate parent sets to probabilities of arcs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from stages.posterior import FEATURES, METHODS, PRIORS, PosteriorOptions, choose_method

from ..inputs import warn_of_cut_lists
from ..interrupts import graceful_stop
from ..knowledge_options import KnowledgeOptions, knowledge_options, recorded_knowledge
from ..method_options import method_options, own_method_options, refuse_unused, with_takers
from ..options import (
    check_sources,
    drawn_seed_option,
    format_option,
    input_argument,
    jobs_option,
    message_options,
    output_option,
    resolve_seed,
    shows_table,
    stats_option,
)
from ..output_formats import output_format
from ..parameter_types import DURATION, INPUT_PATH, OUTPUT_FILE
from ..recording import record_command, used_options, write_stats
from ..reporter import Reporter
from ..stage_command import given_parameters, option, packed, stage_command
from ..worker_options import WorkerPlace, opened_workers, workers_option

if TYPE_CHECKING:
    from formats.graph_records import ArcPattern
    from stages.posterior.patterns import PatternProbability


class Features(click.ParamType):
    """Words with commas between: arcs,ancestors,blankets."""

    name = "a,b,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in value.split(",")]
        unknown = [word for word in words if word not in ("arcs", *FEATURES)]
        if unknown:
            self.fail(f"{unknown[0]!r} is none of arcs, {', '.join(FEATURES)}.", param, ctx)
        return tuple(name for name in FEATURES if name in words)


SAMPLERS_ONLY = frozenset({*METHODS["sampled"].options, "dags"} - {"time"})
"""Options by which samples are asked for."""


def takers_text(name: str) -> str:
    """The methods that take an option, for sentences."""
    return ", ".join(method for method, spec in METHODS.items() if name in (*spec.options, "dags"))


@dataclass(frozen=True)
class QuestionOptions:
    """What is asked."""

    prior: str
    features: tuple[str, ...]
    patterns: str | None
    answers: str | None
    time: float | None
    dags: str | None


question_options = packed(
    "question",
    QuestionOptions,
    option(
        "--prior",
        type=click.Choice(list(PRIORS)),
        default="dags",
        show_default=True,
        section="Method",
        help="What is equally probable before the data are seen: all networks (dags), or all orders of the variables "
        "(orders), which favours networks that agree with many orders; orders is computed exactly only.",
    ),
    option(
        "--features",
        type=Features(),
        default="arcs",
        show_default=True,
        section="Method",
        help="What is told of pairs besides arcs: ancestors (one is an ancestor of the other), blankets "
        "(one is in the Markov blanket of the other).",
    ),
    option(
        "--patterns",
        type=INPUT_PATH,
        metavar="FILE",
        section="Method",
        help="Patterns of arcs, one a line, whose probabilities go to --answers: 'A -> B' (an arc), 'A - B' (in "
        "either direction), 'A ~> B' (a path), with ! before for not, and commas between what must hold together.",
    ),
    option(
        "--answers",
        type=OUTPUT_FILE,
        metavar="FILE",
        section="Output",
        help="Write how probable the patterns are to this file (CSV): pattern, probability, standard error.",
    ),
    option(
        "--time",
        type=DURATION,
        metavar="TIME",
        section="Budget",
        help="Sample for so long: 30s, 10m, 2h. An exact computation that takes longer is given up.",
    ),
    option(
        "--dags",
        type=OUTPUT_FILE,
        metavar="FILE",
        section="Output",
        help=with_takers(
            "Write the sampled networks to this file, one network behind the other, each with its header.",
            "sampled",
        ),
    ),
)


def _check_further_outputs(question: QuestionOptions) -> None:
    """Refuse names that mean other formats before work begins."""
    if question.dags is not None:
        output_format("dags", question.dags, option="--dags")
    if (question.patterns is None) != (question.answers is None):
        raise click.UsageError("--patterns and --answers need each other.")
    if question.answers is not None:
        output_format("answers", question.answers, option="--answers")


def _read_patterns(question: QuestionOptions, names: Sequence[str]) -> tuple[ArcPattern, ...]:
    if question.patterns is None:
        return ()
    from formats.graphs.arc_patterns import read_patterns

    return tuple(read_patterns(question.patterns, {name: i for i, name in enumerate(names)}))


def _write_answers(target: str, patterns: Sequence[PatternProbability]) -> None:
    """Write how probable patterns are, as CSV."""
    from formats.streams import open_output

    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("pattern", "probability", "standard_error"))
    rows.writerows(patterns)
    with open_output(target) as stream:
        stream.write(text.getvalue().encode())


@stage_command
@input_argument("sets", "SETS")
@method_options(
    {name: spec.about for name, spec in METHODS.items()},
    "Way of computing; --NAME is the same as --method NAME. Default: exact up to 18 variables, and with --prior "
    "orders.",
)
@question_options
@own_method_options("own", PosteriorOptions, takers_text, lambda _: "Method")
@knowledge_options
@drawn_seed_option
@jobs_option
@workers_option
@output_option
@format_option(
    ("arrow", "feather", "parquet", "csv", "table"),
    "Arrow IPC stream (default in a pipe), Arrow file, Parquet, CSV, or a table to read; told by the output's "
    "name if "
    "not given.",
)
@stats_option
@message_options
@click.pass_context
def command(
    ctx: click.Context,
    sets: str,
    method: str | None,
    question: QuestionOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    seed: int | None,
    jobs: int,
    workers: WorkerPlace | None,
    output: str,
    format_name: str | None,
    stats: str | None,
    reporter: Reporter,
) -> int:
    """How probable each arc is, given candidate parent sets.

    Reads parent sets with scores that are logarithms of marginal likelihoods, exact (BDeu, K2) or about (BIC), and
    writes an Arrow IPC stream with a row for each pair of variables: parent, child, probability of the arc,
    its standard error, probability of an arc in either direction. Networks are made of listed sets alone, so
    lists should keep what a subset dominates: bnsl parentsets --keep-mass.

    Up to 18 variables all networks are summed up (exact). Of more, Markov chains draw the parents of a few
    variables at a time anew (sampled), tempered so that they leave modes; several chains from different networks
    are compared, and a warning says if they disagree. Required and forbidden arcs and tiers hold, those of the
    lists and those given here.

    Ctrl-C ends sampling early: what the networks so far tell is written. With the same --seed and --samples
    the result repeats, for any -j or --workers, which let the chains go on.

    \b
    Examples:
      bnsl parentsets --score bdeu --keep-mass 1e-3 random80.csv.gz -o kept.sets.jsonl
      bnsl posterior kept.sets.jsonl --samples 400 --seed 1 -o arcs.csv
      echo 'X0 -> X1, !X1 ~> X2' | bnsl posterior kept.sets.jsonl --seed 1 --samples 400 --patterns - --answers p.csv
      bnsl posterior kept.sets.jsonl --time 1s --dags sampled.net.jsonl --features ancestors -o arcs.parquet
      bnsl parentsets --discretize median --columns 'mean*' --keep-mass 1e-3 wdbc.csv |
        bnsl posterior --prior orders --format table

    \b
    Exit status: 0 done, 1 no network meets the constraints, time ran out, or it cannot be written, 2 wrong usage,
      65 bad input, 129, 130 or 143 interrupted (what the networks so far tell was written).
    See also: bnsl parentsets, bnsl optimize.
    """
    from formats import open_parent_sets, write_arc_probabilities
    from formats.json_lines.network_lines import write_network_stream
    from stages.optimize.lists.constrain import keep_admissible
    from stages.posterior.run import run, sampled_networks
    from stages.runtime.budgets import Budget

    from .. import tables

    given = {parameter.name for parameter in given_parameters(ctx)}
    if method is None and given & SAMPLERS_ONLY:
        method = "sampled"
    if method is not None:
        taken = {*METHODS[method].options, *({"dags"} if method == "sampled" else ())}
        refuse_unused(ctx, SAMPLERS_ONLY, taken, method, lambda _: "sampled")
    reads = shows_table(output, format_name)
    target = None
    if not reads:
        target = output_format("posterior", output, None if format_name == "arrow" else format_name)
    _check_further_outputs(question)
    check_sources(sets, *([question.patterns] if question.patterns else []), *knowing.sources)
    table = open_parent_sets(sets, warn=reporter.warn)
    warn_of_cut_lists(table, reporter)
    knowledge = knowing.resolve(table.header.names)
    if knowledge is not None:
        table = keep_admissible(table, knowledge)
    options = PosteriorOptions(
        method=method,
        prior=question.prior,
        features=question.features,
        patterns=_read_patterns(question, table.header.names),
        jobs=jobs,
        **own,
    )
    method = choose_method(options, table.n_variables)
    if workers is not None and method == "exact":
        raise click.UsageError("--workers let chains go on (--sampled); an exact sum has no parts for them.")
    seed = resolve_seed(seed, reporter) if method == "sampled" else 0
    remote = ctx.with_resource(opened_workers(workers, reporter))
    options = replace(options, method=method, seed=seed, remote=remote)
    recorded = used_options(options, ("method", "prior", "features", *METHODS[method].options))
    if method == "sampled":
        recorded["time"] = question.time
    with graceful_stop() as stop:
        budget = Budget(question.time, stop=stop)
        reporter.follow(budget)
        found = run(table, options, budget, reporter)
        header = record_command(found.table.header, "posterior", recorded | recorded_knowledge(knowledge))
        result = replace(found.table, header=header)
        reporter.pause()
        if target is None:
            tables.show_arc_probabilities(output, result, tables.rows_shown(output, format_name))
        else:
            write_arc_probabilities(output, result, target)
        if question.dags is not None and found.samples is not None:
            write_network_stream(question.dags, sampled_networks(table, found.samples, header))
        if question.answers is not None:
            _write_answers(question.answers, found.patterns)
        write_stats(stats, {"seconds": budget.elapsed(), **found.figures})
    return stop.exit_code
