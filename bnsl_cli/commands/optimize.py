"""``bnsl optimize``: candidate parent sets, or data, to a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from formats.wording import plural
from stages.optimize import COMMON, OptimizeOptions, Task, choose_method

from ..data_options import DataOptions, KnownVariables, data_options
from ..inputs import (
    read_entropies,
    require_same_variables,
    warn_of_cut_lists,
    warn_of_other_data,
    warn_of_other_forest,
)
from ..interrupts import PATIENCE, graceful_stop, remembered_signal, say_if_interrupted
from ..knowledge_options import KnowledgeOptions, knowledge_options, recorded_knowledge
from ..optimize_options import (
    TaskOptions,
    check_bootstrap,
    check_options,
    check_taken,
    method_flags,
    own_search_options,
    taken_options,
    task_options,
)
from ..options import (
    BudgetOptions,
    budget_options,
    check_sources,
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
from ..recording import record_command, used_options, write_stats
from ..reporter import Reporter
from ..score_options import ScoreOptions, score_options
from ..stage_command import stage_command

if TYPE_CHECKING:
    from formats.records import Dataset, Header, Network, ParentSetRecord
    from stages.knowledge import Knowledge
    from stages.runtime.budgets import Budget, StopSignal

NOTHING_YET = "no network was found yet and none is written; let it run until progress shows a score"


class OpenedSearch(NamedTuple):
    """A search whose inputs are read; its options name the method. `replicates` is there where it is on data."""

    run: Callable[[Budget, Reporter], tuple[Network, dict[str, Any]]]
    options: OptimizeOptions
    knowledge: Knowledge | None
    replicates: Callable[[BudgetOptions, StopSignal], Iterator[tuple[Network, dict[str, Any]]]] | None = None


@stage_command
@click.argument("sets", required=False, type=INPUT_PATH, metavar="[SETS]")
@method_flags
@task_options
@own_search_options
@knowledge_options
@score_options
@data_options
@budget_options("Stop after this time: 30s, 10m, 2h.", "Stop after this many orders (on data: local scores).")
@drawn_seed_option
@jobs_option
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

    \b
    Exit status: 0 a network was found, 1 none meets the constraints or it cannot be written, 2 wrong usage,
      65 bad input, 129, 130 or 143 interrupted (the best network so far was written).
    See also: bnsl parentsets, bnsl evaluate, bnsl average.
    """
    from formats import write_network

    from .. import network_tables, tables

    say_if_interrupted(NOTHING_YET)
    check_bootstrap(given, sets, format_name)
    check_options(ctx, method, given.task)
    writes = "bootstrap" if given.bootstrap else "optimize"
    target_format = "network" if format_name == "table" else output_format(writes, output)
    output_format("parentsets", given.save_sets or "-")
    options = OptimizeOptions(
        method=method,
        treewidth=given.treewidth,
        seed=resolve_seed(seed, reporter),
        jobs=jobs,
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
            write_replicates(
                output, given.bootstrap, opened.replicates(limits, stop), recorded, stats, reporter
            )
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


def recorded_options(options: OptimizeOptions, task: Task) -> dict[str, Any]:
    """What a header says about the options: those that the method that ran reads."""
    return used_options(options, (*COMMON, *taken_options(str(options.method), task)))


def recorded_inputs(given: TaskOptions) -> dict[str, Any]:
    """Which further inputs there were."""
    return {name: getattr(given, name) is not None or None for name in ("start", "screen", "information")}


def write_replicates(
    output: str,
    n_replicates: int,
    found: Iterator[tuple[Network, dict[str, Any]]],
    recorded: dict[str, Any],
    stats: str | None,
    reporter: Reporter,
) -> None:
    """Write the networks of bootstrap replicates one behind the other, each as soon as it is there."""
    from formats.json_lines.network_lines import network_text
    from formats.streams import open_output

    figures: list[dict[str, Any]] = []
    with open_output(output) as stream:
        for network, of_one in found:
            network = replace(network, header=record_command(network.header, "optimize", recorded))
            stream.write(network_text(network).encode())
            stream.flush()
            figures.append(of_one)
            reporter.progress(len(figures), n_replicates, "replicates")
    reporter.pause()
    early = f" of {n_replicates:,}, interrupted" if len(figures) < n_replicates else ""
    reporter.summary(f"networks of {len(figures):,} replicates{early}; bnsl average makes one of them")
    write_stats(stats, {"replicates": figures})


def open_list_search(
    ctx: click.Context,
    sets: str,
    given: TaskOptions,
    knowing: KnowledgeOptions,
    data_options: DataOptions,
    options: OptimizeOptions,
    reporter: Reporter,
) -> OpenedSearch:
    """Read parent sets, of which there may be too few or too many for the method."""
    from formats import open_network, open_parent_sets
    from stages.entropy import mutual_information
    from stages.optimize.driver import run
    from stages.optimize.lists.constrain import keep_admissible
    from stages.optimize.lists.fill_missing import fill_missing
    from stages.optimize.lists.start_network import match_start
    from stages.optimize.lists.undominated import drop_dominated

    check_sources(sets, given.start, given.information, *knowing.sources)
    table, missing = fill_missing(open_parent_sets(sets, partial=given.partial, warn=reporter.warn))
    warn_of_cut_lists(table, reporter)
    if missing:
        reporter.warn(
            f"{plural(len(missing), 'variable')} did not arrive: no parents, and no score is counted"
        )
    name, _ = choose_method(options, table.n_variables)
    check_taken(ctx, [name], given.task)
    options = replace(options, method=name)
    start = None
    if given.start is not None:
        start = match_start(open_network(given.start), table.header.names, "the parent sets")
    if given.information is not None:
        entropies = read_entropies(given.information, data_options, options.jobs, reporter)
        information = mutual_information(entropies, table.header.names, given.information)
        warn_of_other_data(entropies, table.header, given.information, reporter)
        options = replace(options, information=information)
    knowledge = knowing.resolve(table.header.names)
    if knowledge is not None:
        table = keep_admissible(table, knowledge)
    table = drop_dominated(table)
    reporter.detail(f"{plural(table.n_sets, 'parent set')} of {plural(table.n_variables, 'variable')}")
    searched = with_knowledge(replace(options, start=start), knowledge)
    return OpenedSearch(partial(run, table, searched), options, knowledge)


def open_data_search(
    sets: str | None,
    given: TaskOptions,
    knowing: KnowledgeOptions,
    data_options: DataOptions,
    options: OptimizeOptions,
    reporter: Reporter,
) -> OpenedSearch:
    """Read the data, and the sets and the network to start from."""
    from formats import open_forest, open_network, open_parent_sets, write_parent_sets
    from stages.optimize.bootstrap import Resampling, bootstrap_networks
    from stages.optimize.driver import run_on_data
    from stages.optimize.lists.undominated import drop_dominated
    from stages.runtime.reporting import NullReporter

    check_sources(given.data, given.start, given.screen, sets, *knowing.sources)
    forest = open_forest(given.screen) if given.screen else None
    start = open_network(given.start) if given.start else None
    table = open_parent_sets(sets, warn=reporter.warn) if sets else None
    if table is not None:
        warn_of_cut_lists(table, reporter)
        table = drop_dominated(table)
    listed = None if table is None or table.header.data is None else table
    guides = ((forest, given.screen), (listed, sets) if listed is not None else (start, given.start))
    known = [(file.header, str(source)) for file, source in guides if file is not None]
    states = KnownVariables(known[0][0].variables, known[0][1]) if known else None
    dataset = data_options.open(str(given.data), reporter, states)
    if forest is not None:
        require_same_variables(forest.header, dataset, str(given.screen))
        warn_of_other_forest(forest.header, dataset, str(given.screen), reporter)
    name, _ = choose_method(options, dataset.n_variables, on_data=True)
    options = replace(options, method=name)
    knowledge = knowing.resolve(dataset.names)
    reporter.detail(f"{plural(dataset.n_rows, 'row')} of {plural(dataset.n_variables, 'variable')}")

    def save_sets(header: Header, records: Iterable[ParentSetRecord]) -> None:
        recorded = (
            recorded_options(options, given.task) | recorded_inputs(given) | recorded_knowledge(knowledge)
        )
        write_parent_sets(str(given.save_sets), record_command(header, "optimize", recorded), records)

    def search(
        rows: Dataset,
        options: OptimizeOptions,
        budget: Budget,
        reporter: Reporter | NullReporter,
        start: Network | None = start,
    ) -> tuple[Network, dict[str, Any]]:
        keep_lists = save_sets if given.save_sets else None
        network, figures = run_on_data(
            rows, with_knowledge(options, knowledge), budget, reporter, start, table, keep_lists, forest
        )
        before = tuple(entry for header, _ in known for entry in header.by)
        return replace(network, header=replace(network.header, by=before)), figures

    def replicates(limits: BudgetOptions, stop: StopSignal) -> Iterator[tuple[Network, dict[str, Any]]]:
        def search_one(
            rows: Dataset, seed: int, stop: StopSignal, warm: Network | None
        ) -> tuple[Network, dict[str, Any]]:
            one = replace(options, seed=seed, jobs=1)
            return search(rows, one, limits.budget(stop), NullReporter(), start or warm)

        kind, _, share = (given.resample or "bootstrap").partition(":")
        # A forest of --tw 1 is found at once, from nothing.
        is_warm = start is None and given.treewidth != 1
        return bootstrap_networks(
            dataset,
            given.bootstrap or 0,
            options.seed,
            search_one,
            options.jobs,
            stop,
            Resampling(kind, float(share or 1)),
            is_warm,
        )

    return OpenedSearch(partial(search, dataset, options), options, knowledge, replicates)


def with_knowledge(options: OptimizeOptions, knowledge: Knowledge | None) -> OptimizeOptions:
    """The options of a search that keeps to what the user knows."""
    if knowledge is None:
        return options
    return replace(
        options,
        required=knowledge.arcs(knowledge.required),
        forbidden=knowledge.arcs(knowledge.forbidden),
        tiers=None if knowledge.tiers is None else tuple(knowledge.tiers.tolist()),
    )
