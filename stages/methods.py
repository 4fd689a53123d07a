"""Descriptions of methods and of their own options.

A method's own options are fields of the options record that `own` made; a method's entry names those that it reads.
Options, keywords, help, refusals, and the record of a run in the header of its result derive from the two.

The main road's entries stand in `stages.optimize` and `stages.parentsets`, those of published methods in the folders
of `stages.published`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class OwnOption:
    """An option of some methods."""

    default: Any  # None without limits and choices where any text is a value
    help: str  # a sentence; the names of the methods that take the option are appended
    metavar: str | None = None  # name of the value in the help; choices need none
    choices: tuple[str, ...] = ()  # the possible values, if they are words
    # `least`, `most`: limits of a number; an integer as `least` means whole numbers.
    least: float | None = None
    most: float | None = None
    is_open: bool = False  # whether the limits themselves are excluded
    needs: str | None = None  # another field that must be given, too
    section: str | None = None  # section of the help page; by default the section of the methods that take the option
    is_required: bool = False  # whether a method that takes it cannot run without it


def own(default: Any, help: str, **given: Any) -> Any:
    """A field of an options record that is an option of some methods.

    - `default`: the value if the option is not given; False for a flag.
    - `help`: one sentence.
    - `given`: further fields of `OwnOption`: `metavar`, `choices`, `least`, `most`, `is_open`, `needs`, `section`,
      `is_required`.
    """
    return dataclasses.field(default=default, metadata={"own": OwnOption(default, help, **given)})


def own_options(record: type) -> dict[str, OwnOption]:
    """The fields of an options record that `own` made."""
    return {field.name: field.metadata["own"] for field in dataclasses.fields(record) if field.metadata}


# ------------------------------------------------------------------------------------------ searches

ON_SETS = ("sets", "partial")
"""Options of all searches among listed sets."""

ON_DATA = ("score", "ess", "max_parents", "start", "screen")
"""Options of all searches on data."""

RESTARTED = ("restarts", "start")
"""Options of searches whose restarts are independent of one another."""


class Task(NamedTuple):
    """The kind of a search: on data or among listed sets; under a treewidth bound or not."""

    on_data: bool = False
    bounded: bool = False


SETS, SETS_TW = Task(), Task(bounded=True)
DATA, DATA_TW = Task(on_data=True), Task(on_data=True, bounded=True)


class Variant(NamedTuple):
    """A method's module for one kind of task, and the options that it reads in addition to the common ones.

    Options are fields of `stages.optimize.OptimizeOptions`, or inputs and outputs that the command line opens
    (``sets``, ``partial``, ``start``, ``screen``, ``information``, ``save_sets``, ``proof``, ``workers``).
    """

    module: str
    options: tuple[str, ...]


def on_sets(module: str, *options: str) -> Variant:
    """A module that offers ``search`` among listed sets (`stages.optimize.result`), and reads these options, too."""
    return Variant(module, (*ON_SETS, *options))


def on_data(module: str, *options: str) -> Variant:
    """A module that offers ``search_data`` (`stages.optimize.result`); else as `on_sets`."""
    return Variant(module, (*ON_DATA, *options))


class Described:
    """A method with a line of help and its publication."""

    help: str
    source: str

    @property
    def about(self) -> str:
        """The help, followed by the source."""
        return f"{self.help} ({self.source})" if self.source else self.help


@dataclass(frozen=True)
class SearchMethod(Described):
    """A method of ``bnsl optimize``: its family, help, variants by task, and publication."""

    family: str
    help: str
    variants: Mapping[Task, Variant]
    source: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """All options that its variants read."""
        return tuple(option for variant in self.variants.values() for option in variant.options)


# ---------------------------------------------------------------------------------------- selections


DEFAULT_SCORES = 20_000
"""Exact scores per variable, plus two per variable of the data, at which a selection ends if nothing else ends it."""


@dataclass(frozen=True)
class SelectionMethod(Described):
    """A method of ``bnsl parentsets``; its module offers ``search_child`` (`stages.parentsets`)."""

    module: str
    help: str
    source: str = ""  # its publication; empty for a method of this project
    # Options that it reads: fields of `stages.parentsets.ParentSetOptions`, and the input ``near``.
    options: tuple[str, ...] = ()
    # Exact scores per variable (plus two per variable of the data); 0 if the method ends by itself.
    default_evaluations: int = 0
    ends_by_size: bool = False  # whether it ends by itself if the size of sets is limited
    traces: bool = False  # whether it explores one set after the other, so that their order can be recorded
