"""``bnsl parentsets``: data to candidate parent sets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from stages.parentsets import COMMON, DEFAULT_METHOD, METHODS, ParentSetOptions

from ..data_options import DataOptions, KnownVariables, data_options
from ..inputs import require_same_scores, require_same_variables, warn_of_cut_lists, warn_of_other_forest
from ..interrupts import graceful_stop, say_if_interrupted
from ..knowledge_options import KnowledgeOptions, knowledge_options, recorded_knowledge
from ..options import (
    BudgetOptions,
    budget_options,
    check_sources,
    drawn_seed_option,
    format_option,
    input_argument,
    jobs_option,
    json_option,
    message_options,
    output_option,
    resolve_seed,
    shows_table,
    stats_option,
)
from ..output_formats import output_format
from ..parentset_options import (
    InputOptions,
    PartOptions,
    SearchOptions,
    check_options,
    guide_options,
    method_flags,
    own_search_options,
    part_options,
    search_options,
    trace_option,
)
from ..recording import Tally, json_text, record_command, used_options, write_stats
from ..reporter import Reporter
from ..score_options import ScoreOptions, score_options
from ..stage_command import stage_command
from ..worker_options import WorkerPlace, opened_workers, workers_option

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import Header
    from stages.parentsets.driver import Run

NOTHING_YET = "no parent sets were found yet; let it run until progress counts variables"


@stage_command
@input_argument("data", "DATA")
@data_options
@method_flags
@search_options
@own_search_options
@knowledge_options
@score_options
@guide_options
@budget_options(
    "Stop the whole run after this time: 30s, 10m, 2h.", "Exact local scores per variable at most."
)
@part_options
@drawn_seed_option
@jobs_option
@workers_option
@output_option
@format_option(("jsonl", "table"), "Parent-set file (default in a pipe or file) or a table to read.")
@json_option
@stats_option
@trace_option
@message_options
@click.pass_context
def command(
    ctx: click.Context,
    data: str,
    data_options: DataOptions,
    method: str | None,
    search: SearchOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    score_options: ScoreOptions,
    guides: InputOptions,
    limits: BudgetOptions,
    parts: PartOptions,
    seed: int | None,
    jobs: int,
    workers: WorkerPlace | None,
    output: str,
    format_name: str | None,
    as_json: bool,
    stats: str | None,
    trace: str | None,
    reporter: Reporter,
) -> int:
    """Identify candidate parent sets with their local scores.

    Reads a table and writes, variable by variable as they become ready, the parent sets worth choosing: sets
    that no subset of theirs beats, best first, with exact local scores in nats. 'bnsl optimize' then chooses
    among them.

    grow, the default, grows sets within the predecessors of random orders, so that good sets remain when
    acyclicity forbids the best; indep looks at the best sets first by an approximate score and greedy by the
    exact one; sequential tries all sets by size (all three: Scanagatta, de Campos, Corani and Zaffalon 2015).

    Under --evaluations the output repeats byte for byte with the same seed, for any -j. Ctrl-C ends the search
    early: what was found so far is written.

    \b
    Examples:
      bnsl parentsets random80.csv.gz -o random80.sets.jsonl
      bnsl parentsets --indep --discretize median --evaluations 500 wdbc.csv | bnsl optimize --tw 5 --time 1s
      bnsl parentsets --sequential --max-parents 2 --score bdeu --ess 10 random80.csv.gz | head -1
      bnsl parentsets --indep --evaluations 500 --trace random80.trace.parquet random80.csv.gz -o random80.sets.jsonl
      bnsl screen --roots 0.5 --discretize median wdbc.csv |
        bnsl parentsets --screen - --discretize median wdbc.csv -o screened.sets.jsonl

    \b
    Exit status: 0 done, 1 cannot write, 2 wrong usage, 65 bad data, 129, 130 or 143 interrupted (what was found so
      far was written).
    See also: bnsl screen, bnsl optimize.
    """
    from formats.json_lines.resumable import open_resumable
    from stages.parentsets.complete_lists import tell_complete
    from stages.parentsets.driver import Run

    say_if_interrupted(NOTHING_YET)
    method = method or DEFAULT_METHOD
    check_options(ctx, method)
    check_sources(data, guides.screen, guides.near, guides.extend, *knowing.sources)
    if format_name != "table":
        output_format("parentsets", output)
    if trace is not None:
        output_format("trace", trace, option="--trace")
    reads = shows_table(output, format_name, as_json)
    if reads and parts.resume:
        raise click.UsageError("--resume makes a whole file: give -o FILE, or --json.")
    dataset, inputs, before = open_inputs(data, data_options, guides, score_options, reporter)
    inputs["knowledge"] = knowledge = knowing.resolve(dataset.names)
    options = ParentSetOptions(
        method=method,
        score=score_options.score,
        ess=score_options.ess,
        max_parents=search.max_parents,
        keep_mass=search.keep_mass,
        evaluations=limits.evaluations,
        time=limits.time,
        time_per_variable=search.time_per_variable,
        memory=search.memory,
        seed=resolve_run_seed(seed, parts, reporter),
        jobs=jobs,
        remote=ctx.with_resource(opened_workers(workers, reporter)),
        shard=parts.shard,
        **own,
    )
    with graceful_stop() as stop:
        budget = limits.budget(stop)
        reporter.follow(budget)
        run = Run(dataset, options, budget, reporter, **inputs)
        if search.dry_run:
            show_forecast(run, as_json, reporter)
            return stop.exit_code
        tell_complete(run)
        given = {name: source is not None or None for name, source in asdict(guides).items()}
        recorded = used_options(options, (*COMMON, *METHODS[method].options)) | given
        recorded |= data_options.recorded() | recorded_knowledge(knowledge)
        header = record_command(replace(run.header, by=before), "parentsets", recorded)
        if reads:
            with open_explored(trace, header) as explored:
                tally = show_sets(run, header, output, format_name, reporter, explored)
        else:
            with (
                open_explored(trace, header) as explored,
                open_resumable(output, header, run.children, parts.resume, reporter.warn) as target,
            ):
                tally = Tally(run.records(target.finished, explored))
                target.write(tally)
        write_stats(stats, tally.figures())
    return stop.exit_code


def open_inputs(
    data: str,
    data_options: DataOptions,
    guides: InputOptions,
    score_options: ScoreOptions,
    reporter: Reporter,
) -> tuple[Dataset, dict[str, Any], tuple[dict[str, Any], ...]]:
    """The data coded as the other inputs have them; those inputs; the commands that made them."""
    from formats import open_forest, open_network, open_parent_sets

    forest = open_forest(guides.screen) if guides.screen else None
    near = open_network(guides.near) if guides.near else None
    known = open_parent_sets(guides.extend, warn=reporter.warn) if guides.extend else None
    sources = (guides.screen, guides.near, guides.extend)
    headers = [(given.header, str(source)) for given, source in zip((forest, near, known), sources) if given]
    listed = KnownVariables(headers[0][0].variables, headers[0][1]) if headers else None
    dataset = data_options.open(data, reporter, listed)
    for header, source in headers:
        require_same_variables(header, dataset, source)
    if forest is not None and guides.screen:
        warn_of_other_forest(forest.header, dataset, guides.screen, reporter)
    if known and guides.extend:
        warn_of_cut_lists(known, reporter)
        require_same_scores(known.header, dataset, score_options, guides.extend)
    before = tuple(entry for header, _ in headers for entry in header.by)
    return dataset, {"forest": forest, "near": near, "known": known}, before


def resolve_run_seed(seed: int | None, parts: PartOptions, reporter: Reporter) -> int:
    """The given seed, that of the run to go on with, 0 for a shard, or one from the operating system."""
    from formats.json_lines.resumable import first_header

    earlier = first_header(parts.resume) if seed is None and parts.resume else None
    if earlier is not None and earlier.by:
        seed = earlier.by[-1].get("options", {}).get("seed")
    if seed is None and parts.shard is not None:
        seed = 0
    return resolve_seed(seed, reporter)


def open_explored(trace: str | None, header: Header) -> AbstractContextManager[Callable | None]:
    """What takes the sets explored, in a ``with`` statement; None in it if nobody asks for them."""
    from formats.sets.traces import open_trace

    if trace is None:
        return nullcontext()
    return open_trace(trace, header, output_format("trace", trace, option="--trace"))


def show_sets(
    run: Run,
    header: Header,
    output: str,
    format_name: str | None,
    reporter: Reporter,
    explored: Callable | None,
) -> Tally:
    """Write what was found as a table."""
    from .. import tables

    tally = Tally(run.records(trace=explored))
    found = list(tally)
    reporter.pause()
    tables.show_parent_sets(output, header.variables, found, tables.rows_shown(output, format_name))
    return tally


def show_forecast(run: Run, as_json: bool, reporter: Reporter) -> None:
    """Write what the run would take; of memory at least what reading the data took."""
    import resource

    from stages.parentsets.forecast import forecast_run

    from .. import tables

    forecast = forecast_run(run)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    forecast = replace(forecast, memory_bytes=max(forecast.memory_bytes, peak))
    reporter.pause()
    if as_json:
        click.echo(json_text(asdict(forecast)))
    else:
        tables.show_forecast(forecast, run.jobs)
