"""The options of ``bnsl optimize`` that name the task (inputs, bound, replicates), and the options of its methods.

The options of each method in each task are derived from the table of methods. The functions at the end refuse options
that do not go together, or that do not fit the method and its task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from stages.optimize import DATA_TW, MAIN_METHODS, METHODS, OptimizeOptions, Task, default_method

from ..running.errors import UsageError
from .data import READING, DataOptions
from .declared import option, record
from .methods import method_option, own_options_of, refuse_incomplete, refuse_unused, with_takers
from .shared import max_parents_field
from .values import FLAG, INPUT, OUTPUT_FILE, Choice, Parsed, Whole

if TYPE_CHECKING:
    from ..running.function import Run

ROUNDS = 20
"""Most rounds of completion and search."""


SECTIONS = {(False,): "Search among listed sets", (True,): "Search on data", (False, True): "Method"}
"""Section of the help page for an option, by whether it belongs to searches on data."""


def taken_options(method: str, task: Task) -> tuple[str, ...]:
    """Options that a method reads in the task, besides the common ones."""
    way = METHODS[method].variants.get(task)
    return () if way is None else (*way.options, *(READING if task.on_data else ()))


GOVERNED = frozenset(
    name for method, spec in METHODS.items() for task in spec.variants for name in taken_options(method, task)
)
"""Options that only some methods take."""


def methods_for(task: Task) -> list[str]:
    """The methods that do the task."""
    return [method for method, spec in METHODS.items() if task in spec.variants]


def label_of(method: str, tasks: Sequence[Task]) -> str:
    """A method, with or without ``--tw`` if only some of its tasks are meant."""
    if len(tasks) == len(METHODS[method].variants):
        return method
    return f"{method} {'under' if tasks[0].bounded else 'without'} --tw"


def takers_of(name: str, takes: bool = True) -> list[str]:
    """Labels of the methods that take an option, or of the methods that do not."""
    found = {m: [t for t in spec.variants if (name in taken_options(m, t)) == takes] for m, spec in METHODS.items()}
    return [label_of(method, tasks) for method, tasks in found.items() if tasks]


def takers_text(name: str) -> str:
    """For an option's help: the methods that take it, or the ones that do not if these are fewer."""
    takers, others = takers_of(name), takers_of(name, takes=False)
    return ", ".join(takers) if len(takers) <= len(others) else f"not {', '.join(others)}" if others else ""


def section_of(name: str) -> str:
    """Section of the help page, by the kind of search that has the option."""
    kinds = {t.on_data for m, spec in METHODS.items() for t in spec.variants if name in taken_options(m, t)}
    return SECTIONS[tuple(sorted(kinds))]


def _resampling(text: str) -> str:
    """Rows of replicates: bootstrap, subsample:SHARE, jackknife, imputed."""
    kind, colon, share = text.partition(":")
    if kind in ("bootstrap", "jackknife", "imputed") and not colon:
        return text
    try:
        if kind == "subsample" and 0 < float(share) <= 1:
            return text
    except ValueError:
        pass
    raise ValueError(f"{text!r} is none of bootstrap, subsample:SHARE (of the rows, up to 1), jackknife, imputed")


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """The task: inputs, bound, start, replicates."""

    treewidth: int | None = option(
        "Bound the treewidth of the network's moral graph by K; with --data in method "
        f"{', '.join(methods_for(DATA_TW))}.",
        Whole(1),
        "K",
        names=("--tw", "--treewidth"),
        section=SECTIONS[False,],
    )
    partial: bool = option(
        "Accept a stream that ended early: variables that did not arrive get no parents.", FLAG, absent=False
    )
    data: str | None = option(
        "Search on this table and score families on demand; SETS are then optional and extended.",
        INPUT,
        "DATA",
        absent=None,
    )
    start: str | None = option(
        with_takers(
            "Start from this network: on data instead of the empty one, among listed sets with its order, under "
            "--tw K with its elimination order if that fits",
            takers_text("start"),
        ),
        INPUT,
        "NETWORK",
    )
    screen: str | None = option(
        "Screening forest: its variables keep their one parent, the search is among its roots (qds-BNSL).",
        INPUT,
        "FOREST",
    )
    information: str | None = option(
        with_takers(
            "Mutual information of all pairs, from the data or the result of 'bnsl entropy'; without it, of the "
            "pairs that the listed sets determine",
            takers_text("information"),
        ),
        INPUT,
        "DATA|ENTROPIES",
    )
    max_parents: int | None = max_parents_field()
    save_sets: str | None = option(
        with_takers("Write the candidate sets that the search ends with.", takers_text("save_sets")), OUTPUT_FILE
    )
    proof: str | None = option(
        with_takers(
            "Write the proof of the bound, checkable by 'bnsl evaluate --proof' or by examples/proof/check.py",
            takers_text("proof"),
        ),
        OUTPUT_FILE,
    )
    bootstrap: int | None = option(
        "Learn R networks, each from as many rows of DATA drawn with replacement, and write them as a stream.",
        Whole(1),
        "R",
        absent=None,
    )
    resample: str | None = option(
        "With --bootstrap, which rows a network is of: bootstrap (the default), subsample:SHARE of them without "
        "replacement, jackknife: all but one of R blocks; with --imputation drawn also imputed: all rows, holes "
        "drawn anew. Under --interventions, rows in which the same was set are drawn by themselves.",
        Parsed("rule", _resampling),
        "RULE",
        absent=None,
    )
    imputation: str | None = option(
        "With --missing em, how holes are filled for a search: the states most probable together (the default), "
        "or drawn given the observed ones.",
        Choice(("best", "drawn")),
    )
    rounds: int | None = option(
        f"With --missing em, fill and search at most N times; {ROUNDS} if not given.", Whole(1), "N"
    )

    @property
    def task(self) -> Task:
        return Task(self.data is not None, self.treewidth is not None)


SECTION_CHANGES = {f.name: {"section": section_of(f.name)} for f in fields(TaskOptions) if f.name in GOVERNED}
TASK_OPTIONS = record(TaskOptions, SECTIONS[True,], changes=SECTION_CHANGES)
METHOD = method_option(
    METHODS,
    "Default: among SETS exact up to 22 variables and ils beyond (forest for --tw 1), pricing with --data.",
    main=MAIN_METHODS,
)
OWN_OPTIONS = own_options_of(OptimizeOptions, takers_text, section_of)


def check_options(run: Run, method: str | None, given: TaskOptions, has_restarts: bool) -> None:
    """Refuse a method that does not do the task, and options that the method does not take.

    If no method is named and the choice depends on the number of variables, an option is refused if no possible
    method takes it; `check_taken` decides once the number is known.
    """
    task = given.task
    sizes = (False,) if has_restarts else (False, True)
    defaults = (default_method(given.treewidth, task.on_data, is_small) for is_small in sizes)
    methods = [method] if method else list(dict.fromkeys(defaults))
    _check_task(methods[0], task)
    check_taken(run, methods, given)
    refuse_incomplete(run, OptimizeOptions, METHODS, method)
    is_forest = task.on_data and given.treewidth is not None and given.treewidth <= 1
    if is_forest and given.start is not None:
        raise UsageError("--start is of no use with --tw 1: the best forest is found at once, exactly.")


def check_proof(given: TaskOptions) -> None:
    """Refuse a proof about candidate sets that are not saved."""
    if given.proof is None or given.data is None:
        return
    if given.save_sets in (None, "-"):
        raise UsageError("--proof proves a bound for the sets that the search ends with: give --save-sets FILE, too.")
    if given.screen is not None:
        raise UsageError("--proof covers searches among all variables: leave out --screen.")
    if given.treewidth is not None and given.treewidth <= 1:
        raise UsageError("--proof covers bounds on listed sets, but the best forest is found from all pairs.")


def check_bootstrap(given: TaskOptions, sets: Any, workers: str | None) -> None:
    """Refuse replicates without data, and with options for one network."""
    if given.bootstrap is None:
        if given.resample is not None:
            raise UsageError("--resample needs --bootstrap R.")
        if workers is not None:
            raise UsageError("--workers needs --bootstrap R: workers learn replicates, not a single network.")
        return
    if given.data is None:
        raise UsageError("--bootstrap draws rows of data: give --data DATA; listed sets are scored on all rows.")
    _refuse_lists(given, sets, "--bootstrap: each replicate has sets and scores of its own.")


def check_incomplete(given: TaskOptions, sets: Any, data_options: DataOptions) -> None:
    """Refuse options that contradict rows with missing cells, and options that need such rows."""
    is_imputed = given.resample == "imputed"
    if not data_options.keeps_holes:
        for name in ("imputation", "rounds"):
            if getattr(given, name) is not None:
                raise UsageError(f"--{name} needs --missing em.")
        if is_imputed:
            raise UsageError("--resample imputed needs --missing em --imputation drawn.")
        return
    if given.data is None:
        raise UsageError("--missing em learns from rows with missing cells: give --data DATA.")
    _refuse_lists(given, sets, "--missing em: each round has sets and scores of its own.")
    if is_imputed and given.imputation != "drawn":
        raise UsageError("--resample imputed draws missing cells anew: give --imputation drawn.")


def _refuse_lists(given: TaskOptions, sets: Any, reason: str) -> None:
    """Refuse lists of sets if the search has several tables."""
    if sets is not None or given.save_sets is not None:
        raise UsageError(f"{'SETS' if sets is not None else '--save-sets'} cannot be combined with {reason}")


def check_taken(run: Run, methods: Sequence[str], given: TaskOptions) -> None:
    """Refuse options that none of these methods takes in the task."""
    task = given.task
    taken = {name for method in methods for name in taken_options(method, task)}
    if given.information is not None:
        taken.update(READING)
    who = " or ".join(label_of(method, [task]) if task.bounded else method for method in methods)

    def takers(name: str) -> str:
        alike = [method for method in METHODS if name in taken_options(method, task)]
        return ", ".join(alike or takers_of(name))

    if task.bounded and list(methods) == ["exact"]:
        why = (
            "cannot be combined with --exact, whose bound is about k-trees with cliques of K + 1 variables: "
            "a network with small tables may fit only into k-trees with larger ones; "
            f"{takers('max_table')} take it."
        )
        run.refuse(("max_table",), why)
    refuse_unused(run, GOVERNED, taken, who, takers)


def _check_task(name: str, task: Task) -> None:
    ways = METHODS[name].variants
    if task in ways:
        return
    on_data = ", ".join(method for method, spec in METHODS.items() if any(t.on_data for t in spec.variants))
    able = ", ".join(methods_for(task))
    if all(known.on_data != task.on_data for known in ways):
        if not task.on_data:
            raise UsageError(f"method {name} searches on data: give --data DATA.")
        raise UsageError(f"method {name} takes SETS, not --data; methods on data are {on_data}.")
    if not task.bounded:
        raise UsageError(f"method {name} searches under a treewidth bound: give --tw K.")
    raise UsageError(f"method {name} takes no treewidth bound; {able} {'do' if ',' in able else 'does'}.")
