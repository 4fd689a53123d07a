"""Which methods of ``bnsl optimize`` take which options, in which tasks; derived from the table of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from stages.optimize import METHODS, Task

from .data import DataOptions

SECTIONS = {(False,): "Search among listed sets", (True,): "Search on data", (False, True): "Method"}
"""Section of the help page for an option, by whether it belongs to searches on data."""

READING = tuple(field.name for field in fields(DataOptions))
"""Options that decide how data are read: of all searches on data, and of others that are given data."""


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
    """Labels of the methods that take an option, or of those that do not."""
    found = {m: [t for t in spec.variants if (name in taken_options(m, t)) == takes] for m, spec in METHODS.items()}
    return [label_of(method, tasks) for method, tasks in found.items() if tasks]


def takers_text(name: str) -> str:
    """For an option's help: the methods that take it, or those that do not if these are fewer."""
    takers, others = takers_of(name), takers_of(name, takes=False)
    return ", ".join(takers) if len(takers) <= len(others) else f"not {', '.join(others)}" if others else ""


def section_of(name: str) -> str:
    """Section of the help page, by the kind of search that has the option."""
    kinds = {t.on_data for m, spec in METHODS.items() for t in spec.variants if name in taken_options(m, t)}
    return SECTIONS[tuple(sorted(kinds))]
