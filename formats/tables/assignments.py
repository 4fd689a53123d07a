"""States of single variables, from texts such as NAME=STATE."""

# Imported where needed, since loading takes time: labels
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from ..data_records import Variable
from ..errors import Inconsistent
from ..graphs.arc_files import splits
from ..wording import listed

_MIDNIGHT = " 00:00:00"


def find_variable(name: str, variables: Sequence[Variable]) -> int:
    """The index of a variable; an `Inconsistent` if none has this name."""
    names = [variable.name for variable in variables]
    if name in names:
        return names.index(name)
    close = get_close_matches(name, names, n=1)
    remedy = f"did you mean {close[0]!r}?" if close else f"its variables are {listed(map(repr, names))}"
    raise Inconsistent(f"the network has no variable {name!r}", remedy=remedy)


def parse_assignments(texts: Iterable[str], variables: Sequence[Variable]) -> dict[int, int]:
    """Codes of observed states, by variable, from texts NAME=STATE; numbers match as in tables.

    Raises `Inconsistent`: no such variable or state; a variable twice, with different states.
    """
    found: dict[int, int] = {}
    index = {variable.name: position for position, variable in enumerate(variables)}
    for text in texts:
        variable, label = _split(text, index, variables)
        code = _code_of(label, variables[variable])
        if found.setdefault(variable, code) != code:
            raise Inconsistent(f"two different states of {variables[variable].name!r} are given")
    return found


def _code_of(label: str, variable: Variable) -> int:
    """The code of a state; numbers match as in tables, and a day is its midnight."""
    states = variable.known_states
    for spelled in (label, label + _MIDNIGHT, label.removesuffix(_MIDNIGHT)):
        if spelled in states:
            return states.index(spelled)
    from .labels import UNKNOWN, code_of_text

    code = code_of_text(variable.name, label, states)
    if code == UNKNOWN:
        raise Inconsistent(f"{label!r} is none of the states of {variable.name!r}: {listed(map(repr, states))}")
    return code


def _split(text: str, index: Mapping[str, int], variables: Sequence[Variable]) -> tuple[int, str]:
    """Variable and label; a name may contain an equals sign itself."""
    pairs = [(name, label) for _, name, label in splits(text, "=")]
    for name, label in pairs:
        if name in index:
            return index[name], label
    if not pairs:
        raise Inconsistent(f"{text!r} is not NAME=STATE")
    return find_variable(pairs[0][0], variables), ""
