"""``bnsl parentsets``: data to candidate parent sets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from stages.parentsets import COMMON, DEFAULT_METHOD, METHODS, ParentSetOptions

from ..files.inputs import (
    require_least_sets,
    require_same_scores,
    require_same_variables,
    warn_of_cut_lists,
    warn_of_other_forest,
)
from ..files.output_formats import output_format
from ..files.recording import record_command, tallied, used_options, write_json_lines, write_stats
from ..options import parentsets, shared
from ..options.data import DataOptions, KnownVariables, data_options
from ..options.knowledge import KnowledgeOptions, knowledge_options
from ..running.interrupts import explain_interruption, graceful_stop
from ..running.option_records import packed
from ..running.reporter import Reporter
from ..running.stage_command import stage_command

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import Header
    from stages.parentsets.driver import Run

NOTHING_YET = "no parent sets were found yet; wait until progress counts variables"


@stage_command("--method --score --max-parents --discretize --missing --forbid --time --evaluations --jobs --output")
@shared.input_argument("data", "DATA")
@data_options
@parentsets.method_flags
@packed("search", parentsets.SearchOptions, section="Budget")
@parentsets.own_search_options
@knowledge_options
@shared.score_options
@packed("guides", parentsets.InputOptions, section="Input")
@shared.budget_options(
    "Stop the whole run after this time: 30s, 10m, 2h.", "Exact local scores per variable at most."
)
@packed("parts", parentsets.PartOptions, section="Parts of a run")
@shared.run_options
@shared.output_options(
    ("jsonl", "table"), "Parent-set file (default in a pipe or file) or a table to read.", without=()
)
@parentsets.trace_option
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    data: str,
    data_options: DataOptions,
    method: str | None,
    search: parentsets.SearchOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    score_options: shared.ScoreOptions,
    guides: parentsets.InputOptions,
    limits: shared.BudgetOptions,
    parts: parentsets.PartOptions,
    execution: shared.RunOptions,
    target: shared.OutputOptions,
    trace: str | None,
    reporter: Reporter,
) -> int:
    """Identify candidate parent sets with their local scores.

    Reads a table and writes, for every variable, the parent sets that no subset of theirs beats, with exact
    local scores. 'bnsl optimize' then chooses among them.

    \b
    Examples:
      bnsl parentsets random80.csv.gz -o random80.sets.jsonl
      bnsl parentsets --sequential --max-parents 2 random80.csv.gz | head -1
      bnsl parentsets --indep --discretize median --evaluations 500 wdbc.csv |
        bnsl optimize --tw 5 --time 1s

    See also: bnsl optimize, bnsl screen, bnsl help methods, bnsl help cluster.
    """
    from stages.parentsets.complete_lists import report_complete
    from stages.parentsets.driver import Run
    from stages.recorded_knowledge import knowledge_record

    explain_interruption(NOTHING_YET)
    method = method or DEFAULT_METHOD
    parentsets.check_options(ctx, method)
    shared.check_sources(data, guides.screen, guides.near, guides.extend, *knowing.sources)
    if target.format_name != "table":
        output_format("parentsets", target.output)
    if trace is not None:
        output_format("trace", trace, option="--trace")
    if target.is_table and parts.resume:
        raise click.UsageError("--resume writes a complete file: give -o FILE or --json.")
    dataset, inputs, before = open_inputs(data, data_options, guides, score_options, reporter)
    inputs["knowledge"] = knowledge = knowing.resolve(dataset.names)
    options = ParentSetOptions(
        method=method,
        **asdict(score_options),
        max_parents=search.max_parents,
        keep_mass=search.keep_mass,
        **asdict(limits),
        time_per_variable=search.time_per_variable,
        memory=search.memory,
        seed=resolve_run_seed(execution.seed, parts, reporter),
        jobs=execution.jobs,
        remote=ctx.with_resource(shared.opened_workers(execution.workers, reporter)),
        shard=parts.shard,
        **own,
    )
    with graceful_stop() as stop:
        budget = limits.budget(stop)
        reporter.follow(budget)
        run = Run(dataset, options, budget, reporter, **inputs)
        if search.dry_run:
            show_forecast(run, target, reporter)
            return stop.exit_code
        report_complete(run)
        given = {name: source is not None or None for name, source in asdict(guides).items()}
        recorded = used_options(options, (*COMMON, *METHODS[method].options)) | given
        recorded |= data_options.recorded() | knowledge_record(knowledge)
        header = record_command(replace(run.header, by=before), "parentsets", recorded)
        with open_explored(trace, header) as explored:
            counts = write_sets(run, header, target, parts.resume, reporter, explored)
        write_stats(target.stats, {"seconds": budget.elapsed(), **counts})
    return stop.exit_code


def open_inputs(
    data: str,
    data_options: DataOptions,
    guides: parentsets.InputOptions,
    score_options: shared.ScoreOptions,
    reporter: Reporter,
) -> tuple[Dataset, dict[str, Any], tuple[dict[str, Any], ...]]:
    """The data, coded like the other inputs; these inputs; the commands that made them."""
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
        require_least_sets(known, guides.extend)
        require_same_scores(known.header, dataset, score_options, guides.extend)
    before = tuple(entry for header, _ in headers for entry in header.by)
    return dataset, {"forest": forest, "near": near, "known": known}, before


def resolve_run_seed(seed: int | None, parts: parentsets.PartOptions, reporter: Reporter) -> int:
    """The given seed, that of the run to resume, 0 for a shard, or one from the operating system."""
    from formats.json_lines.resumable import first_header

    earlier = first_header(parts.resume) if seed is None and parts.resume else None
    if earlier is not None and earlier.by:
        seed = earlier.by[-1].get("options", {}).get("seed")
    if seed is None and parts.shard is not None:
        seed = 0
    return shared.resolve_seed(seed, reporter)


def open_explored(trace: str | None, header: Header) -> AbstractContextManager[Callable | None]:
    """Context of a function that writes explored sets, or of None without ``--trace``."""
    from formats.sets.traces import open_trace

    if trace is None:
        return nullcontext()
    return open_trace(trace, header, output_format("trace", trace, option="--trace"))


def write_sets(
    run: Run,
    header: Header,
    target: shared.OutputOptions,
    resume: str | None,
    reporter: Reporter,
    explored: Callable | None,
) -> dict[str, Any]:
    """Write the parent sets as a table, or to a file after those of the run to resume; counts of what was found."""
    from formats.json_lines.resumable import open_resumable

    from ..tables.stage_results import show_parent_sets

    counts: dict[str, Any] = {}
    if target.is_table:
        found = list(tallied(run.records(trace=explored), counts))
        reporter.pause()
        show_parent_sets(target.output, header.variables, found, target.rows_shown)
    else:
        with open_resumable(target.output, header, run.children, resume, reporter.warn) as writer:
            writer.write(tallied(run.records(writer.finished, explored), counts))
    return counts


def show_forecast(run: Run, target: shared.OutputOptions, reporter: Reporter) -> None:
    """Write the forecast of the run; its memory is at least what reading the data took."""
    import resource

    from formats.streams import MemoryFile
    from stages.parentsets.forecast import forecast_run

    from ..tables.stage_results import show_forecast

    forecast = forecast_run(run)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    forecast = replace(forecast, memory_bytes=max(forecast.memory_bytes, peak))
    reporter.pause()
    # Never the file that the run itself would write.
    place = target.output if isinstance(target.output, MemoryFile) else "-"
    if target.as_json:
        write_json_lines(place, [asdict(forecast)])
    else:
        show_forecast(place, forecast, run.jobs)
