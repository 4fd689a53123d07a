"""Records of options: each field of a record declares an option, and `packed` adds all of them to a command.

::

    @dataclass(frozen=True)
    class BudgetOptions:
        time: float | None = option_field("Stop after this time.", DURATION)

    @packed("limits", BudgetOptions, section="Budget")
    def command(limits: BudgetOptions): ...

An option is named after its field (``--keep-mass`` for `keep_mass`) unless the field gives other names.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any

import click

from .stage_command import Decorator, option


def option_field(
    help: str = "",
    kind: click.ParamType | None = None,
    metavar: str | None = None,
    *,
    names: tuple[str, ...] = (),
    absent: Any = dataclasses.MISSING,
    **settings: Any,
) -> Any:
    """A field of a record that is an option.

    - `kind`: type of the value.
    - `names`: spellings of the option; by default that of the field.
    - `absent`: value of the field in commands without the option (`without` of `packed`).
    - `settings`: further arguments of `option`: `default`, `is_flag`, `multiple`, `section`, ...
    """
    declared = {"help": help, "type": kind, "metavar": metavar, "names": names, **settings}
    return dataclasses.field(default=absent, metadata={"option": declared})


def packed(
    parameter: str,
    record: type,
    section: str = "Run",
    *,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    without: Collection[str] = (),
    check: Callable[[click.Context, Any], None] | None = None,
) -> Decorator:
    """Add the options of a record and pass their values to the callback as one `record`, its argument `parameter`.

    - `section`: section of the help page for options that name none.
    - `changes`: by field, settings of its option that differ in this command.
    - `without`: fields whose options the command does not have.
    - `check`: refuses combinations of values.
    """
    declared = {
        field.name: {"section": section, **field.metadata["option"], **(changes or {}).get(field.name, {})}
        for field in dataclasses.fields(record)
        if field.name not in without
    }
    return collected(parameter, record, declared, check)


def collected(
    parameter: str,
    make: Callable[..., Any],
    declared: dict[str, dict[str, Any]],
    check: Callable[[click.Context, Any], None] | None = None,
) -> Decorator:
    """Add options, declared by name, and pass ``make(**values)`` to the callback as its argument `parameter`."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def callback(*args: Any, **values: Any) -> Any:
            values[parameter] = make(**{name: values.pop(name) for name in declared})
            if check is not None:
                check(click.get_current_context(), values[parameter])
            return function(*args, **values)

        decorated: Callable = callback
        # Decorators apply from the last to the first.
        for name, settings in reversed(declared.items()):
            decorated = _added(name, **settings)(decorated)
        return decorated

    return decorate


def single(record: type, name: str, **changes: Any) -> Decorator:
    """Add the option of one field of a record, for callbacks with an argument of this name; `changes` of settings."""
    declared = {field.name: field.metadata["option"] for field in dataclasses.fields(record)}
    return _added(name, **declared[name] | changes)


def _added(name: str, names: tuple[str, ...] = (), **settings: Any) -> Decorator:
    return option(*(names or (f"--{name.replace('_', '-')}",)), name, **settings)
