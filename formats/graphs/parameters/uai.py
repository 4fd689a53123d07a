"""Networks with parameters in the format of the UAI competitions, read and written.

The format has numbers only: variables become ``X0``, ``X1``, ..., their states ``0``, ``1``, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...data_records import MAX_STATES, Variable
from ...errors import Inconsistent
from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..parameter_tables import FamilyTables, failing


def are_numbers(variables: Sequence[Variable]) -> bool:
    """Whether variables and states have the names that readers of the format give them."""
    return all(
        variable == Variable(f"X{index}", tuple(map(str, range(len(variable.known_states)))))
        for index, variable in enumerate(variables)
    )


def uai_text(model: Parameters) -> str:
    """A network in UAI's format; numbers are the shortest decimals that read back equal."""
    n_variables = len(model.variables)
    sizes = [str(len(variable.known_states)) for variable in model.variables]
    rows = ["BAYES", str(n_variables), " ".join(sizes), str(n_variables)]
    for child, parents in enumerate(model.parents):
        rows.append(" ".join(map(str, (len(parents) + 1, *parents, child))))
    for table in model.tables:
        rows += ["", str(table.size)]
        rows += [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
    return "\n".join(rows) + "\n"


class _Numbers:
    """The words of a file without its comments, each with its line."""

    def __init__(self, lines: Lines):
        self.fail = failing(lines)
        self.words: list[tuple[str, int]] = []
        for number, line in enumerate(lines.text().split("\n"), 1):
            self.words += [(word, number) for word in line.partition("#")[0].split()]
        self.next = 0
        at = self.line
        if (found := self.take(1)[0]) != "BAYES":
            self.fail(f"expected BAYES, got {found[:40]}", at)

    @property
    def line(self) -> int:
        """Line of the next word."""
        return self.words[min(self.next, len(self.words) - 1)][1] if self.words else 1

    def take(self, count: int) -> list[str]:
        """The next words."""
        if self.next + count > len(self.words):
            self.fail("the file ends early", self.line)
        self.next += count
        return [word for word, _ in self.words[self.next - count : self.next]]

    def count(self, most: int) -> int:
        """The next word, which must be a number up to `most`."""
        at = self.line
        word = self.take(1)[0]
        if not (word.isascii() and word.isdigit() and len(word) < 19 and int(word) <= most):
            self.fail(f"expected a whole number up to {most}, got {word[:40]!r}", at)
        return int(word)

    def end(self) -> None:
        """Refuse further words."""
        if self.next < len(self.words):
            self.fail("more numbers than the tables need", self.line)


def read_uai(lines: Lines) -> NetworkRecord:
    """Read a UAI network of kind BAYES: each function is the table of its last variable given the ones before it."""
    numbers = _Numbers(lines)
    families = FamilyTables(numbers.fail)
    for variable, at in _variables(numbers):
        families.add_variable(variable.name, variable.name, variable.known_states, at)
    n_variables = len(families.variables)
    if numbers.count(n_variables) != n_variables:
        numbers.fail(f"{n_variables} variables, but another number of tables", numbers.line, Inconsistent)
    scopes = [
        [f"X{numbers.count(n_variables - 1)}" for _ in range(numbers.count(n_variables))] for _ in range(n_variables)
    ]
    for scope in scopes:
        at = numbers.line
        families.add_table(scope, numbers.take(numbers.count(len(numbers.words))), at)
    numbers.end()
    return families.network()


def _variables(numbers: _Numbers) -> Iterator[tuple[Variable, int]]:
    """The variables from their number and their sizes, each with its line."""
    # No more than the number of words in the file, so an absurd number allocates nothing.
    for index in range(numbers.count(len(numbers.words))):
        at = numbers.line
        if not (size := numbers.count(MAX_STATES)):
            numbers.fail(f"variable {index} has no states", at, Inconsistent)
        yield Variable(f"X{index}", tuple(map(str, range(size)))), at
