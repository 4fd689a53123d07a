"""`bnsl.optimize`: candidate parent sets, or data, to a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.optimize import OptimizeOptions

from ..files.output_formats import output_format
from ..files.recording import record_command
from ..options import optimize as options_of
from ..options import shared
from ..options.data import DataOptions, data_options_with
from ..options.declared import argument
from ..options.knowledge import KNOWLEDGE, KnowledgeOptions
from ..options.optimize import TaskOptions
from ..options.prior import PRIOR, PriorOptions
from ..running.function import Run, function
from ..running.interrupts import explain_interruption
from ..running.reporter import Reporter
from .opened_searches import OpenedSearch, open_data_search, open_list_search, recorded_inputs, recorded_options

if TYPE_CHECKING:
    from formats.records import Network
    from stages.runtime.budgets import Budget, StopSignal

NOTHING_YET = "no network was found yet and none is written; wait until progress shows a score"


class Learnt(NamedTuple):
    """A network, and the figures of its search."""

    network: Network
    figures: dict[str, Any]


class Replicates(NamedTuple):
    """Networks of replicates; each is available as soon as it is found.

    - `requested`: the number of networks, unless an interruption ends the run.
    """

    requested: int
    found: Iterator[Learnt]


def _finish(found: Learnt | Replicates) -> Any:
    from ..networks import network_of

    if isinstance(found, Learnt):
        return network_of(found.network)
    return [network_of(each.network) for each in found.found]


@function(finish=_finish)
def optimize(
    sets: Any = argument("SETS"),
    method: str | None = options_of.METHOD,
    given: TaskOptions = options_of.TASK_OPTIONS,
    own: dict[str, Any] = options_of.OWN_OPTIONS,
    knowing: KnowledgeOptions = KNOWLEDGE,
    believing: PriorOptions = PRIOR,
    score_options: shared.ScoreOptions = shared.SCORE_OPTIONS,
    data_options: DataOptions = data_options_with("em", counts_families=True),
    limits: shared.BudgetOptions = shared.budget_options(
        "Stop after this time: 30s, 10m, 2h.",
        "Stop after this many orders. On data, local scores: the default computes no more than this, besides "
        "scores of the network and lists that it begins with; hill climbers end with the move that reaches them.",
    ),
    execution: shared.RunOptions = shared.RUNNING,
    workers: str | None = shared.workers_option("Learn the replicates of --bootstrap elsewhere. "),
    *,
    run: Run,
) -> Learnt | Replicates:
    """Choose the best network among candidate parent sets, or learn it from data.

    An interruption ends the search with the best network so far.

    Returns
    -------
    Network or list of Network
        A list with `bootstrap`.

    Examples
    --------
    >>> table = {"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}
    >>> bnsl.optimize(bnsl.parentsets(table, quiet=True), require=[("c", "a")], seed=1, quiet=True).arcs
    [('c', 'a')]
    >>> bnsl.optimize(data=table, treewidth=0)
    Traceback (most recent call last):
        ...
    bnsl.running.errors.UsageError: treewidth=0: at least 1
    """
    from stages.recorded_knowledge import knowledge_record

    explain_interruption(NOTHING_YET)
    options_of.check_bootstrap(given, sets, workers)
    options_of.check_incomplete(given, sets, data_options)
    options_of.check_options(run, method, given, own["restarts"] is not None)
    options_of.check_proof(given)
    output_format("parentsets", given.save_sets or "-")
    options = OptimizeOptions(
        method=method,
        treewidth=given.treewidth,
        seed=shared.resolve_seed(execution.seed, run.reporter),
        jobs=execution.jobs,
        workers=run.resources.enter_context(shared.opened_workers(workers, run)),
        **asdict(score_options),
        max_parents=given.max_parents,
        **own,
    )
    if given.data is None:
        opened = open_list_search(
            run, run.source(sets, "SETS or --data DATA"), given, knowing, believing, data_options, options
        )
    else:
        opened = open_data_search(run, sets, given, knowing, believing, data_options, options)
    recorded = recorded_options(opened.options, given.task) | asdict(limits)
    recorded |= recorded_inputs(given) | knowledge_record(opened.knowledge) | believing.recorded()
    recorded |= {} if given.data is None and given.information is None else data_options.recorded()
    stop = run.search()
    if opened.replicates is not None and given.bootstrap is not None:
        recorded |= {"bootstrap": given.bootstrap, "resample": given.resample}
        return Replicates(given.bootstrap, replicates(opened, given.bootstrap, limits, stop, recorded, run.reporter))
    return learn_one(opened, limits.budget(stop), recorded, run.reporter)


def recorded_network(network: Network, opened: OpenedSearch, recorded: dict[str, Any]) -> Network:
    """The network with the commands that made its inputs, and this one, in its header."""
    header = replace(network.header, by=opened.before)
    return replace(network, header=record_command(header, "optimize", recorded))


def learn_one(opened: OpenedSearch, budget: Budget, recorded: dict[str, Any], reporter: Reporter) -> Learnt:
    """Search once."""
    from stages.runtime.reporting import ChangedNetworks

    reporter.follow(budget)
    network, figures = opened.run(
        budget, ChangedNetworks(reporter, lambda there: recorded_network(there, opened, recorded))
    )
    return Learnt(recorded_network(network, opened, recorded), {"seconds": budget.elapsed(), **figures})


def replicates(
    opened: OpenedSearch,
    requested: int,
    limits: shared.BudgetOptions,
    stop: StopSignal,
    recorded: dict[str, Any],
    reporter: Reporter,
) -> Iterator[Learnt]:
    """The networks of replicates, with records of their run."""
    assert opened.replicates is not None
    for number, (network, figures) in enumerate(opened.replicates(limits, stop), start=1):
        yield Learnt(recorded_network(network, opened, recorded), figures)
        reporter.progress(number, requested, "replicates")
