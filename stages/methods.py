"""Descriptions of methods and of their own options, and the discovery of installed methods.

A method's own options are fields of the options record made by `own`. The command line derives from them its options,
their help, its refusals, and the record of a run in the header of its result.

Methods outside the main road are found by entry points (`installed`): ``bnsl.searches`` names dictionaries
of `SearchMethod` for ``bnsl optimize``, ``bnsl.selections`` of `SelectionMethod` for ``bnsl parentsets``. Methods of
this project's `stages.published` and of other packages are declared alike; ``examples/plugin`` is such a package. One
of another package that cannot be used is left out with a `PlugInWarning`; a failure of its search
is named by `stages.runtime.plug_ins`.
"""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, TypeVar


@dataclass(frozen=True)
class OwnOption:
    """A command-line option of some methods."""

    help: str  # a sentence; the methods that take the option are added to it
    metavar: str | None = None  # name of the value in the help; choices need none
    choices: tuple[str, ...] = ()  # the possible values, if they are words
    # `least`, `most`: limits of a number; an integer as `least` means whole numbers.
    least: float | None = None
    most: float | None = None
    is_open: bool = False  # whether the limits themselves are excluded
    needs: str | None = None  # another field that must be given, too
    section: str | None = None  # section of the help page; by default that of the methods that take the option


def own(default: Any, help: str, **given: Any) -> Any:
    """A field of an options record that is an option of some methods; `given` as in `OwnOption`."""
    return dataclasses.field(default=default, metadata={"own": OwnOption(help, **given)})


def own_options(record: type) -> dict[str, OwnOption]:
    """The fields of an options record that were made by `own`."""
    return {field.name: field.metadata["own"] for field in dataclasses.fields(record) if field.metadata}


# ------------------------------------------------------------------------------------------ searches

ON_SETS = ("sets", "partial")
"""Options of all searches among listed sets."""

ON_DATA = ("score", "ess", "max_parents", "start", "screen", "workers")
"""Options of all searches on data; workers are for replicates of it."""

RESTARTED = ("restarts", "start", "workers")
"""Options of searches whose restarts are independent of one another."""


class Task(NamedTuple):
    """The kind of a search: on data or among listed sets; under a treewidth bound or not."""

    on_data: bool = False
    bounded: bool = False


SETS, SETS_TW = Task(), Task(bounded=True)
DATA, DATA_TW = Task(on_data=True), Task(on_data=True, bounded=True)


@dataclass(frozen=True)
class Variant:
    """A method's module for one kind of task, and the options that it reads in addition to the common ones.

    Options are fields of `stages.optimize.OptimizeOptions`, or inputs and outputs that the command line opens:
    ``sets``, ``partial``, ``start``, ``screen``, ``information``, ``save_sets``, ``proof``, ``workers``.
    """

    module: str
    options: tuple[str, ...]


def on_sets(module: str, *options: str) -> Variant:
    """A module that offers ``search`` among listed sets (`stages.optimize.result`)."""
    return Variant(module, (*ON_SETS, *options))


def on_data(module: str, *options: str) -> Variant:
    """A module that offers ``search_data`` (`stages.optimize.result`)."""
    return Variant(module, (*ON_DATA, *options))


class Described:
    """A method with a line of help and the publication it is from."""

    help: str
    source: str
    package: str

    @property
    def about(self) -> str:
        """The help with the source."""
        return f"{self.help} ({self.source})" if self.source else self.help


@dataclass(frozen=True)
class SearchMethod(Described):
    """A method of ``bnsl optimize``: its family, help, variants by task, and publication."""

    family: str
    help: str
    variants: Mapping[Task, Variant]
    source: str = ""
    package: str = ""  # the distribution that declares it; empty for this one

    @property
    def options(self) -> tuple[str, ...]:
        """All that its variants read."""
        return tuple(option for variant in self.variants.values() for option in variant.options)


# ---------------------------------------------------------------------------------------- selections


@dataclass(frozen=True)
class SelectionMethod(Described):
    """A method of ``bnsl parentsets``; its module offers ``search_child`` (`stages.parentsets`)."""

    module: str
    help: str
    source: str = ""  # its publication; empty for a method of this project
    # Its own options: fields of `stages.parentsets.ParentSetOptions`, or the input ``near``.
    options: tuple[str, ...] = ()
    # Exact scores per variable (plus two per variable of the data); 0 if the method ends by itself.
    default_evaluations: int = 0
    ends_by_size: bool = False  # whether it ends by itself if the size of sets is limited
    traces: bool = False  # whether it explores one set after the other, so that their order can be recorded
    package: str = ""  # the distribution that declares it; empty for this one


# ----------------------------------------------------------------------------------------- discovery

Method = TypeVar("Method", SearchMethod, SelectionMethod)

OURS = "bnsl-cli"
"""The distribution of this project."""


class PlugInWarning(UserWarning):
    """Methods of another package are left out."""


class _Unusable(ValueError):
    """What is wrong with a declaration, in the words of the warning."""


def installed(group: str, main: Mapping[str, Method], known: Collection[str]) -> dict[str, Method]:
    """The methods of the main road, then the others of this project, then those of other packages.

    `group` names the entry points: ``bnsl.searches`` or ``bnsl.selections``; `known` are the options that methods may
    read. Entry points of other packages that do not load, or declare what is no method, an unknown option or a name
    that is taken, are left out as a whole, each with a `PlugInWarning`.
    """
    methods = dict(main)
    points = sorted(entry_points(group=group), key=lambda point: (_package_of(point) != OURS, point.name))
    for point in points:
        package = _package_of(point)
        if package == OURS:
            methods |= point.load()
            continue
        try:
            methods |= _declared(point, package, methods, known)
        except (Exception, SystemExit) as error:
            reason = str(error) if isinstance(error, _Unusable) else f"{type(error).__name__}: {error}"
            warnings.warn(
                f"the methods of the package {package} are left out: its entry point {point.name!r} of {group} "
                f"({point.value}) cannot be used: {reason}; remove the package, or have it mended",
                PlugInWarning,
                stacklevel=2,
            )
    return methods


def _package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(without a name)"


def _declared(
    point: EntryPoint, package: str, present: Mapping[str, Method], known: Collection[str]
) -> dict[str, Method]:
    """The methods of another package's entry point; raises whatever shows that they cannot be used."""
    kinds = tuple({type(method) for method in present.values()})
    found = {}
    for name, method in dict(point.load()).items():
        if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            raise _Unusable(f"{name!r} is no name of a method (small letters, digits, hyphens)")
        if not isinstance(method, kinds):
            raise _Unusable(f"{name!r} is a {type(method).__name__}, no {kinds[0].__name__}")
        if name in present or name.replace("-", "_") in known:
            raise _Unusable(f"another method or an option has the name {name!r}")
        unknown = sorted(set(method.options) - set(known))
        if unknown:
            raise _Unusable(f"there is no option {unknown[0]!r}, which method {name!r} reads")
        found[name] = dataclasses.replace(method, package=package)
    return found
