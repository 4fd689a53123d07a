"""The searches of ``bnsl optimize`` with their inputs read: among listed sets, on data, on replicates of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from formats.wording import plural
from stages.optimize import COMMON, OptimizeOptions, Task, choose_method

from .data_options import DataOptions, KnownVariables
from .inputs import (
    read_entropies,
    require_same_variables,
    warn_of_cut_lists,
    warn_of_other_data,
    warn_of_other_forest,
)
from .knowledge_options import KnowledgeOptions, recorded_knowledge, with_knowledge
from .optimize_options import (
    ROUNDS,
    TaskOptions,
    check_taken,
    taken_options,
)
from .options import (
    BudgetOptions,
    check_sources,
)
from .recording import record_command, used_options
from .reporter import Reporter

if TYPE_CHECKING:
    from formats.data_records import Dataset, IncompleteDataset
    from formats.records import Header, Network, ParentSetRecord
    from stages.knowledge import Knowledge
    from stages.runtime.budgets import Budget, StopSignal


class OpenedSearch(NamedTuple):
    """A search whose inputs are read; its options name the method. `replicates` is there where it is on data."""

    run: Callable[[Budget, Reporter], tuple[Network, dict[str, Any]]]
    options: OptimizeOptions
    knowledge: Knowledge | None
    replicates: Callable[[BudgetOptions, StopSignal], Iterator[tuple[Network, dict[str, Any]]]] | None = None


def recorded_options(options: OptimizeOptions, task: Task) -> dict[str, Any]:
    """What a header says about the options: those that the method that ran reads."""
    return used_options(options, (*COMMON, *taken_options(str(options.method), task)))


def recorded_inputs(given: TaskOptions) -> dict[str, Any]:
    """Which further inputs there were."""
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
    from formats.data_records import IncompleteDataset
    from stages.incomplete.structural import StructuralEM, learn_structure
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
    opened = (data_options.open_incomplete if data_options.keeps_holes else data_options.open)(
        str(given.data), reporter, states
    )
    dataset = opened.dataset if isinstance(opened, IncompleteDataset) else opened
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
        rows: Dataset | IncompleteDataset,
        options: OptimizeOptions,
        budget: Budget,
        reporter: Reporter | NullReporter,
        start: Network | None = start,
    ) -> tuple[Network, dict[str, Any]]:
        if isinstance(rows, IncompleteDataset):
            # A forest of --tw 1 is found at once, from nothing.
            return learn_structure(
                rows,
                lambda table, before: search(
                    table, options, budget.again(), reporter, None if given.treewidth == 1 else before
                ),
                StructuralEM(given.imputation or "best", given.rounds or ROUNDS, options.seed, options.jobs),
                start,
                budget.stop,
                reporter,
            )
        keep_lists = save_sets if given.save_sets else None
        network, figures = run_on_data(
            rows, with_knowledge(options, knowledge), budget, reporter, start, table, keep_lists, forest
        )
        before = tuple(entry for header, _ in known for entry in header.by)
        return replace(network, header=replace(network.header, by=before)), figures

    def replicates(limits: BudgetOptions, stop: StopSignal) -> Iterator[tuple[Network, dict[str, Any]]]:
        def search_one(
            rows: Dataset | IncompleteDataset, seed: int, stop: StopSignal, warm: Network | None
        ) -> tuple[Network, dict[str, Any]]:
            one = replace(options, seed=seed, jobs=1, remote=None)
            return search(rows, one, limits.budget(stop), NullReporter(), start or warm)

        kind, _, share = (given.resample or "bootstrap").partition(":")
        # A forest of --tw 1 is found at once, from nothing.
        is_warm = start is None and given.treewidth != 1
        return bootstrap_networks(
            opened,
            given.bootstrap or 0,
            options.seed,
            search_one,
            options.jobs,
            stop,
            Resampling(kind, float(share or 1)),
            is_warm,
            options.remote,
        )

    return OpenedSearch(partial(search, opened, options), options, knowledge, replicates)
