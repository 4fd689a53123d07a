"""Searches of `bnsl.optimize` whose inputs are read: among candidate parent sets, and on data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.optimize import COMMON, OptimizeOptions, choose_method

from ..files.inputs import (
    COUNT_APART,
    completed,
    open_record,
    read_entropies,
    require_least_sets,
    require_same_variables,
    warn_of_cut_lists,
    warn_of_interventions,
    warn_of_list_terms,
    warn_of_other_data,
    warn_of_other_forest,
)
from ..files.recording import record_command, used_options
from ..options.data import KnownVariables, Reading
from ..options.knowledge import GivenConstraints, with_knowledge
from ..options.prior import Prior
from ..options.shared import BudgetLimits, check_sources
from ..running.errors import UsageError
from ..running.function import Run
from ..running.reporter import LineReporter
from .taken_options import AskedSearch, check_taken, taken_options

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import Header, NetworkRecord, ParentSetRecord, ParentSetTable, ScreeningForest
    from stages.knowledge import Knowledge
    from stages.optimize.bootstrap import Found
    from stages.optimize.bounds.proof_steps import TreeNode
    from stages.runtime.budgets import Budget, StopSignal
    from stages.runtime.reporting import Reporter


ROUNDS = 20
"""Most rounds of completion and search."""


class OpenedSearch(NamedTuple):
    """A search whose inputs are read; its options name the method.

    `before` are the commands that made the inputs. `replicates` is None unless the search is on data.
    """

    run: Callable[[Budget, Reporter], Found]
    options: OptimizeOptions
    knowledge: Knowledge | None
    before: tuple[dict[str, Any], ...]
    replicates: Callable[[BudgetLimits, StopSignal], Iterator[Found]] | None = None


def recorded_search(given: AskedSearch, options: OptimizeOptions, knowledge: Knowledge | None) -> dict[str, Any]:
    """What headers record of a search: the options of its method, limits, inputs, constraints, how data were read."""
    from stages.recorded_knowledge import knowledge_record

    everything = vars(given)
    recorded = used_options(options, (*COMMON, *taken_options(str(options.method), given.task)))
    recorded |= BudgetLimits(**everything).recorded()
    recorded |= {name: getattr(given, name) is not None or None for name in ("start", "screen", "information")}
    recorded |= {"imputation": given.imputation, "rounds": given.rounds}
    recorded |= knowledge_record(knowledge) | Prior(**everything).recorded()
    return recorded | ({} if given.data is None and given.information is None else Reading(**everything).recorded())


def open_list_search(
    run: Run,
    sets: Any,
    given: AskedSearch,
    knowing: GivenConstraints,
    believing: Prior,
    reading: Reading,
    options: OptimizeOptions,
) -> OpenedSearch:
    """Read parent sets; the method may depend on the number of variables."""
    import formats
    from formats.wording import plural
    from stages.lists.arc_prior import with_prior
    from stages.lists.barred_sets import bar_least_sets
    from stages.lists.constrain import keep_admissible
    from stages.lists.fill_missing import fill_missing
    from stages.lists.start_network import match_start
    from stages.lists.undominated import drop_dominated
    from stages.optimize.driver import run as search_lists

    reporter = run.reporter
    check_sources(sets, given.start, given.information, *knowing.sources, *believing.sources)
    opened = open_record(sets, formats.open_parent_sets, partial=given.partial, warn=reporter.warn)
    table, missing = fill_missing(opened)
    warn_of_cut_lists(table, reporter)
    if missing:
        reporter.warn(f"{plural(len(missing), 'list')} did not arrive: no parents and no scores for their variables")
    table = with_prior(table, believing.read(table.header.names), reporter)
    name, _ = choose_method(options, table.n_variables)
    believing.check(name, None)
    check_taken(run, [name], given)
    options = replace(options, method=name)
    start = None
    if given.start is not None:
        network = open_record(given.start, formats.open_network, may_be_empty=True)
        network = completed(network, given.start, table.header.names, sets, reporter)
        start = match_start(network, table.header.names, "the parent sets")
    if given.information is not None:
        from stages.screening.entropies import mutual_information

        entropies = read_entropies(given.information, reading, options.jobs, run)
        information = mutual_information(entropies, table.header.names, given.information)
        warn_of_other_data(entropies, table.header, given.information, reporter)
        options = replace(options, information=information)
    knowledge = knowing.resolve(table.header.names)
    listed = table
    if knowledge is not None:
        table = keep_admissible(table, knowledge)
    table, barred = bar_least_sets(table, knowledge)
    if given.proof is not None and (missing or barred or knowledge is not None or believing.prior is not None):
        raise UsageError(
            "--proof covers the sets as they are listed: give whole lists, made by 'bnsl parentsets' with the "
            "required or forbidden arcs, or with the prior."
        )
    table = drop_dominated(table)
    reporter.detail(f"{plural(table.n_sets, 'parent set')} of {plural(table.n_variables, 'variable')}")
    searched = with_knowledge(replace(options, start=start), knowledge)
    if given.proof is None:
        return OpenedSearch(partial(_search_listed, table, barred, searched), searched, knowledge, table.header.by)
    keep = partial(_save_proof, given.proof, listed, options.treewidth)
    search = partial(search_lists, table, replace(searched, keeps_proof=True), keep_nodes=keep)
    return OpenedSearch(search, searched, knowledge, table.header.by)


def _search_listed(
    table: ParentSetTable,
    barred: dict[int, tuple[int, ...]],
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
) -> Found:
    """Search among sets; the barred ones may not be taken."""
    from stages.lists.barred_sets import barred_in, refuse_barred
    from stages.optimize.driver import run as search_lists
    from stages.runtime.reporting import ChangedNetworks

    allowed = ChangedNetworks(reporter, lambda network: None if barred_in(network, barred) else network)
    network, figures = search_lists(table, options, budget, allowed)
    refuse_barred(network, barred)
    return network, figures


def _save_proof(
    target: str, listed: ParentSetTable, treewidth: int | None, network: NetworkRecord, nodes: Sequence[TreeNode]
) -> None:
    """Make the proof of a network's bound, check it and write it."""
    from formats import write_proof
    from formats.bounds import bound_in
    from stages.optimize.bounds.proof_assembly import make_proof

    bound = bound_in(network.header.extra)
    assert bound is not None
    write_proof(target, make_proof(nodes, listed, bound.value, treewidth))


def _read_guides(
    sets: Any, given: AskedSearch, reporter: LineReporter
) -> tuple[ScreeningForest | None, NetworkRecord | None, ParentSetTable | None, list[tuple[Header, str]]]:
    """Inputs besides the data: forest, network to start from, parent sets.

    Also the headers whose states code the data, the first with precedence, and the names of their files.
    """
    import formats
    from formats.streams import source_name
    from stages.lists.undominated import drop_dominated

    forest = None if given.screen is None else open_record(given.screen, formats.open_forest)
    start = None if given.start is None else open_record(given.start, formats.open_network, may_be_empty=True)
    table = None if sets is None else open_record(sets, formats.open_parent_sets, warn=reporter.warn)
    if table is not None:
        warn_of_cut_lists(table, reporter)
        require_least_sets(table, sets)
        table = drop_dominated(table)
    # Lists without a fingerprint of data come from other programs, which name no states.
    is_ours = table is not None and table.header.data is not None
    named = None if start is not None and start.header.lacks_isolated else start
    guides = ((forest, given.screen), (table, sets) if is_ours else (named, given.start))
    known = [(guide.header, source_name(source)) for guide, source in guides if guide is not None]
    return forest, start, table, known


def open_data_search(
    run: Run,
    sets: Any,
    given: AskedSearch,
    knowing: GivenConstraints,
    believing: Prior,
    reading: Reading,
    options: OptimizeOptions,
) -> OpenedSearch:
    """Read the data, and the sets and the network to start from."""
    import formats
    from formats.streams import source_name
    from formats.wording import plural
    from stages.incomplete import StructuralEM
    from stages.optimize.bootstrap import Resampling
    from stages.optimize.data_runs import DataRuns

    reporter = run.reporter
    check_sources(given.data, given.start, given.screen, sets, *knowing.sources, *believing.sources)
    forest, start, table, known = _read_guides(sets, given, reporter)
    states = KnownVariables(known[0][0].variables, known[0][1]) if known else None
    assert given.data is not None
    dataset = believing.attached(reading.open(given.data, reporter, states))
    if start is not None:
        start = completed(start, given.start, dataset.names, given.data, reporter)
    if forest is not None:
        require_same_variables(forest.header, dataset, source_name(given.screen))
        warn_of_other_forest(forest.header, dataset, source_name(given.screen), reporter)
    name, _ = choose_method(options, dataset.n_variables, on_data=True)
    believing.check(name, given.screen)
    counts = "stats" in run.given
    options = replace(options, method=name, keeps_proof=given.proof is not None, counts_literally=counts)
    before = tuple(entry for header, _ in known for entry in header.by)
    knowledge = knowing.resolve(dataset.names)
    if table is not None:
        _warn_of_lists(table.header, dataset, knowledge is not None, source_name(sets), reading, reporter)
    reporter.detail(f"{plural(dataset.n_rows, 'row')} of {plural(dataset.n_variables, 'variable')}")
    imputation = StructuralEM(given.imputation or "best", given.rounds or ROUNDS)
    search = DataRuns(dataset, with_knowledge(options, knowledge), imputation, start, table, forest)

    def search_once(budget: Budget, reporter: Reporter) -> Found:
        recorded = recorded_search(given, options, knowledge)
        target, proof = given.save_sets, given.proof

        def save(header: Header, records: Iterable[ParentSetRecord]) -> None:
            formats.write_parent_sets(target, record_command(header, "optimize", recorded), records)

        def prove(network: NetworkRecord, nodes: Sequence[TreeNode]) -> None:
            _save_proof(str(proof), formats.open_parent_sets(target), options.treewidth, network, nodes)

        return search.run(budget, reporter, save if target else None, prove if proof and target else None)

    def replicates(limits: BudgetLimits, stop: StopSignal) -> Iterator[Found]:
        kind, _, share = (given.resample or "bootstrap").partition(":")
        rule = Resampling(kind, float(share or 1))
        return search.run_replicates(given.bootstrap or 0, rule, limits.budget(stop), stop)

    return OpenedSearch(search_once, search.options, knowledge, before, replicates)


def _warn_of_lists(
    header: Header, dataset: Dataset, is_constrained: bool, source: str, reading: Reading, reporter: LineReporter
) -> None:
    """Warn if the search on data has another prior or other constraints than its lists were made with."""
    if reading.interventions is None:
        warn_of_interventions(header, reporter, COUNT_APART)
    warn_of_list_terms(header, dataset, is_constrained, source, reporter)
