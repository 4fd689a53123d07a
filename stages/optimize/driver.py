"""Run a search: choose its module, compile, search, assemble the network, verify it from scratch.

There are two kinds of searches: among listed sets (`result.ListSearch`) and on data (`result.DataSearch`). Both
return a `result.SearchResult`, from which `assemble` makes a network.
"""

# Imported where needed, since loading takes time: family_scorer, interventional_scorer, screened
from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from formats.data_records import Dataset
from formats.graphs.algorithms import elimination_width, largest_table, moral_graph
from formats.records import OF_ONE_NETWORK, Header, NetworkRecord, ParentSetRecord, ParentSetTable, ScreeningForest
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter, Reporter, duration_text
from stages.runtime.warm_up import TINY_RESTARTS, TINY_WIDTH, compile_first, is_binary, tiny_dataset, tiny_table
from stages.scoring.independent import IndependentScorer
from stages.scoring.scores import recorded_ess

from ..lists.set_lists import fixed_first_order
from ..lists.start_network import match_start
from . import OptimizeOptions, choose_method
from .bounds.proof_steps import TreeNode
from .result import DataSearch, ListSearch, SearchResult
from .score_trace import ScoreTrace
from .verify import verify_found

if TYPE_CHECKING:
    from stages.scoring.family_scorer import FamilyScorer

KeepLists = Callable[[Header, Iterable[ParentSetRecord]], None]
"""Receives the final candidate sets of a method."""

KeepNodes = Callable[[NetworkRecord, Sequence[TreeNode]], None]
"""Receives the verified network and the recorded nodes for a proof of its bound."""


def run(
    table: ParentSetTable,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    keep_nodes: KeepNodes | None = None,
) -> tuple[NetworkRecord, dict[str, Any]]:
    """Search the best network among the sets of `table`; returns the verified network and the figures for
    ``--stats``.

    Without ``method`` in `options` the best one for the task is run, see `choose_method`. Evaluations of the budget
    are orders. `reporter` gets what makes the best network so far, verified, with progress; `keep_nodes` the nodes
    for a proof, with ``options.keeps_proof``. Raises `InfeasibleError` if no network of listed sets meets fixed
    records and bound.
    """
    method, variant = choose_method(options, table.n_variables)
    reporter.detail(f"searching with method {method}")
    fixed_first_order(table)  # raises an error for all methods if the arcs of fixed records close a cycle
    module = importlib.import_module(variant.module)
    search: ListSearch = module.search
    warm_up: ListSearch = getattr(module, "warm_up", search)
    tiny = _tiny(options)
    kind = (variant.module, replace(tiny, seed=0))
    compile_first(lambda small: warm_up(tiny_table(), tiny, small, NullReporter()), budget, kind)

    def finish(found: SearchResult) -> NetworkRecord:
        network = assemble(table.header, method, options, budget, found)
        verify_found(network, options, table=table)
        return network

    trace = ScoreTrace(reporter, budget, finish)
    result = search(table, options, budget, trace)
    network = finish(result)
    if keep_nodes is not None:
        keep_nodes(network, result.nodes)
    return network, {**result.stats, "trace": trace.finish(result.score)}


def run_on_data(
    dataset: Dataset,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    start: NetworkRecord | None = None,
    table: ParentSetTable | None = None,
    keep_lists: KeepLists | None = None,
    forest: ScreeningForest | None = None,
    keep_nodes: KeepNodes | None = None,
) -> tuple[NetworkRecord, dict[str, Any]]:
    """Search the best network for `dataset` with a method that scores families on demand; returns as `run`.

    Raises `StageError` if the start network has other variables than the data; `InfeasibleError` if the constraints
    contradict each other or the start network.

    Parameters
    ----------
    options : OptimizeOptions
        ``method``, if given, must search on data, and under a treewidth bound if there is one.
    budget : Budget
        The budget's evaluations are local scores computed.
    start : Network, optional
        The network to start from; its variables are matched by name.
    table : ParentSetTable, optional
        Candidate sets of the same data to begin with, for methods that grow sets.
    keep_lists : callable, optional
        Receives the header and the records of such a method's final sets.
    forest : Forest, optional
        Screened variables keep their one parent, the search is among the roots; see `screened`.
    keep_nodes : callable, optional
        Receives the nodes for a proof about the final sets, after the sets, with ``options.keeps_proof``.
    """
    from stages.scoring.interventional_scorer import scorer_of

    from .screened import RootProblem

    method, variant = choose_method(options, dataset.n_variables, on_data=True)
    start_network = None if start is None else match_start(start, dataset.names)
    options = replace(options, method=method, start=start_network)
    if table is not None:
        match_table(table, dataset)
    reporter.detail(f"searching with method {method}")
    module = importlib.import_module(variant.module)
    search: DataSearch = module.search_data
    roots = None if forest is None else RootProblem(dataset, forest, options)
    searched = dataset if roots is None else roots.dataset
    _compile_on_data(module, variant.module, searched, options, budget)
    given = table
    if roots is not None and table is not None:
        table = roots.lists_of(table)
    scorer = scorer_of(searched, options.score, options.ess, budget.stop)
    if not budget.interrupted and budget.time_left() <= 0.0:
        reporter.warn(
            f"--time ran out while the data were prepared, which took {duration_text(budget.elapsed())}: "
            "nothing was searched; give --time several times as much"
        )
    lists = {"table": table} if "sets" in variant.options else {}
    header = header_of_data(dataset, options)

    def finish(found: SearchResult) -> NetworkRecord:
        network = assemble(header, method, options, budget, found)
        verify_found(network, options, dataset=dataset)
        return network

    def score_and_finish(found: SearchResult) -> NetworkRecord:
        whole = found if roots is None else roots.whole(found, scorer_of(dataset, options.score, options.ess))
        independent = IndependentScorer(dataset, options.score, options.ess)
        scores = np.array([independent.local_score(child, p) for child, p in enumerate(whole.parents)])
        return finish(replace(whole, scores=scores, score=math.fsum(scores.tolist())))

    trace = ScoreTrace(reporter, budget, score_and_finish)
    result = found = search(scorer, options if roots is None else roots.options, budget, trace, **lists)
    if roots is not None:
        result = roots.whole(found, scorer_of(dataset, options.score, options.ess))
    network = finish(result)
    if keep_lists is not None and result.lists is not None:
        keep_lists(header, _checked(result.lists, scorer, dataset, options, given))
    if keep_nodes is not None:
        keep_nodes(network, result.nodes)
    return network, {**result.stats, "trace": trace.finish(result.score, result.score - found.score)}


def header_of_data(dataset: Dataset, options: OptimizeOptions) -> Header:
    """Variables, data and score of a search on data."""
    return Header(
        dataset.variables,
        score=options.score,
        rows=dataset.n_rows,
        data=dataset.fingerprint,
        ess=recorded_ess(options.score, options.ess),
        extra=dataset.score_entries,
    )


def _checked(
    records: Iterable[ParentSetRecord],
    scorer: FamilyScorer,
    dataset: Dataset,
    options: OptimizeOptions,
    given: ParentSetTable | None,
) -> Iterator[ParentSetRecord]:
    """The lists found by `scorer`, each checked from scratch; given sets are not checked."""
    independent_scorer = IndependentScorer(dataset, options.score, options.ess)
    for record in records:
        independent_scorer.check_record(record, options.seed, len(scorer.data.weights), given)
        yield record


def _compile_on_data(
    module: ModuleType, name: str, dataset: Dataset, options: OptimizeOptions, budget: Budget
) -> None:
    from stages.scoring.family_scorer import FamilyScorer

    warm_up: DataSearch = getattr(module, "warm_up", module.search_data)
    restarts = None if options.restarts is None else min(options.restarts, TINY_RESTARTS)
    tiny, binary = replace(_tiny(options), restarts=restarts), is_binary(dataset)

    def search_tiny(small: Budget) -> None:
        warm_up(FamilyScorer(tiny_dataset(binary), options.score, options.ess), tiny, small, NullReporter())

    compile_first(search_tiny, budget, (name, replace(tiny, seed=0), binary))


def _tiny(options: OptimizeOptions) -> OptimizeOptions:
    """`options` for tiny inputs over other variables."""
    treewidth = None if options.treewidth is None else min(options.treewidth, TINY_WIDTH)
    no_limits = replace(options, knowledge=None, max_parents=None, max_table=None)
    return replace(no_limits, start=None, information=None, perturb=None, treewidth=treewidth)


def assemble(
    header: Header, method: str, options: OptimizeOptions, budget: Budget, result: SearchResult
) -> NetworkRecord:
    """The network that a search found, with its claims.

    The header gains ``total``, ``method``, ``seed``, the search's facts and bound; under a treewidth bound
    ``treewidth``, the elimination order and its width; and ``interrupted`` if the user stopped the search.
    `verify_found` checks these claims independently. Entries of `header` about another network or run are removed.
    """
    extra: dict[str, Any] = {
        **{key: value for key, value in header.extra.items() if key not in OF_ONE_NETWORK},
        "total": result.score,
        "method": method,
        "seed": options.seed,
        **result.facts,
        **({} if result.bound is None else result.bound.entries(result.score)),
    }
    if options.treewidth is not None:
        elimination = [int(v) for v in result.elimination or ()]
        graph = moral_graph(result.parents)
        width = elimination_width(graph, elimination)
        extra["treewidth"] = {"bound": options.treewidth, "width": width, "elimination": elimination}
        if options.max_table is not None:
            n_states = [len(variable.known_states) for variable in header.variables]
            extra["treewidth"] |= {
                "max_table": options.max_table,
                "table": largest_table(graph, elimination, n_states),
            }
    if budget.interrupted:
        extra["interrupted"] = True
    return NetworkRecord(replace(header, extra=extra), result.parents, result.scores)


def match_table(table: ParentSetTable, dataset: Dataset) -> None:
    """Raise `StageError` unless candidate sets and data have the same variables in the same order.

    Lists of other programs that only number their variables are matched by position.
    """
    numbered = table.header.data is None and table.n_variables == dataset.n_variables
    if not numbered and table.header.names != dataset.names:
        raise StageError(
            f"the parent sets have {table.n_variables} variables, the data have {dataset.n_variables},"
            " or their names differ; make both from the same columns"
        )
