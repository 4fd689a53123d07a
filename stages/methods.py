"""Descriptions of methods and of their own options, and the discovery of installed methods.

A method's own options are made by `own`: keywords of its entry, or fields of the options record if they belong to the
main road. Options, keywords, help, refusals, and the record of a run in the header of its result derive from them.

Methods outside the main road are found by entry points (`installed`): ``bnsl.searches`` names dictionaries of
`SearchMethod` for ``bnsl optimize``, ``bnsl.selections`` of `SelectionMethod` for ``bnsl parentsets``. Methods of
this project's `stages.published` and of other packages are declared alike; ``examples/plugin`` is such a package.
`stages.runtime.plug_ins` reports which package a failing search comes from.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from formats.discovery import UnusableError, discovered


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
    """An option of some methods: a keyword of a method's entry, or a field of an options record.

    - `default`: the value if the option is not given; False for a flag.
    - `help`: one sentence.
    - `given`: further fields of `OwnOption`: `metavar`, `choices`, `least`, `most`, `is_open`, `needs`, `section`,
      `is_required`.
    """
    return dataclasses.field(default=default, metadata={"own": OwnOption(default, help, **given)})


class OwnValues(dict[str, Any]):
    """Values, by name, of the options that the entries of methods declare."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def own_options(record: type, methods: Mapping[str, Any] | None = None) -> dict[str, OwnOption]:
    """The fields of an options record that `own` made, and the options that the entries of methods declare."""
    fields = {field.name: field for field in dataclasses.fields(record) if field.metadata}
    for method in (methods or {}).values():
        fields |= method.own
    return {name: field.metadata["own"] for name, field in fields.items()}


# ------------------------------------------------------------------------------------------ searches

ON_SETS = ("sets", "partial")
"""Options of all searches among listed sets."""

ON_DATA = ("score", "ess", "max_parents", "start", "screen", "workers")
"""Options of all searches on data; workers search replicates of the data."""

RESTARTED = ("restarts", "start", "workers")
"""Options of searches whose restarts are independent of one another."""

SAMPLED_ONLY = own(
    False, "Answer from the sampled orders or k-trees alone, as the paper does, even where the best forest is better."
)
"""An option of published searches among listed sets under a treewidth bound (`stages.published.batches`)."""


class Task(NamedTuple):
    """The kind of a search: on data or among listed sets; under a treewidth bound or not."""

    on_data: bool = False
    bounded: bool = False


SETS, SETS_TW = Task(), Task(bounded=True)
DATA, DATA_TW = Task(on_data=True), Task(on_data=True, bounded=True)


@dataclass(frozen=True)
class Variant:
    """A method's module for one kind of task, and the options that it reads in addition to the common ones.

    Options are fields of `stages.optimize.OptimizeOptions`, or inputs and outputs that the command line opens
    (``sets``, ``partial``, ``start``, ``screen``, ``information``, ``save_sets``, ``proof``, ``workers``), or options
    that the method declares (see `own`): the values of these are in ``own`` of the record.
    """

    module: str
    options: tuple[str, ...]
    own: Mapping[str, Any] = field(default_factory=dict)


def on_sets(module: str, *options: str, **declared: Any) -> Variant:
    """A module that offers ``search`` among listed sets (`stages.optimize.result`).

    It reads the common `options` named, and options `declared` here, each by name: ``steps=own(10, "Steps.")``.
    """
    return Variant(module, (*ON_SETS, *options, *declared), declared)


def on_data(module: str, *options: str, **declared: Any) -> Variant:
    """A module that offers ``search_data`` (`stages.optimize.result`); else as `on_sets`."""
    return Variant(module, (*ON_DATA, *options, *declared), declared)


class Described:
    """A method with a line of help and its publication."""

    help: str
    source: str
    package: str

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
    package: str = ""  # the distribution that declares it; empty for this project

    @property
    def options(self) -> tuple[str, ...]:
        """All options that its variants read."""
        return tuple(option for variant in self.variants.values() for option in variant.options)

    @property
    def declarations(self) -> list[tuple[str, Any]]:
        """The options that its variants declare: pairs of a name and the result of `own`."""
        return [each for variant in self.variants.values() for each in variant.own.items()]

    @property
    def own(self) -> dict[str, Any]:
        """The options that it declares: results of `own` by name."""
        return dict(self.declarations)


# ---------------------------------------------------------------------------------------- selections


DEFAULT_SCORES = 20_000
"""Exact scores per variable, plus two per variable of the data, at which a selection ends if nothing else ends it."""


@dataclass(frozen=True)
class SelectionMethod(Described):
    """A method of ``bnsl parentsets``; its module offers ``search_child`` (`stages.parentsets`)."""

    module: str
    help: str
    source: str = ""  # its publication; empty for a method of this project
    # Options that it reads: fields of `stages.parentsets.ParentSetOptions`, the input ``near``, declared options.
    options: tuple[str, ...] = ()
    # Exact scores per variable (plus two per variable of the data); 0 if the method ends by itself.
    default_evaluations: int = 0
    ends_by_size: bool = False  # whether it ends by itself if the size of sets is limited
    traces: bool = False  # whether it explores one set after the other, so that their order can be recorded
    package: str = ""  # the distribution that declares it; empty for this project
    # Options that it declares, results of `own` by name; their values are in ``own`` of the record.
    own: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(dict.fromkeys((*self.options, *self.own))))

    @property
    def declarations(self) -> list[tuple[str, Any]]:
        """The options that it declares: pairs of a name and the result of `own`."""
        return list(self.own.items())


# ----------------------------------------------------------------------------------------- discovery

Method = TypeVar("Method", SearchMethod, SelectionMethod)

_TAKEN = """
sets data treewidth tw partial start screen information max_parents save_sets proof bootstrap resample imputation
rounds require forbid allow tiers prior prior_least best_classes score ess delimiter no_header missing na not_na
discretize categories columns drop weights interventions max_states states unseen time evaluations seed jobs workers
quiet verbose log debug output format format_name json as_json stats help help_all method keep_mass time_per_variable
memory dry_run near extend shard trace resume save_every own
"""
TAKEN = frozenset(_TAKEN.split())
"""Names of options of the commands that search, and of arguments of their functions."""


def installed(group: str, main: Mapping[str, Method], known: Collection[str]) -> dict[str, Method]:
    """The methods of the main road, then the others of this project, then methods of other packages.

    `group` names the entry points: ``bnsl.searches`` or ``bnsl.selections``; `known` are the options that methods may
    read without declaring them. Entries of a package that are no methods, read an unknown option or take a used name
    are left out (`discovered`).
    """
    taken: set[str] = {*known, *TAKEN}

    def check(name: str, method: Any, present: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        kind = type(next(iter(present.values())))
        if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            raise UnusableError(f"{name!r} is no name of a method (small letters, digits, hyphens)")
        if not isinstance(method, kind):
            raise UnusableError(f"{name!r} is a {type(method).__name__}, no {kind.__name__}")
        others: dict[str, Any] = {**present, **found}
        declared: dict[str, Any] = {option: made for other in others.values() for option, made in other.own.items()}
        if name in others or name.replace("-", "_") in {*taken, *declared, *method.own}:
            raise UnusableError(f"another method or an option has the name {name!r}")
        for option, made in method.declarations:
            _check_own(option, made, {*taken, *(other.replace("-", "_") for other in others)}, declared)
            declared[option] = made
        readable = {*known, *method.own}
        needed: list[str | None] = [made.metadata["own"].needs for made in method.own.values()]
        for option in (*method.options, *filter(None, needed)):
            if option not in readable:
                raise UnusableError(f"there is no option {option!r}, which method {name!r} reads")

    return discovered(group, "methods", main, check)


def _check_own(name: str, made: Any, known: Collection[str], declared: Mapping[str, Any]) -> None:
    """Raise an error for an option of another package whose name is invalid or taken, or that `own` did not make."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UnusableError(f"{name!r} is no name of an option (small letters, digits, underscores)")
    if not isinstance(made, dataclasses.Field) or "own" not in made.metadata:
        raise UnusableError(f"the option {name!r} is not made by own(default, help)")
    # Methods of a package may share an option: the same object.
    if name in known or declared.get(name, made) is not made:
        raise UnusableError(f"another option or a method has the name {name!r}")
