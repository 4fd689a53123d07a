"""The options of ``bnsl optimize`` that say what is searched, and the check that the others go with the method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import click

from stages.optimize import DATA_TW, METHODS, MethodSpec, OptimizeOptions, Task, default_method

from .data_options import DataOptions
from .method_options import method_options, own_method_options, refuse_incomplete, refuse_unused, with_takers
from .options import max_parents_option
from .parameter_types import INPUT_PATH, OUTPUT_FILE, RESAMPLING, Count
from .stage_command import option, packed
from .worker_options import WorkerPlace

SECTIONS = {(False,): "Search among listed sets", (True,): "Search on data", (False, True): "Method"}
"""Section of the help page for an option, by whether it belongs to searches on data."""

READING = tuple(field.name for field in fields(DataOptions))
"""How data are read: options of all searches on data, and of others that are given data."""


def taken_options(method: str, task: Task) -> tuple[str, ...]:
    """Options that a method reads in such a task, besides the common ones."""
    way = METHODS[method].ways.get(task)
    return () if way is None else (*way.options, *(READING if task.on_data else ()))


GOVERNED = frozenset(
    name for method, spec in METHODS.items() for task in spec.ways for name in taken_options(method, task)
)
"""Options that do not go with every method."""


def methods_for(task: Task) -> list[str]:
    """The methods that do such a task."""
    return [method for method, spec in METHODS.items() if task in spec.ways]


def label_of(method: str, tasks: Sequence[Task]) -> str:
    """A method, and whether ``--tw`` is given if it is about some of its tasks only."""
    if len(tasks) == len(METHODS[method].ways):
        return method
    return f"{method} {'under' if tasks[0].bounded else 'without'} --tw"


def takers_of(name: str, takes: bool = True) -> list[str]:
    """The methods that take an option (or those that do not), for sentences."""
    found = {
        m: [t for t in spec.ways if (name in taken_options(m, t)) == takes] for m, spec in METHODS.items()
    }
    return [label_of(method, tasks) for method, tasks in found.items() if tasks]


def takers_text(name: str) -> str:
    """What is said in an option's help: who takes it, or who does not if these are fewer."""
    takers, others = takers_of(name), takers_of(name, takes=False)
    return ", ".join(takers) if len(takers) <= len(others) else f"not {', '.join(others)}" if others else ""


def section_of(name: str) -> str:
    """Section of the help page: by the kind of search that has the option."""
    kinds = {t.on_data for m, spec in METHODS.items() for t in spec.ways if name in taken_options(m, t)}
    return SECTIONS[tuple(sorted(kinds))]


ROUNDS = 20
"""Rounds of completing and searching, at most."""


@dataclass(frozen=True)
class TaskOptions:
    """What is searched, and where a search starts."""

    treewidth: int | None
    partial: bool
    data: str | None
    start: str | None
    screen: str | None
    information: str | None
    max_parents: int | None
    save_sets: str | None
    bootstrap: int | None
    resample: str | None
    imputation: str | None
    rounds: int | None

    @property
    def task(self) -> Task:
        return Task(self.data is not None, self.treewidth is not None)


task_options = packed(
    "given",
    TaskOptions,
    option(
        "--tw",
        "--treewidth",
        "treewidth",
        type=Count(min=1),
        metavar="K",
        section=SECTIONS[False,],
        help="Bound the treewidth of the network's moral graph by K; with --data in method "
        f"{', '.join(methods_for(DATA_TW))}.",
    ),
    option(
        "--partial",
        is_flag=True,
        section=section_of("partial"),
        help="Accept a stream that ended early: variables that did not arrive get no parents.",
    ),
    option(
        "--data",
        type=INPUT_PATH,
        metavar="DATA",
        section=SECTIONS[True,],
        help="Search on this table and score families on demand; SETS are then optional and extended.",
    ),
    option(
        "--start",
        type=INPUT_PATH,
        metavar="NETWORK",
        section=section_of("start"),
        help=with_takers(
            "Start from this network: on data instead of the empty one, among listed sets with its order, under "
            "--tw K with its elimination order if that fits",
            takers_text("start"),
        ),
    ),
    option(
        "--screen",
        type=INPUT_PATH,
        metavar="FOREST",
        section=section_of("screen"),
        help="Screening forest: its variables keep their one parent, the search is among its roots (qds-BNSL).",
    ),
    option(
        "--information",
        type=INPUT_PATH,
        metavar="DATA|ENTROPIES",
        section=section_of("information"),
        help=with_takers(
            "Mutual information of all pairs, from the data or the result of 'bnsl entropy'; without it, of the "
            "pairs that listed sets tell",
            takers_text("information"),
        ),
    ),
    max_parents_option(section_of("max_parents")),
    option(
        "--save-sets",
        type=OUTPUT_FILE,
        metavar="FILE",
        section=section_of("save_sets"),
        help=with_takers("Write the candidate sets that the search ends with.", takers_text("save_sets")),
    ),
    option(
        "--bootstrap",
        type=Count(min=1),
        metavar="R",
        section=SECTIONS[True,],
        help="Learn R networks, each from as many rows of DATA drawn with replacement, and write them as a stream.",
    ),
    option(
        "--resample",
        type=RESAMPLING,
        metavar="RULE",
        section=SECTIONS[True,],
        help="With --bootstrap, which rows a network is of: bootstrap (the default), subsample:SHARE of them without "
        "replacement, jackknife: all but one of R blocks; with --imputation drawn also imputed: all rows, holes "
        "drawn anew.",
    ),
    option(
        "--imputation",
        type=click.Choice(["best", "drawn"]),
        section=SECTIONS[True,],
        help="With --missing em, how holes are filled for a search: the states most probable together (the default), "
        "or drawn given the observed ones.",
    ),
    option(
        "--rounds",
        type=Count(min=1),
        metavar="N",
        section=SECTIONS[True,],
        help=f"With --missing em, fill and search at most so many times; {ROUNDS} if not given.",
    ),
)
method_flags = method_options(
    {name: spec.about for name, spec in METHODS.items()},
    "Search method; --NAME is the same as --method NAME. Default: what finds the best networks for the task, "
    "among SETS exact up to 22 variables and ils beyond (forest for --tw 1), pricing with --data.",
)
own_search_options = own_method_options("own", OptimizeOptions, takers_text, section_of)


# ------------------------------------------------------------------------------------------- checks


def check_options(ctx: click.Context, method: str | None, task: Task) -> None:
    """Refuse a method that does not do such a task, and options that it does not take.

    Where none is named and the number of variables decides, an option is refused if no method that may run
    takes it; `check_taken` decides once the number is known.

    Raises
    ------
    click.UsageError
    """
    sizes = (False,) if ctx.params["restarts"] is not None else (False, True)
    defaults = (default_method(ctx.params["treewidth"], task.on_data, is_small) for is_small in sizes)
    methods = [method] if method else list(dict.fromkeys(defaults))
    _check_task(methods[0], METHODS[methods[0]], task)
    check_taken(ctx, methods, task)
    refuse_incomplete(ctx, OptimizeOptions)
    if task.on_data and task.bounded and ctx.params["treewidth"] <= 1 and ctx.params["start"] is not None:
        raise click.UsageError("--start is of no use with --tw 1: the best forest is found at once, exactly.")


def check_bootstrap(
    given: TaskOptions, sets: str | None, format_name: str | None, workers: WorkerPlace | None
) -> None:
    """Refuse bootstrap replicates of what has no rows, and what goes with one network only.

    Raises
    ------
    click.UsageError
    """
    if given.bootstrap is None:
        if given.resample is not None:
            raise click.UsageError("--resample goes with --bootstrap R.")
        if workers is not None and given.data is not None:
            raise click.UsageError(
                "--workers learn replicates (--bootstrap R), or make restarts among SETS; one search on data has "
                "no parts that they could take."
            )
        return
    if given.data is None:
        raise click.UsageError(
            "--bootstrap draws rows of data: give --data DATA; the scores of listed sets are those of all rows."
        )
    if sets is not None or given.save_sets is not None:
        what = "SETS" if sets is not None else "--save-sets"
        raise click.UsageError(
            f"{what} does not go with --bootstrap: each replicate has sets and scores of its own."
        )
    if format_name == "table":
        raise click.UsageError(
            "--bootstrap writes a stream of networks: pipe it into bnsl average --format table."
        )


def check_incomplete(given: TaskOptions, sets: str | None, data_options: DataOptions) -> None:
    """Refuse what does not go with rows with holes, and what goes with them only.

    Raises
    ------
    click.UsageError
    """
    if not data_options.keeps_holes:
        for name in ("imputation", "rounds"):
            if getattr(given, name) is not None:
                raise click.UsageError(f"--{name} goes with --missing em.")
        if given.resample == "imputed":
            raise click.UsageError("--resample imputed goes with --missing em --imputation drawn.")
        return
    if given.data is None:
        raise click.UsageError("--missing em learns from rows with holes: give --data DATA.")
    if sets is not None or given.save_sets is not None:
        what = "SETS" if sets is not None else "--save-sets"
        raise click.UsageError(
            f"{what} does not go with --missing em: each round has sets and scores of its own."
        )
    if given.resample == "imputed" and given.imputation != "drawn":
        raise click.UsageError("--resample imputed draws holes anew: give --imputation drawn.")


def check_taken(ctx: click.Context, methods: Sequence[str], task: Task) -> None:
    """Refuse options that none of these methods takes in such a task.

    Raises
    ------
    click.UsageError
    """
    taken = {name for method in methods for name in taken_options(method, task)}
    if ctx.params["information"] is not None:
        taken.update(READING)
    who = " or ".join(label_of(method, [task]) if task.bounded else method for method in methods)

    def takers(name: str) -> str:
        alike = [method for method in METHODS if name in taken_options(method, task)]
        return ", ".join(alike or takers_of(name))

    refuse_unused(ctx, GOVERNED, taken, who, takers)


def _check_task(name: str, spec: MethodSpec, task: Task) -> None:
    if task in spec.ways:
        return
    if all(known.on_data != task.on_data for known in spec.ways):
        if not task.on_data:
            raise click.UsageError(f"method {name} searches on data: give --data DATA.")
        able = ", ".join(m for m, its in METHODS.items() if any(t.on_data for t in its.ways))
        raise click.UsageError(f"method {name} takes SETS, not --data; methods on data are {able}.")
    if not task.bounded:
        raise click.UsageError(f"method {name} searches under a treewidth bound: give --tw K.")
    able = ", ".join(methods_for(task))
    raise click.UsageError(
        f"method {name} knows no treewidth bound; {able} {'do' if ',' in able else 'does'}."
    )
