"""``bnsl optimize``: candidate parent sets, or data, to a network."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from stages.optimize import OptimizeOptions

from ..data_options import DataOptions, data_options_with
from ..interrupts import PATIENCE, graceful_stop, remembered_signal, say_if_interrupted
from ..knowledge_options import KnowledgeOptions, knowledge_options, recorded_knowledge
from ..optimize_options import (
    TaskOptions,
    check_bootstrap,
    check_incomplete,
    check_options,
    method_flags,
    own_search_options,
    task_options,
)
from ..options import (
    BudgetOptions,
    budget_options,
    drawn_seed_option,
    format_option,
    jobs_option,
    json_option,
    message_options,
    output_option,
    require_input,
    resolve_seed,
    shows_table,
    stats_option,
)
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH
from ..recording import record_command, write_stats
from ..replicates import write_replicates
from ..reporter import Reporter
from ..score_options import ScoreOptions, score_options
from ..searches import open_data_search, open_list_search, recorded_inputs, recorded_options
from ..stage_command import stage_command
from ..worker_options import WorkerPlace, opened_workers, workers_option

if TYPE_CHECKING:
    pass

NOTHING_YET = "no network was found yet and none is written; let it run until progress shows a score"


@stage_command
@click.argument("sets", required=False, type=INPUT_PATH, metavar="[SETS]")
@method_flags
@task_options
@own_search_options
@knowledge_options
@score_options
@data_options_with("em")
@budget_options(
    "Stop after this time: 30s, 10m, 2h.",
    "Stop after this many orders. On data, local scores: the default computes no more than so many, besides those of "
    "the network and lists that it begins with; hill climbers end with the move that reaches them.",
)
@drawn_seed_option
@jobs_option
@workers_option
@output_option
@format_option(("jsonl", "table"), "Network file (default in a pipe or file) or a table to read.")
@json_option
@stats_option
@message_options
@click.pass_context
def command(
    ctx: click.Context,
    sets: str | None,
    method: str | None,
    given: TaskOptions,
    own: dict[str, Any],
    knowing: KnowledgeOptions,
    score_options: ScoreOptions,
    data_options: DataOptions,
    limits: BudgetOptions,
    seed: int | None,
    jobs: int,
    workers: WorkerPlace | None,
    output: str,
    format_name: str | None,
    as_json: bool,
    stats: str | None,
    reporter: Reporter,
) -> int:
    """Choose the best network among candidate parent sets.

    Reads parent sets (from 'bnsl parentsets', or a jkl or pss file of another program) and writes the network
    that takes one listed set for every variable without closing a cycle. Scores are sums of local scores in
    nats, higher is better. Every network is verified from scratch before it is written: no cycle, scores add
    up, the elimination order in the header proves the treewidth.

    Beside every search among SETS an upper bound on what any network can score is worked on. The gap between the
    two is how far from the optimum the network can be; a search ends when it is closed. It holds for networks of
    the listed sets, or for all networks where every list is complete: within the limits under which they were
    listed, and under --tw K for any width with at most K parents. The closing line and the header ("bound", "gap",
    "bound_relative_to") name each limit.

    exact, the default up to 22 variables, goes on until the best network is found and proved; beyond, it needs
    a linear solver: pip install 'bnsl-cli[exact]'. ils, the default from there on, moves single variables to
    their best places in an order, shakes a few and repairs, again and again. asobs lets arcs go against a
    random order as long as no cycle closes (Scanagatta, de Campos, Corani and Zaffalon 2015); obs climbs by
    swaps of neighbours in the order (Teyssier and Koller 2005; Perez Urcia and Mauá 2015). --tw K bounds the
    treewidth, so that exact inference stays fast: ils and asobs then search over k-trees (ils in a walk that
    cools down, after which it solves small groups of cliques exactly), as do kg, kastar (Scanagatta, Corani, de
    Campos and Zaffalon 2016) and kmax. s2 and s2plus (Nie, de Campos and Ji 2015, 2016) choose k-trees by
    mutual information (--information) first and find the best network in each.

    With --data DATA families are scored on demand. pricing, the default there, climbs as hc does, then searches
    orders and grows candidate sets around the best ones in turn, beginning with SETS in place of a climb if they
    are given; with --tw K it begins with random orders and grows sets within the cliques of k-trees too. Where
    listing all sets is forecast to take seconds (20 s of one core, or a quarter of --time) it does so, and what is
    proved is proved among all networks; with bdeu and k2, of which no forecast is sharp, that is up to some 14
    variables, or more with --max-parents. Else its bound is one on networks of the sets listed at its end
    (--save-sets), not on all: gaps of different lists, at two moments of a run or of two runs, do not compare.
    The others climb by adding, removing and reversing arcs: hc tries all arcs in every step; chc, chc-star, ichc,
    2ichc and fastchc skip pairs found independent (Gámez, Mateo and Puerta 2011, 2012); mmhc climbs among neighbours
    found by tests (Tsamardinos, Brown and Aliferis 2006).

    --bootstrap R learns R networks, each from as many rows as DATA has, drawn with replacement (or otherwise:
    --resample), and writes one behind the other; 'bnsl average' counts how many have each arc. Each search starts
    from the network of all rows, which is learnt first, or from --start. --time and --evaluations are of each
    network, -j works on several at once.

    --missing em learns from rows with holes by structural expectation maximisation (Friedman 1997): fill the holes
    by the network so far (--imputation), search the filled table by any of these methods, fit its parameters to the
    rows as they are, and again, until the log-likelihood of the observed cells, less what the score takes off for
    the network, no longer rises. It begins with the best tree of available pairs, or --start; later searches start
    from the network before. --time and --evaluations are of each search. The header has holes, rounds, imputation
    and observed_score; total and local scores are those on the filled table. --imputation drawn --bootstrap R
    --resample imputed learns from R tables, each filled anew.

    Searches improve as long as they run. Ctrl-C (SIGTERM, SIGHUP) ends one early: the best network so far is
    written and marked "interrupted"; a second signal gives up. While data are read and kernels compiled there is
    none yet, and a signal ends the command without one.

    \b
    Examples:
      bnsl parentsets --discretize median wdbc.csv | bnsl optimize --asobs --time 1s --format table
      bnsl parentsets random80.csv.gz | bnsl optimize --tw 3 --time 1s -o random80.net.jsonl
      bnsl optimize --data random80.csv.gz --tw 3 --time 1s -o bounded.net.jsonl
      bnsl parentsets random80.csv.gz -o random80.sets.jsonl
      bnsl optimize --data wdbc.csv --discretize median --hc --tabu 10 --forbid mean_area,diagnosis -o hc.net.jsonl
      bnsl screen --roots 0.5 random80.csv.gz | bnsl optimize --data random80.csv.gz --screen - --hc -o qds.net.jsonl
      bnsl optimize random80.sets.jsonl --s2plus --tw 2 --restarts 20 --seed 1 -o s2plus.net.jsonl
      bnsl optimize random80.sets.jsonl --s2 --tw 2 --information random80.csv.gz --time 1s -o s2.net.jsonl
      bnsl optimize random80.sets.jsonl --obs --init dfs --restarts 20 --seed 1 -o obs.net.jsonl
      bnsl optimize random80.sets.jsonl --exact --time 5s -o best.net.jsonl
      bnsl optimize --data random80.csv.gz --bootstrap 3 --hc --seed 1 | bnsl average --seed 1 -o average.net.jsonl
      bnsl optimize --data random80.csv.gz --bootstrap 2 --resample subsample:0.5 --hc -o halves.net.jsonl
      gzip -dc random80.csv.gz | sed '2,500s/^[^,]*//' | bnsl optimize --data - --missing em --hc -o em.net.jsonl

    \b
    Exit status: 0 a network was found, 1 none meets the constraints or it cannot be written, 2 wrong usage,
      65 bad input, 129, 130 or 143 interrupted (the best network so far was written).
    See also: bnsl parentsets, bnsl evaluate, bnsl average.
    """
    from formats import write_network

    from .. import network_tables, tables

    say_if_interrupted(NOTHING_YET)
    check_bootstrap(given, sets, format_name, workers)
    check_incomplete(given, sets, data_options)
    check_options(ctx, method, given.task)
    writes = "bootstrap" if given.bootstrap else "optimize"
    target_format = "network" if format_name == "table" else output_format(writes, output)
    output_format("parentsets", given.save_sets or "-")
    options = OptimizeOptions(
        method=method,
        treewidth=given.treewidth,
        seed=resolve_seed(seed, reporter),
        jobs=jobs,
        remote=ctx.with_resource(opened_workers(workers, reporter)),
        score=score_options.score,
        ess=score_options.ess,
        max_parents=given.max_parents,
        **own,
    )
    if given.data is None:
        sets = require_input(sets, "SETS")
        opened = open_list_search(ctx, sets, given, knowing, data_options, options, reporter)
    else:
        opened = open_data_search(sets, given, knowing, data_options, options, reporter)
    recorded = recorded_options(opened.options, given.task) | asdict(limits)
    recorded |= recorded_inputs(given) | recorded_knowledge(opened.knowledge)
    recorded |= {} if given.data is None and given.information is None else data_options.recorded()
    if remembered_signal() is not None:
        reporter.warn(f"interrupted: optimising for {PATIENCE:g} s what was handed over; once more to stop")
        limits = replace(limits, time=min(PATIENCE, limits.time or PATIENCE))
    if opened.replicates is not None and given.bootstrap is not None:
        recorded |= {"bootstrap": given.bootstrap, "resample": given.resample}
        with graceful_stop() as stop:
            found = opened.replicates(limits, stop)
            write_replicates(output, given.bootstrap, found, recorded, stats, reporter, opened.options.remote)
        return stop.exit_code
    with graceful_stop() as stop:
        budget = limits.budget(stop)
        reporter.follow(budget)
        network, figures = opened.run(budget, reporter)
        if remembered_signal() is not None:
            extra = {**network.header.extra, "interrupted": True}
            network = replace(network, header=replace(network.header, extra=extra))
        network = replace(network, header=record_command(network.header, "optimize", recorded))
        reporter.pause()
        if shows_table(output, format_name, as_json):
            network_tables.show_network(output, network, tables.rows_shown(output, format_name))
        else:
            write_network(output, network, target_format)
            reporter.summary(network_tables.network_facts(network))
        write_stats(stats, {"seconds": budget.elapsed(), **figures})
    return stop.exit_code
