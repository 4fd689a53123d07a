"""`bnsl.optimize`: candidate parent sets, or data, to a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.optimize import OptimizeOptions

from ..files.output_formats import output_format
from ..files.recording import record_command
from ..files.unfinished import require_same_call
from ..options import optimize as options_of
from ..options import shared
from ..options.data import DataOptions, data_options_with
from ..options.declared import argument
from ..options.knowledge import KNOWLEDGE, KnowledgeOptions
from ..options.optimize import TaskOptions
from ..options.prior import PRIOR, PriorOptions
from ..running.function import Run, function
from ..running.interrupts import PATIENCE, explain_interruption, remembered_signal
from ..running.reporter import Reporter
from .opened_searches import OpenedSearch, open_data_search, open_list_search, recorded_inputs, recorded_options

if TYPE_CHECKING:
    from formats.records import Network
    from stages.runtime.budgets import Budget, StopSignal
    from stages.runtime.forecasts import RunForecast

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


def _finish(found: Learnt | Replicates | RunForecast) -> Any:
    from ..networks import network_of

    if not isinstance(found, (Learnt, Replicates)):
        return asdict(found)
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
    *,
    run: Run,
) -> Learnt | Replicates | RunForecast:
    """Choose the best network among candidate parent sets, or learn it from data.

    An interruption ends the search with the best network so far.

    Returns
    -------
    Network or list of Network or dict
        A list with `bootstrap`; with `dry_run`, the forecast of the run.

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
    from stages.runtime.budgets import Budget

    explain_interruption(NOTHING_YET)
    options_of.check_bootstrap(given, sets, execution.workers)
    options_of.check_incomplete(given, sets, data_options)
    options_of.check_options(run, method, given, own["restarts"] is not None)
    options_of.check_proof(given)
    options_of.check_dry_run(given, data_options)
    options_of.check_resumed(run, given)
    output_format("parentsets", given.save_sets or "-")
    options = OptimizeOptions(
        method=method,
        treewidth=given.treewidth,
        seed=shared.resolve_seed(execution.seed, run.reporter),
        jobs=execution.jobs,
        remote=run.resources.enter_context(shared.opened_workers(execution.workers, run)),
        **asdict(score_options),
        max_parents=given.max_parents,
        **own,
    )
    clock = Budget()
    if given.data is None:
        opened = open_list_search(run, run.source(sets, "SETS"), given, knowing, believing, data_options, options)
    else:
        opened = open_data_search(run, sets, given, knowing, believing, data_options, options)
    if given.dry_run:
        return forecast(opened, limits, clock.elapsed())
    recorded = recorded_options(opened.options, given.task) | asdict(limits)
    recorded |= recorded_inputs(given) | knowledge_record(opened.knowledge) | believing.recorded()
    recorded |= {} if given.data is None and given.information is None else data_options.recorded()
    if run.resume is not None:
        require_same_call(run.resume, record_command(opened.about.header, "optimize", recorded))
    if remembered_signal() is not None:
        run.reporter.warn(
            f"interrupted: searching the sets received so far for {PATIENCE:g} s; interrupt again to stop"
        )
        limits = replace(limits, time=min(PATIENCE, limits.time or PATIENCE))
    stop = run.search()
    if opened.replicates is not None and given.bootstrap is not None:
        recorded |= {"bootstrap": given.bootstrap, "resample": given.resample}
        return Replicates(given.bootstrap, replicates(opened, given.bootstrap, limits, stop, recorded, run.reporter))
    return learn_one(opened, limits.budget(stop), recorded, run)


def learn_one(opened: OpenedSearch, budget: Budget, recorded: dict[str, Any], run: Run) -> Learnt:
    """Search once; the caller may save the best network so far at intervals."""
    from stages.optimize.checkpoints import Checkpoints
    from stages.optimize.resumed import continued

    def whole(network: Network) -> Network:
        """The network, or the earlier one if that is better, with what another run needs to go on."""
        if run.resume is not None:
            network = continued(network, run.resume.network)
        extra = network.header.extra
        if opened.about.digest is not None and "interrupted" in extra:
            extra = {**extra, "sets": opened.about.digest()}
        return replace(network, header=record_command(replace(network.header, extra=extra), "optimize", recorded))

    def save(network: Network) -> None:
        run.save(whole(network))

    run.reporter.follow(budget)
    checkpoints = None if run.save_every is None else Checkpoints(run.save_every, save)
    network, figures = opened.run(budget, run.reporter, checkpoints=checkpoints)
    if remembered_signal() is not None:
        extra = {**network.header.extra, "interrupted": True}
        network = replace(network, header=replace(network.header, extra=extra))
    return Learnt(whole(network), {"seconds": budget.elapsed(), **figures})


def forecast(opened: OpenedSearch, limits: shared.BudgetOptions, reading_seconds: float) -> RunForecast:
    """Search until the first network, and say what the run is expected to take and to prove."""
    from stages.optimize.checkpoints import Checkpoints
    from stages.optimize.forecast import memory_bytes, proof_text
    from stages.parentsets.memory import reading_bytes
    from stages.runtime.forecasts import RunForecast, until_first
    from stages.runtime.reporting import NullReporter

    options, about, reading = opened.options, opened.about, reading_bytes()

    def search(budget: Budget, take: Callable[[object], None]) -> Network:
        return opened.run(budget, NullReporter(), checkpoints=Checkpoints(0.0, take))[0]

    found, first = until_first(search, limits.time, limits.evaluations)
    memory = memory_bytes(
        options, about.header.n_variables, reading, about.table is None, limits.time, first is not None
    )
    return RunForecast(
        method=str(options.method),
        variables=about.header.n_variables,
        rows=about.n_rows,
        sets=about.n_sets,
        reading_seconds=reading_seconds,
        first_seconds=first,
        seconds=limits.time,
        memory_bytes=memory,
        proves=proof_text(options, about.table, found, about.keeps_forest),
    )


def replicates(
    opened: OpenedSearch,
    requested: int,
    limits: shared.BudgetOptions,
    stop: StopSignal,
    recorded: dict[str, Any],
    reporter: Reporter,
) -> Iterator[Learnt]:
    """The networks of replicates, with records of their run."""
    from stages.runtime.remote_workers import workers_fact

    assert opened.replicates is not None
    for number, (network, figures) in enumerate(opened.replicates(limits, stop), start=1):
        yield Learnt(replace(network, header=record_command(network.header, "optimize", recorded)), figures)
        reporter.progress(number, requested, "replicates", **workers_fact(opened.options.remote))
