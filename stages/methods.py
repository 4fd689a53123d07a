"""How methods and their own options are described: what the tables of `stages.optimize` and `stages.parentsets`
are made of.

A method's own options are fields of the options record made by `own`. The command line derives from them its
options, their help and what it refuses, and the record of a run in the header of its result.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OwnOption:
    """How an option of some methods is given.

    Attributes
    ----------
    help : str
        A sentence; which methods take the option is added to it.
    metavar : str or None
        Name of the value in the help; choices need none.
    choices : tuple of str
        The values there are, if they are words.
    least, most : int or float or None
        Limits of a number; an integer as `least` means whole numbers.
    needs : str or None
        Another field without which this one means nothing.
    section : str or None
        Section of the help page, where it is not told by the methods that take the option.
    """

    help: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    needs: str | None = None
    section: str | None = None


def own(default: Any, help: str, **given: Any) -> Any:
    """A field of an options record that is an option of some methods; `given` as in `OwnOption`."""
    return dataclasses.field(default=default, metadata={"own": OwnOption(help, **given)})


def own_options(record: type) -> dict[str, OwnOption]:
    """The fields of an options record that were made by `own`."""
    return {field.name: field.metadata["own"] for field in dataclasses.fields(record) if field.metadata}
