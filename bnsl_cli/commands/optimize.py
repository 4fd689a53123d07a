"""``bnsl optimize``: candidate parent sets, or data, to a network."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from stages.optimize import OptimizeOptions

from ..files.output_formats import output_format
from ..files.recording import record_command, write_stats
from ..options import optimize, shared
from ..options.data import DataOptions, data_options_with
from ..options.knowledge import KnowledgeOptions, knowledge_options
from ..options.parameter_types import INPUT_PATH
from ..running.interrupts import PATIENCE, explain_interruption, graceful_stop, remembered_signal
from ..running.reporter import Reporter
from ..running.stage_command import stage_command

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget

    from ..tasks.searches import OpenedSearch

NOTHING_YET = "no network was found yet and none is written; wait until progress shows a score"


@stage_command("--data --tw --time --method --score --discretize --require --forbid --start --jobs --output")
@click.argument("sets", required=False, type=INPUT_PATH, metavar="[SETS]")
@optimize.method_flags
@optimize.task_options
@optimize.own_search_options
@knowledge_options
@shared.score_options
@data_options_with("em")
@shared.budget_options(
    "Stop after this time: 30s, 10m, 2h.",
    "Stop after this many orders. On data, local scores: the default computes no more than so many, besides those of "
    "the network and lists that it begins with; hill climbers end with the move that reaches them.",
)
@shared.run_options
@shared.output_options(("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.", without=())
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    sets: str | None,
    method: str | None,
    given: optimize.TaskOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    score_options: shared.ScoreOptions,
    data_options: DataOptions,
    limits: shared.BudgetOptions,
    execution: shared.RunOptions,
    target: shared.OutputOptions,
    reporter: Reporter,
) -> int:
    """Choose the best network among candidate parent sets.

    Reads parent sets (of 'bnsl parentsets', or a jkl or pss file), or a table given by --data, and writes the
    acyclic network with the best score found, and an upper bound on what any network can score. Scores are sums
    of local scores in nats; higher is better.

    \b
    Examples:
      bnsl optimize --data random80.csv.gz --tw 3 --time 1s -o bounded.net.jsonl
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o net.jsonl
      bnsl optimize --data wdbc.csv --discretize median --hc --tabu 10 \\
        --forbid mean_area,diagnosis -o hc.net.jsonl

    See also: bnsl parentsets, bnsl evaluate, bnsl average, bnsl help methods, bnsl help gaps.
    """
    explain_interruption(NOTHING_YET)
    optimize.check_bootstrap(given, sets, target.format_name, execution.workers)
    optimize.check_incomplete(given, sets, data_options)
    optimize.check_options(ctx, method, given.task)
    optimize.check_proof(given)
    writes = "bootstrap" if given.bootstrap else "optimize"
    target_format = "network" if target.format_name == "table" else output_format(writes, target.output)
    output_format("parentsets", given.save_sets or "-")
    # After the checks: these load numba.
    from stages.recorded_knowledge import knowledge_record

    from ..tasks import searches

    options = OptimizeOptions(
        method=method,
        treewidth=given.treewidth,
        seed=shared.resolve_seed(execution.seed, reporter),
        jobs=execution.jobs,
        remote=ctx.with_resource(shared.opened_workers(execution.workers, reporter)),
        **asdict(score_options),
        max_parents=given.max_parents,
        **own,
    )
    if given.data is None:
        sets = shared.require_input(sets, "SETS")
        opened = searches.open_list_search(ctx, sets, given, knowing, data_options, options, reporter)
    else:
        opened = searches.open_data_search(sets, given, knowing, data_options, options, reporter)
    recorded = searches.recorded_options(opened.options, given.task) | asdict(limits)
    recorded |= searches.recorded_inputs(given) | knowledge_record(opened.knowledge)
    recorded |= {} if given.data is None and given.information is None else data_options.recorded()
    if remembered_signal() is not None:
        reporter.warn(f"interrupted: searching the sets received so far for {PATIENCE:g} s; interrupt again to stop")
        limits = replace(limits, time=min(PATIENCE, limits.time or PATIENCE))
    with graceful_stop() as stop:
        if opened.replicates is not None and given.bootstrap is not None:
            recorded |= {"bootstrap": given.bootstrap, "resample": given.resample}
            found = opened.replicates(limits, stop)
            searches.write_replicates(target, given.bootstrap, found, recorded, reporter, opened.options.remote)
        else:
            write_one(target, target_format, opened, limits.budget(stop), recorded, reporter)
    return stop.exit_code


def write_one(
    target: shared.OutputOptions,
    target_format: str,
    opened: OpenedSearch,
    budget: Budget,
    recorded: dict[str, Any],
    reporter: Reporter,
) -> None:
    """Search once and write the network and the figures of the run."""
    from ..tables.networks import deliver_network, network_facts

    reporter.follow(budget)
    network, figures = opened.run(budget, reporter)
    if remembered_signal() is not None:
        extra = {**network.header.extra, "interrupted": True}
        network = replace(network, header=replace(network.header, extra=extra))
    network = replace(network, header=record_command(network.header, "optimize", recorded))
    reporter.pause()
    if deliver_network(target, network, target_format):
        reporter.summary(network_facts(network))
    write_stats(target.stats, {"seconds": budget.elapsed(), **figures})
