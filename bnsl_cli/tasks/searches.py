"""The searches of ``bnsl optimize`` with their inputs read, and the stream of networks of replicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import formats
from formats.data_records import IncompleteDataset
from formats.records import Forest, Header, Network, ParentSetRecord, ParentSetTable
from formats.streams import open_output
from formats.wording import plural
from stages.knowledge import Knowledge
from stages.lists.barred_sets import bar_empty_sets, refuse_barred
from stages.lists.constrain import keep_admissible
from stages.lists.fill_missing import fill_missing
from stages.lists.start_network import match_start
from stages.lists.undominated import drop_dominated
from stages.optimize import COMMON, OptimizeOptions, Task, choose_method
from stages.optimize.bounds.proof_steps import TreeNode
from stages.optimize.driver import run
from stages.recorded_knowledge import knowledge_record
from stages.runtime.budgets import Budget, StopSignal
from stages.runtime.remote_workers import RemoteWorkers, workers_fact

from ..files import inputs
from ..files.recording import record_command, used_options, write_stats
from ..options.data import DataOptions, KnownVariables
from ..options.knowledge import KnowledgeOptions, with_knowledge
from ..options.optimize import ROUNDS, TaskOptions, check_taken, taken_options
from ..options.shared import BudgetOptions, OutputOptions, check_sources
from ..running.reporter import Reporter

if TYPE_CHECKING:
    from stages.optimize.bootstrap import Found


class OpenedSearch(NamedTuple):
    """A search whose inputs are read; its options name the method.

    `replicates` is None unless the search is on data.
    """

    run: Callable[[Budget, Reporter], Found]
    options: OptimizeOptions
    knowledge: Knowledge | None
    replicates: Callable[[BudgetOptions, StopSignal], Iterator[Found]] | None = None


def recorded_options(options: OptimizeOptions, task: Task) -> dict[str, Any]:
    """The options that the method reads, for the header."""
    return used_options(options, (*COMMON, *taken_options(str(options.method), task)))


def recorded_inputs(given: TaskOptions) -> dict[str, Any]:
    """Which further inputs there were, for the header."""
    inputs = {name: getattr(given, name) is not None or None for name in ("start", "screen", "information")}
    return {**inputs, "imputation": given.imputation, "rounds": given.rounds}


def open_list_search(
    ctx: click.Context,
    sets: str,
    given: TaskOptions,
    knowing: KnowledgeOptions,
    data_options: DataOptions,
    options: OptimizeOptions,
    reporter: Reporter,
) -> OpenedSearch:
    """Read parent sets; the number of variables may decide on the method."""
    check_sources(sets, given.start, given.information, *knowing.sources)
    table, missing = fill_missing(formats.open_parent_sets(sets, partial=given.partial, warn=reporter.warn))
    inputs.warn_of_cut_lists(table, reporter)
    if missing:
        reporter.warn(f"{plural(len(missing), 'variable')} did not arrive: no parents, and no score is counted")
    name, _ = choose_method(options, table.n_variables)
    check_taken(ctx, [name], given.task)
    options = replace(options, method=name)
    start = None
    if given.start is not None:
        network = formats.open_network(given.start, may_be_empty=True)
        network = inputs.completed(network, given.start, table.header.names, sets, reporter)
        start = match_start(network, table.header.names, "the parent sets")
    if given.information is not None:
        from stages.screening.entropies import mutual_information

        entropies = inputs.read_entropies(given.information, data_options, options.jobs, reporter)
        information = mutual_information(entropies, table.header.names, given.information)
        inputs.warn_of_other_data(entropies, table.header, given.information, reporter)
        options = replace(options, information=information)
    knowledge = knowing.resolve(table.header.names)
    listed = table
    table, barred = bar_empty_sets(table)
    if given.proof is not None and (missing or barred or knowledge is not None):
        raise click.UsageError(
            "--proof is about the sets as they are listed: give whole lists, and arcs that are required or forbidden "
            "to 'bnsl parentsets'."
        )
    if knowledge is not None:
        table = keep_admissible(table, knowledge)
    table = drop_dominated(table)
    reporter.detail(f"{plural(table.n_sets, 'parent set')} of {plural(table.n_variables, 'variable')}")
    searched = with_knowledge(replace(options, start=start), knowledge)
    if given.proof is None:
        return OpenedSearch(partial(_run_listed, table, barred, searched), options, knowledge)
    keep = partial(_save_proof, given.proof, listed, options.treewidth)
    search = partial(run, table, replace(searched, keeps_proof=True), keep_nodes=keep)
    return OpenedSearch(search, options, knowledge)


def _run_listed(
    table: ParentSetTable, barred: list[int], options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> Found:
    """Search among sets of which none that is barred may be taken."""
    network, figures = run(table, options, budget, reporter)
    refuse_barred(network, barred)
    return network, figures


def _save_proof(
    target: str, listed: ParentSetTable, treewidth: int | None, network: Network, nodes: Sequence[TreeNode]
) -> None:
    """Make the proof of a network's bound, check it, write it."""
    from stages.optimize.bounds.proofs import make_proof

    formats.write_proof(target, make_proof(nodes, listed, network.header.extra["bound"], treewidth))


def _read_guides(
    sets: str | None, given: TaskOptions, reporter: Reporter
) -> tuple[Forest | None, Network | None, ParentSetTable | None, list[tuple[Header, str]]]:
    """Inputs besides the data: forest, network to start from, parent sets.

    And the headers whose states the data are coded by, the first with precedence, with the names of their files.
    """
    forest = formats.open_forest(given.screen) if given.screen else None
    start = formats.open_network(given.start, may_be_empty=True) if given.start else None
    table = formats.open_parent_sets(sets, warn=reporter.warn) if sets else None
    if table is not None:
        inputs.warn_of_cut_lists(table, reporter)
        inputs.require_least_sets(table, str(sets))
        table = drop_dominated(table)
    # Lists without a fingerprint of data are of other programs, which name no states.
    is_ours = table is not None and table.header.data is not None
    named = None if start is not None and start.header.lacks_isolated else start
    guides = ((forest, given.screen), (table, sets) if is_ours else (named, given.start))
    return forest, start, table, [(guide.header, str(source)) for guide, source in guides if guide is not None]


def open_data_search(
    sets: str | None,
    given: TaskOptions,
    knowing: KnowledgeOptions,
    data_options: DataOptions,
    options: OptimizeOptions,
    reporter: Reporter,
) -> OpenedSearch:
    """Read the data, and the sets and the network to start from."""
    from stages.incomplete import StructuralEM
    from stages.optimize.bootstrap import Resampling
    from stages.optimize.row_search import RowSearch

    check_sources(given.data, given.start, given.screen, sets, *knowing.sources)
    forest, start, table, known = _read_guides(sets, given, reporter)
    states = KnownVariables(known[0][0].variables, known[0][1]) if known else None
    assert given.data is not None
    opened = data_options.open_rows(given.data, reporter, states)
    dataset = opened.dataset if isinstance(opened, IncompleteDataset) else opened
    if start is not None:
        start = inputs.completed(start, str(given.start), dataset.names, given.data, reporter)
    if forest is not None:
        inputs.require_same_variables(forest.header, dataset, str(given.screen))
        inputs.warn_of_other_forest(forest.header, dataset, str(given.screen), reporter)
    name, _ = choose_method(options, dataset.n_variables, on_data=True)
    options = replace(options, method=name, keeps_proof=given.proof is not None)
    knowledge = knowing.resolve(dataset.names)
    reporter.detail(f"{plural(dataset.n_rows, 'row')} of {plural(dataset.n_variables, 'variable')}")
    imputation = StructuralEM(given.imputation or "best", given.rounds or ROUNDS)
    search = RowSearch(opened, with_knowledge(options, knowledge), imputation, start, table, forest)
    before = tuple(entry for header, _ in known for entry in header.by)

    def search_once(budget: Budget, reporter: Reporter) -> Found:
        recorded = recorded_options(options, given.task) | recorded_inputs(given) | knowledge_record(knowledge)
        target, proof = given.save_sets, given.proof

        def save(header: Header, records: Iterable[ParentSetRecord]) -> None:
            formats.write_parent_sets(target, record_command(header, "optimize", recorded), records)

        def prove(network: Network, nodes: Sequence[TreeNode]) -> None:
            _save_proof(str(proof), formats.open_parent_sets(target), options.treewidth, network, nodes)

        network, figures = search.run(budget, reporter, save if target else None, prove if proof and target else None)
        return _with_history(network, before), figures

    def replicates(limits: BudgetOptions, stop: StopSignal) -> Iterator[Found]:
        kind, _, share = (given.resample or "bootstrap").partition(":")
        rule = Resampling(kind, float(share or 1))
        for network, figures in search.run_replicates(given.bootstrap or 0, rule, limits.budget(stop), stop):
            yield _with_history(network, before), figures

    return OpenedSearch(search_once, options, knowledge, replicates)


def _with_history(network: Network, before: tuple[dict[str, Any], ...]) -> Network:
    """The network with the commands that made the other inputs in its header."""
    return replace(network, header=replace(network.header, by=before))


def write_replicates(
    target: OutputOptions,
    n_replicates: int,
    found: Iterator[Found],
    recorded: dict[str, Any],
    reporter: Reporter,
    remote: RemoteWorkers | None,
) -> None:
    """Write the networks of replicates as a stream, each as soon as it is found."""
    from formats.json_lines.network_lines import network_text

    figures: list[dict[str, Any]] = []
    with open_output(target.output) as stream:
        for network, of_one in found:
            network = replace(network, header=record_command(network.header, "optimize", recorded))
            stream.write(network_text(network).encode())
            stream.flush()
            figures.append(of_one)
            reporter.progress(len(figures), n_replicates, "replicates", **workers_fact(remote))
    reporter.pause()
    early = f" of {n_replicates:,}, interrupted" if len(figures) < n_replicates else ""
    reporter.summary(f"networks of {len(figures):,} replicates{early}; bnsl average makes one of them")
    write_stats(target.stats, {"replicates": figures})
