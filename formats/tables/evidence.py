"""Evidence: states of some variables, from NAME=STATE or from a table with holes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import Inconsistent
from ..records import Variable
from .columns import listed
from .labels import UNKNOWN, code_known_states


def find_variable(name: str, variables: Sequence[Variable]) -> int:
    """The index of a variable.

    Raises
    ------
    Inconsistent
        There is none of that name.
    """
    names = [variable.name for variable in variables]
    if name in names:
        return names.index(name)
    close = difflib.get_close_matches(name, names, n=1)
    raise Inconsistent(
        f"the network has no variable {name!r}", remedy=f"did you mean {close[0]!r}?" if close else None
    )


def parse_assignments(texts: Iterable[str], variables: Sequence[Variable]) -> dict[int, int]:
    """Codes of observed states, by variable, from texts NAME=STATE; numbers match as in tables.

    Raises
    ------
    Inconsistent
        No such variable or state; a variable twice, with different states.
    """
    import pyarrow

    found: dict[int, int] = {}
    for text in texts:
        variable, label = _split(text, variables)
        states = variables[variable].known_states
        labels = pyarrow.array([label.strip()], pyarrow.string())
        code = int(code_known_states(labels, states, np.zeros(1, dtype=bool))[0])
        if code == UNKNOWN:
            raise Inconsistent(
                f"{label!r} is none of the states {listed(map(repr, states))}",
                column=variables[variable].name,
            )
        if found.setdefault(variable, code) != code:
            raise Inconsistent("two different states are given", column=variables[variable].name)
    return found


def _split(text: str, variables: Sequence[Variable]) -> tuple[int, str]:
    """Variable and label; a name may have an equals sign itself."""
    names = {variable.name: index for index, variable in enumerate(variables)}
    places = [place for place, letter in enumerate(text) if letter == "="]
    for place in places:
        name = text[:place].strip()
        if name in names:
            return names[name], text[place + 1 :]
    if not places:
        raise Inconsistent(f"{text!r} is not NAME=STATE")
    return find_variable(text[: places[0]].strip(), variables), ""
