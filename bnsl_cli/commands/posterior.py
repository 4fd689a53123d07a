"""``bnsl posterior``: candidate parent sets to probabilities of arcs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from stages.posterior import EXACT_UNASKED, FEATURES, METHODS, PRIORS, PosteriorOptions, choose_method

from ..files.inputs import require_least_sets, warn_of_cut_lists
from ..files.output_formats import output_format
from ..files.recording import record_command, used_options, write_stats
from ..options import shared
from ..options.knowledge import KnowledgeOptions, knowledge_options
from ..options.methods import method_options, own_method_options, refuse_unused, with_takers
from ..options.parameter_types import DURATION, INPUT_PATH, OUTPUT_FILE, Parsed
from ..running.interrupts import graceful_stop
from ..running.option_records import option_field, packed
from ..running.reporter import Reporter
from ..running.stage_command import given_parameters, stage_command

if TYPE_CHECKING:
    from stages.posterior.patterns import PatternProbability


def _features(text: str) -> tuple[str, ...]:
    """Words separated by commas: arcs,ancestors,blankets."""
    words = [word.strip() for word in text.split(",")]
    unknown = [word for word in words if word not in ("arcs", *FEATURES)]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of arcs, {', '.join(FEATURES)}")
    return tuple(name for name in FEATURES if name in words)


SAMPLERS_ONLY = frozenset({*METHODS["sampled"].options, "dags"} - {"time"})
"""Options that imply method sampled."""


def takers_text(name: str) -> str:
    """The methods that take an option."""
    return ", ".join(method for method, spec in METHODS.items() if name in (*spec.options, "dags"))


@dataclass(frozen=True)
class QuestionOptions:
    """What to compute."""

    prior: str = option_field(
        "Uniform prior: over networks (dags) or over orders of the variables (orders). The latter favours "
        "networks that agree with many orders; it is for exact computation only.",
        click.Choice(list(PRIORS)),
        default="dags",
    )
    features: tuple[str, ...] = option_field(
        "Further columns for each pair: ancestors (one is an ancestor of the other), blankets (one is in the "
        "Markov blanket of the other).",
        Parsed("a,b,...", _features),
        default="arcs",
    )
    patterns: str | None = option_field(
        "Patterns of arcs, one per line, whose probabilities go to --answers. 'A -> B' is an arc, 'A - B' an "
        "arc in either direction, 'A ~> B' a path; ! negates, commas join statements that must all hold.",
        INPUT_PATH,
        "FILE",
    )
    answers: str | None = option_field(
        "Write the probabilities of the patterns, with standard errors, to this file (CSV).",
        OUTPUT_FILE,
        "FILE",
        section="Output",
    )
    time: float | None = option_field(
        "Sample for this time: 30s, 10m, 2h. An exact computation that takes longer fails.",
        DURATION,
        "TIME",
        section="Budget",
    )
    dags: str | None = option_field(
        with_takers("Write the sampled networks to this file, as a stream of network files.", "sampled"),
        OUTPUT_FILE,
        "FILE",
        section="Output",
    )


def _named_method(ctx: click.Context, method: str | None) -> str | None:
    """The method that is named or, by options of samplers, implied; refuses options that it does not take."""
    if method is None and SAMPLERS_ONLY & {parameter.name for parameter in given_parameters(ctx)}:
        method = "sampled"
    if method is not None:
        taken = {*METHODS[method].options, *({"dags"} if method == "sampled" else ())}
        refuse_unused(ctx, SAMPLERS_ONLY, taken, method, lambda _: "sampled")
    return method


def _check_further_outputs(question: QuestionOptions) -> None:
    """Refuse outputs of an unsuitable format before work begins."""
    if question.dags is not None:
        output_format("dags", question.dags, option="--dags")
    if (question.patterns is None) != (question.answers is None):
        raise click.UsageError("--patterns and --answers need each other.")
    if question.answers is not None:
        output_format("answers", question.answers, option="--answers")


def _write_answers(target: str, patterns: Sequence[PatternProbability]) -> None:
    """Write the probabilities of patterns as CSV."""
    from formats.tables.results.result_tables import FIGURE, TEXT, open_result_writer

    columns = {"pattern": TEXT, "probability": FIGURE, "standard_error": FIGURE}
    with open_result_writer(target, columns, "csv") as write:
        write(list(zip(*patterns)))


@stage_command("--method --prior --features --samples --time --require --forbid --seed --jobs --format --output")
@shared.input_argument("sets", "SETS")
@method_options(METHODS, f"Default: exact up to {EXACT_UNASKED} variables, and with --prior orders.", lead="Method")
@packed("question", QuestionOptions, section="Method")
@own_method_options(PosteriorOptions, takers_text, lambda _: "Method")
@knowledge_options
@shared.run_options
@shared.output_options(
    ("arrow", "feather", "parquet", "csv", "table"),
    "Arrow IPC stream (default in a pipe), Arrow file, Parquet, CSV, or a table to read; by default that of the "
    "output's name.",
    without=["as_json"],
)
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    sets: str,
    method: str | None,
    question: QuestionOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    execution: shared.RunOptions,
    target: shared.OutputOptions,
    reporter: Reporter,
) -> int:
    """Compute probabilities of arcs, given candidate parent sets.

    Reads parent sets with scores and writes, for each pair of variables, the posterior probability of the arc:
    exact for few variables, sampled by Markov chains for more. Networks consist of listed sets only, so the
    lists should be made with --keep-mass.

    \b
    Examples:
      bnsl parentsets --keep-mass 1e-3 random80.csv.gz -o kept.sets.jsonl
      bnsl posterior kept.sets.jsonl --samples 400 --seed 1 -o arcs.csv
      bnsl parentsets --columns 'mean*' --discretize median --keep-mass 1e-3 \\
        wdbc.csv | bnsl posterior --prior orders --format table

    See also: bnsl parentsets, bnsl average, bnsl help limits.
    """
    from formats import open_parent_sets, write_arc_probabilities
    from formats.graphs.arc_files import read_patterns
    from formats.json_lines.network_lines import write_network_stream
    from stages.lists.constrain import keep_admissible
    from stages.posterior.run import run, sampled_networks
    from stages.recorded_knowledge import knowledge_record
    from stages.runtime.budgets import Budget

    from ..tables.stage_results import show_arc_probabilities

    method = _named_method(ctx, method)
    asked = None if target.format_name == "arrow" else target.format_name
    target_format = None if target.is_table else output_format("posterior", target.output, asked)
    _check_further_outputs(question)
    shared.check_sources(sets, *([question.patterns] if question.patterns else []), *knowing.sources)
    table = open_parent_sets(sets, warn=reporter.warn)
    warn_of_cut_lists(table, reporter)
    require_least_sets(table, sets)
    knowledge = knowing.resolve(table.header.names)
    table = table if knowledge is None else keep_admissible(table, knowledge)
    index = {name: variable for variable, name in enumerate(table.header.names)}
    options = PosteriorOptions(
        method=method,
        prior=question.prior,
        features=question.features,
        patterns=tuple(read_patterns(question.patterns, index)) if question.patterns else (),
        jobs=execution.jobs,
        **own,
    )
    method = choose_method(options, table.n_variables)
    if execution.workers is not None and method == "exact":
        raise click.UsageError("--workers run chains (--sampled); an exact sum has no parts for them.")
    seed = shared.resolve_seed(execution.seed, reporter) if method == "sampled" else 0
    remote = ctx.with_resource(shared.opened_workers(execution.workers, reporter))
    options = replace(options, method=method, seed=seed, remote=remote)
    recorded = used_options(options, ("method", "prior", "features", *METHODS[method].options))
    if method == "sampled":
        recorded["time"] = question.time
    # What decides directions depends on the knowledge that is recorded.
    recorded |= knowledge_record(knowledge)
    table = replace(table, header=record_command(table.header, "posterior", recorded))
    with graceful_stop() as stop:
        budget = Budget(question.time, stop=stop)
        reporter.follow(budget)
        found = run(table, options, budget, reporter)
        reporter.pause()
        if target_format is None:
            show_arc_probabilities(target.output, found.table, target.rows_shown)
        else:
            write_arc_probabilities(target.output, found.table, target_format)
        if question.dags is not None and found.samples is not None:
            write_network_stream(question.dags, sampled_networks(table, found.samples, found.table.header))
        if question.answers is not None:
            _write_answers(question.answers, found.patterns)
        write_stats(target.stats, {"seconds": budget.elapsed(), **found.figures})
    return stop.exit_code
