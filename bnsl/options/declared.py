"""Declaration of options, each at one place: as fields of records that several functions share, or as parameters of
one function.

::

    @dataclass(frozen=True)
    class BudgetOptions:
        time: float | None = option("Stop after this time.", DURATION)

    @function
    def search(
        data: Any = argument("DATA"),
        *,
        limits: BudgetOptions = record(BudgetOptions, "Budget"),
        seed: int | None = parameter("Seed of the random choices.", SEED, "N"),
        run: Run,
    ) -> Network: ...

An option is named after its field: ``keep_mass`` is the keyword in Python, ``--keep-mass`` the spelling of the shell.
`names` gives other spellings; the longest is the keyword.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .values import FLAG, INPUT, TEXT


@dataclass(eq=False, repr=False)
class Option:
    """An option, or an argument if it is `positional`."""

    field: str  # name of its value in the program
    help: str = ""
    kind: Any = TEXT  # type of the value, see `values`
    metavar: str | None = None
    names: tuple[str, ...] = ()  # spellings of the shell; by default made from the field
    default: Any = None
    is_required: bool = False
    is_several: bool = False  # may be repeated; the value is a tuple
    is_count: bool = False  # a flag that counts
    positional: bool = False
    section: str = "Run"  # of the help page
    show_default: bool | None = None  # None: shown if there is a default
    is_joined: bool = False  # the values of all repetitions are one tuple
    is_standard_input: bool = False  # an argument that defaults to standard input
    nargs: int = 1  # number of values per use

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its spellings on the command line; for an argument its metavar."""
        if self.positional:
            return ((self.metavar or self.field.upper()).strip("[]."),)
        return self.names or (f"--{self.field.replace('_', '-')}",)

    @property
    def called(self) -> str:
        """The name in messages: the first spelling, or the metavar of an argument."""
        spelling = self.spellings[0]
        return spelling if self.is_required or not self.positional else f"[{spelling}]"

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value on a command line."""
        return self.kind is FLAG

    @property
    def annotation(self) -> str:
        """The type of its value in a signature."""
        of_one = self.kind.annotation
        if self.nargs > 1:
            of_one = f"tuple[{', '.join([of_one] * self.nargs)}]"
        if self.is_several and not self.is_joined:
            of_one = f"{of_one} | Iterable[{of_one}]"
        return f"{of_one} | None" if self.default is None and not self.is_required else of_one


def option(
    help: str = "",
    kind: Any = TEXT,
    metavar: str | None = None,
    *,
    names: tuple[str, ...] = (),
    absent: Any = dataclasses.MISSING,
    **settings: Any,
) -> Any:
    """A field of a record that is an option.

    - `absent`: value of the field in functions without the option (`without` of `record`).
    - `settings`: further fields of `Option`: `default`, `is_several`, `section`, ...
    """
    declared = {"help": help, "kind": kind, "metavar": metavar, "names": names, **settings}
    return dataclasses.field(default=absent, metadata={"option": _settled(declared)})


def _settled(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the default that their kind implies."""
    settled = dict(declared)
    if settled.get("kind") is FLAG:
        settled.setdefault("default", False)
    if settled.get("is_several"):
        settled.setdefault("default", ())
    return settled


@dataclass(eq=False, repr=False)
class Declared:
    """Options of a function whose values together make one of its arguments."""

    make: Callable[[dict[str, Any]], Any]
    options: tuple[Option, ...]
    check: Callable[[Any, Any], None] | None = None  # refuses combinations; gets the run and the argument


def record(
    of: type,
    section: str = "Run",
    *,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    without: Collection[str] = (),
    check: Callable[[Any, Any], None] | None = None,
) -> Any:
    """The options of a record; the argument gets their values as one `of`.

    - `section`: section of the help page for options that name none.
    - `changes`: by field, settings of its option that differ in this function.
    - `without`: fields whose options the function lacks.
    - `check`: refuses combinations of values; gets the run and the record.
    """
    options = tuple(
        Option(
            field.name,
            **_settled({"section": section, **field.metadata["option"], **(changes or {}).get(field.name, {})}),
        )
        for field in dataclasses.fields(of)
        if field.name not in without
    )
    return Declared(lambda values: of(**values), options, check)


def defaults(of: type) -> Any:
    """The record with the default of every option."""
    return of(**{option.field: option.default for option in record(of).options})


def single(of: type, name: str, **changes: Any) -> Any:
    """The option of one field of a record, for an argument of this name; `changes` are settings that differ."""
    (declared,) = (field.metadata["option"] for field in dataclasses.fields(of) if field.name == name)
    return parameter(**{**declared, **changes})


def parameter(help: str = "", kind: Any = TEXT, metavar: str | None = None, **settings: Any) -> Any:
    """An option of one function, the value of its argument; `settings` as in `option`."""
    declared = _settled({"help": help, "kind": kind, "metavar": metavar, **settings})
    return lambda name: Declared(_only, (Option(name, **declared),))


def argument(metavar: str, kind: Any = INPUT, **settings: Any) -> Any:
    """An input by position; with ``is_standard_input`` it may be left out where standard input is read."""
    return parameter(kind=kind, metavar=metavar, positional=True, **settings)


def _only(values: dict[str, Any]) -> Any:
    (value,) = values.values()
    return value


def declared_of(defaults: Mapping[str, Any]) -> Iterator[tuple[str, Declared]]:
    """The declarations among the defaults of a function's arguments."""
    for name, value in defaults.items():
        if isinstance(value, Declared):
            yield name, value
        elif callable(value):
            yield name, value(name)
