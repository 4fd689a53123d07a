"""Which options each method of ``bnsl optimize`` takes in each task, from the table of methods; and refusals of
options that contradict one another, or that the method does not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stages.optimize import METHODS, OptimizeOptions, Task, default_method

from ..options.data import READING, Reading
from ..options.methods import refuse_incomplete, refuse_unused
from ..options.option import Given
from ..running.errors import UsageError
from ..running.function import Run


class AskedSearch(Given):
    """The given options of a search."""

    data: Any = None
    partial = False
    bootstrap: int | None = None
    resample: str | None = None
    workers: str | None = None

    @property
    def task(self) -> Task:
        return Task(self.data is not None, self.treewidth is not None)


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
    return ", ".join(takers) if len(takers) <= len(others) else f"all but {', '.join(others)}" if others else ""


def section_of(name: str) -> str:
    """Section of the help page, by the kind of search that has the option."""
    kinds = {t.on_data for m, spec in METHODS.items() for t in spec.variants if name in taken_options(m, t)}
    return SECTIONS[tuple(sorted(kinds))]


def check_options(run: Run, given: AskedSearch) -> None:
    """Refuse a method that does not do the task, and options that the method does not take.

    If no method is named and the choice depends on the number of variables, an option is refused if no possible
    method takes it; `check_taken` decides once the number is known.
    """
    task, method = given.task, given.method
    sizes = (False,) if given.restarts is not None else (False, True)
    defaults = (default_method(given.treewidth, task.on_data, is_small) for is_small in sizes)
    methods = [method] if method else list(dict.fromkeys(defaults))
    _check_task(methods[0], task)
    check_taken(run, methods, given)
    refuse_incomplete(run, OptimizeOptions, METHODS, method)
    is_forest = task.on_data and given.treewidth is not None and given.treewidth <= 1
    if is_forest and given.start is not None:
        raise UsageError("--start is of no use with --tw 1: the best forest is found at once, exactly.")


def check_proof(given: AskedSearch) -> None:
    """Refuse a proof about candidate sets that are not saved."""
    if given.proof is None or given.data is None:
        return
    if given.save_sets in (None, "-"):
        raise UsageError("--proof proves a bound for the sets that the search ends with: give --save-sets FILE, too.")
    if given.screen is not None:
        raise UsageError("--proof covers searches among all variables: leave out --screen.")
    if given.treewidth is not None and given.treewidth <= 1:
        raise UsageError("--proof covers bounds on listed sets, but the best forest is found from all pairs.")


def check_bootstrap(given: AskedSearch, sets: Any) -> None:
    """Refuse replicates without data, and with options for one network."""
    if given.bootstrap is None:
        if given.resample is not None:
            raise UsageError("--resample needs --bootstrap R.")
        if given.workers is not None:
            raise UsageError("--workers needs --bootstrap R: workers learn replicates, not a single network.")
        return
    if given.data is None:
        raise UsageError("--bootstrap draws rows of data: give --data DATA; listed sets are scored on all rows.")
    _refuse_lists(given, sets, "--bootstrap: each replicate has sets and scores of its own.")


def check_incomplete(given: AskedSearch, sets: Any, reading: Reading) -> None:
    """Refuse options that contradict rows with missing cells, and options that need such rows."""
    is_imputed = given.resample == "imputed"
    if not reading.keeps_holes:
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


def _refuse_lists(given: AskedSearch, sets: Any, reason: str) -> None:
    """Refuse lists of sets if the search has several tables."""
    if sets is not None or given.save_sets is not None:
        raise UsageError(f"{'SETS' if sets is not None else '--save-sets'} cannot be combined with {reason}")


def check_taken(run: Run, methods: Sequence[str], given: AskedSearch) -> None:
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
