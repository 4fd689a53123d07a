"""Evidence in the format of the UAI competitions: the number of observed variables, then pairs of variable and state.

Variables and states are numbers from 0. Files of the competitions before 2014 begin with the number of sets of
evidence; such a file is read if it holds one set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ..data_records import Variable
from ..errors import FormatError, Inconsistent, Malformed
from ..textlines import as_lines


def open_uai_evidence(source: str, variables: Sequence[Variable]) -> dict[int, int]:
    """Codes of observed states, by variable.

    Raises `FormatError`: the file has other things than numbers; no such variable or state; a variable twice, with
    different states; several sets of evidence.
    """
    lines = as_lines(source)
    words = [(word, number) for number, line in enumerate(lines.text().split("\n"), 1) for word in line.split()]

    def fail(message: str, at: int, kind: type[FormatError] = Malformed, remedy: str | None = None) -> NoReturn:
        raise kind(message, source=lines.source, line=at, remedy=remedy)

    for word, at in words:
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            fail(f"expected a whole number, got {word[:40]!r}", at)
    numbers = [int(word) for word, _ in words]
    if len(numbers) != 1 + 2 * sum(numbers[:1]) and numbers[:1] == [1] and len(numbers) == 2 + 2 * sum(numbers[1:2]):
        words, numbers = words[1:], numbers[1:]  # one set of evidence, as before 2014
    if numbers and len(numbers) != 1 + 2 * numbers[0]:
        message = f"{numbers[0]} observed variables need {2 * numbers[0]} numbers, and {len(numbers) - 1} follow"
        fail(message, words[0][1], remedy="a file of several sets of evidence is to be split: a file for each")
    found: dict[int, int] = {}
    for place in range(1, len(numbers), 2):
        (variable, state), at = numbers[place : place + 2], words[place][1]
        if variable >= len(variables):
            fail(f"the network has no variable {variable}: it has {len(variables)}, counted from 0", at, Inconsistent)
        name, states = variables[variable].name, variables[variable].known_states
        if state >= len(states):
            fail(f"{name} has no state {state}: it has {len(states)}, counted from 0", at, Inconsistent)
        if found.setdefault(variable, state) != state:
            fail(f"two different states of {name} are given", at, Inconsistent)
    return found
