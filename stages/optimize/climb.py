"""Structure search on data, without lists of parent sets: run a method, verify its network from scratch."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from formats.records import Dataset, Header, Network, ParentSetRecord, ParentSetTable
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter
from stages.runtime.warm_up import compile_first, tiny_dataset
from stages.scoring.family_scorer import FamilyScorer

from . import OptimizeOptions, choose_method
from .lists.start_network import match_start
from .verify import elimination_width, verify_network

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

KeepLists = Callable[[Header, Iterable[ParentSetRecord]], None]
"""Receives the candidate sets a method ends with."""


def run_on_data(
    dataset: Dataset,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    start: Network | None = None,
    table: ParentSetTable | None = None,
    keep_lists: KeepLists | None = None,
) -> tuple[Network, dict[str, Any]]:
    """Search the best network for `dataset` with a method that scores families on demand.

    Parameters
    ----------
    dataset : Dataset
    options : OptimizeOptions
        ``method`` is one that searches on data, under a bound if there is one.
    budget : Budget
        Its evaluations are local scores computed.
    reporter : Reporter
    start : Network, optional
        Where to start; its variables are matched by name.
    table : ParentSetTable, optional
        Candidate sets of the same data to begin with, for methods that grow sets.
    keep_lists : callable, optional
        Receives the header and the records of the sets that such a method ends with.

    Returns
    -------
    (Network, dict) : the verified network and the figures for ``--stats``.

    Raises
    ------
    StageError
        The start network has other variables than the data.
    InfeasibleError
        The constraints contradict each other or the start network.
    """
    name, way = choose_method(options, dataset.n_variables, on_data=True)
    start_network = None if start is None else match_start(start, dataset.names)
    options = replace(options, method=name, start=start_network)
    first = None if options.start is None else options.start.parents
    if table is not None:
        match_table(table, dataset)
    reporter.detail(f"searching with method {name}")
    module = importlib.import_module(way.module)
    unconstrained = replace(options, required=(), forbidden=(), tiers=None, max_parents=None, start=None)

    def search_tiny(small: Budget) -> None:
        scorer = FamilyScorer(tiny_dataset(), options.score, options.ess)
        module.search_data(scorer, unconstrained, small, NullReporter())

    if budget.seconds is not None:
        compile_first(search_tiny, budget)
    scorer = FamilyScorer(dataset, options.score, options.ess)
    header = Header(
        dataset.variables,
        score=options.score,
        rows=dataset.n_rows,
        data=dataset.fingerprint,
        ess=options.ess if options.score == "bdeu" else None,
    )
    lists = {}
    if "sets" in way.options:
        lists["table"] = table
        lists["keep_lists"] = None if keep_lists is None else partial(keep_lists, header)
    parents, scores, facts, figures = module.search_data(scorer, options, budget, reporter, first, **lists)
    elimination = facts.pop("elimination", None)
    extra = {
        "total": math.fsum(scores.tolist()),
        "method": name,
        "seed": options.seed,
        **facts,
    }
    if options.treewidth is not None:
        width = elimination_width(parents, elimination)
        extra["treewidth"] = {"bound": options.treewidth, "width": width, "elimination": elimination}
    if budget.interrupted:
        extra["interrupted"] = True
    network = Network(replace(header, extra=extra), parents, scores)
    verify_network(network, dataset=dataset, treewidth=options.treewidth)
    return network, figures


def match_table(table: ParentSetTable, dataset: Dataset) -> None:
    """Check that candidate sets and data speak of the same variables in the same order.

    Lists of other programs that only number their variables are taken by position.

    Raises
    ------
    StageError
        They do not.
    """
    numbered = table.header.data is None and table.n_variables == dataset.n_variables
    if not numbered and table.header.names != dataset.names:
        raise StageError(
            f"the parent sets are about {table.n_variables} variables, the data about {dataset.n_variables},"
            " or their names differ; make both from the same columns"
        )
