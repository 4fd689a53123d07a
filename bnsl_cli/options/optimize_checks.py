"""Which options of ``bnsl optimize`` go together, and with the method and its task."""

from __future__ import annotations

from collections.abc import Sequence

import click

from stages.optimize import METHODS, OptimizeOptions, Task, default_method

from .data import DataOptions
from .methods import refuse_incomplete, refuse_unused
from .optimize import TaskOptions
from .optimize_methods import GOVERNED, READING, label_of, methods_for, taken_options, takers_of
from .workers import WorkerPlace


def _refuse(*rules: tuple[object, str]) -> None:
    """Raise a usage error with the message of the first rule that is broken."""
    for is_broken, message in rules:
        if is_broken:
            raise click.UsageError(message)


def check_options(ctx: click.Context, method: str | None, task: Task) -> None:
    """Refuse a method that does not do the task, and options that it does not take.

    If no method is named and the number of variables decides, an option is refused if no method that may run takes
    it; `check_taken` decides once the number is known.
    """
    sizes = (False,) if ctx.params["restarts"] is not None else (False, True)
    defaults = (default_method(ctx.params["treewidth"], task.on_data, is_small) for is_small in sizes)
    methods = [method] if method else list(dict.fromkeys(defaults))
    _check_task(methods[0], task)
    check_taken(ctx, methods, task)
    refuse_incomplete(ctx, OptimizeOptions)
    is_forest = task.on_data and task.bounded and ctx.params["treewidth"] <= 1
    _refuse(
        (
            is_forest and ctx.params["start"] is not None,
            "--start is of no use with --tw 1: the best forest is found at once, exactly.",
        )
    )


def check_proof(given: TaskOptions) -> None:
    """Refuse proofs about sets that nobody will have."""
    if given.proof is None or given.data is None:
        return
    _refuse(
        (
            given.save_sets in (None, "-"),
            "--proof is about the sets that the search ends with: give --save-sets FILE beside it.",
        ),
        (given.screen is not None, "--proof is about searches among all variables: leave out --screen."),
        (
            given.treewidth is not None and given.treewidth <= 1,
            "--proof is about bounds on listed sets: the best forest is found from all pairs.",
        ),
    )


def check_bootstrap(
    given: TaskOptions, sets: str | None, format_name: str | None, workers: WorkerPlace | None
) -> None:
    """Refuse replicates without data, and with options for one network."""
    if given.bootstrap is None:
        _refuse(
            (given.resample is not None, "--resample goes with --bootstrap R."),
            (
                workers is not None and given.data is not None,
                "--workers learn replicates (--bootstrap R), or make restarts among SETS; one search on data has "
                "no parts that they could take.",
            ),
        )
        return
    _refuse(
        (
            given.data is None,
            "--bootstrap draws rows of data: give --data DATA; the scores of listed sets are those of all rows.",
        ),
        _one_table(given, sets, "--bootstrap: each replicate has sets and scores of its own."),
        (
            format_name == "table",
            "--bootstrap writes a stream of networks: pipe it into bnsl average --format table.",
        ),
    )


def check_incomplete(given: TaskOptions, sets: str | None, data_options: DataOptions) -> None:
    """Refuse options that contradict rows with holes, and those that need them."""
    is_imputed = given.resample == "imputed"
    if not data_options.keeps_holes:
        _refuse(
            (given.imputation is not None, "--imputation goes with --missing em."),
            (given.rounds is not None, "--rounds goes with --missing em."),
            (is_imputed, "--resample imputed goes with --missing em --imputation drawn."),
        )
        return
    _refuse(
        (given.data is None, "--missing em learns from rows with holes: give --data DATA."),
        _one_table(given, sets, "--missing em: each round has sets and scores of its own."),
        (is_imputed and given.imputation != "drawn", "--resample imputed draws holes anew: give --imputation drawn."),
    )


def _one_table(given: TaskOptions, sets: str | None, reason: str) -> tuple[bool, str]:
    """The rule against lists of sets where there are several tables."""
    what = "SETS" if sets is not None else "--save-sets"
    return sets is not None or given.save_sets is not None, f"{what} does not go with {reason}"


def check_taken(ctx: click.Context, methods: Sequence[str], task: Task) -> None:
    """Refuse options that none of these methods takes in the task."""
    taken = {name for method in methods for name in taken_options(method, task)}
    if ctx.params["information"] is not None:
        taken.update(READING)
    who = " or ".join(label_of(method, [task]) if task.bounded else method for method in methods)

    def takers(name: str) -> str:
        alike = [method for method in METHODS if name in taken_options(method, task)]
        return ", ".join(alike or takers_of(name))

    refuse_unused(ctx, GOVERNED, taken, who, takers)


def _check_task(name: str, task: Task) -> None:
    ways = METHODS[name].variants
    if task in ways:
        return
    on_data = ", ".join(method for method, spec in METHODS.items() if any(t.on_data for t in spec.variants))
    able = ", ".join(methods_for(task))
    is_of_other_kind = all(known.on_data != task.on_data for known in ways)
    _refuse(
        (is_of_other_kind and not task.on_data, f"method {name} searches on data: give --data DATA."),
        (is_of_other_kind, f"method {name} takes SETS, not --data; methods on data are {on_data}."),
        (not task.bounded, f"method {name} searches under a treewidth bound: give --tw K."),
        (True, f"method {name} knows no treewidth bound; {able} {'do' if ',' in able else 'does'}."),
    )
