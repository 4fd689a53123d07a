"""The structure of a network: variables, arcs, what decides their directions, the equivalence class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .results import Result
from .running.errors import UsageError

if TYPE_CHECKING:
    import networkx
    import pyarrow

    from formats import records


class Structure(Result):
    """Variables and arcs; `Network` adds claims, parameters and questions."""

    record: records.NetworkRecord
    json_lines = "network"

    def __init__(
        self,
        record: records.NetworkRecord,
        figures: Mapping[str, Any] | None = None,
        undirected: Sequence[tuple[int, int]] | None = None,
    ):
        super().__init__(record, figures)
        self.undirected = undirected  # of an essential graph, of whose class this is a network; smaller index first

    @property
    def is_class(self) -> bool:
        """Whether the network was read from an essential graph, and so stands for its equivalence class."""
        return self.undirected is not None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.record.header.names

    @property
    def states(self) -> dict[str, tuple[str, ...] | None]:
        """The states of each variable, in their order; None where they are unknown."""
        model = self.record.parameters
        listed = self.record.header.variables if model is None else model.variables
        return {variable.name: variable.states for variable in listed}

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The parent and the child of each arc, sorted by child."""
        return [self._named(arc) for arc in self._arcs]

    @cached_property
    def _arcs(self) -> list[tuple[int, int]]:
        return [(parent, child) for child, parents in enumerate(self.record.parents) for parent in parents]

    def _named(self, arc: tuple[int, int]) -> tuple[str, str]:
        return self.variables[arc[0]], self.variables[arc[1]]

    def _index(self, variable: Any) -> int:
        """The position of a variable. A number is a name, too: columns of pandas may have numbers as names.

        Raises `UsageError`: no variable has this name.
        """
        try:
            return self.variables.index(str(variable))
        except ValueError:
            from difflib import get_close_matches

            close = get_close_matches(str(variable), self.variables, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UsageError(f"the network has no variable {variable!r}.{hint}") from None

    def _names(self, variables: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.variables[v] for v in sorted(variables))

    def parents(self, variable: str) -> tuple[str, ...]:
        """The names of the parents of a variable."""
        return self._names(self.record.parents[self._index(variable)])

    def children(self, variable: str) -> tuple[str, ...]:
        """The names of the children of a variable."""
        parent = self._index(variable)
        return self._names(child for child, parents in enumerate(self.record.parents) if parent in parents)

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """The names of a variable's parents, its children, and the other parents of its children.

        Given these, the variable is independent of all others.
        """
        from stages.graphs.subgraphs import markov_blanket

        centre = self._index(variable)
        return self._names(markov_blanket(self.record.parents, [centre]) - {centre})

    @cached_property
    def directions(self) -> dict[tuple[str, str], str]:
        """What decides the direction of each arc: ``data``, ``knowledge``, or ``neither``.

        ``neither`` means that an equivalent network has the reverse arc. In a consensus, each arc has what decides
        its direction in most of the networks that join the pair, and ``neither`` if the reverse arc is as strong.
        """
        from stages.graphs.orientation import class_directions, network_directions

        decided = network_directions(self.record) or class_directions(self.record)
        return {self._named(arc): decided[arc] for arc in self._arcs}

    def cpdag(self) -> dict[str, list[tuple[str, str]]]:
        """The essential graph: ``arcs`` that all networks of the class share, and undirected ``edges``.

        Knowledge and interventions that the network was learnt with limit the class.
        """
        from stages.graphs.orientation import class_directions

        decided = class_directions(self.record)
        arcs = [self._named(arc) for arc in self._arcs if decided[arc] != "neither"]
        return {"arcs": arcs, "edges": [self._named(arc) for arc in self._arcs if decided[arc] == "neither"]}

    @cached_property
    def class_size(self) -> int:
        """The number of networks in the equivalence class.

        Knowledge and interventions that the network was learnt with limit the class.
        """
        from .conversions.class_members import class_of

        return class_of(self.record, self.undirected).size

    def to_arrow(self) -> pyarrow.Table:
        """A table with a row for each arc: `from`, `to`, and what is known about the arc."""
        from formats.graphs.arc_tables import arc_table
        from stages.graphs.orientation import with_shown_directions

        return arc_table(with_shown_directions(self.record, None))

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for networkx.

        Nodes have `states`. Arcs have what is known about them, such as `strength`.
        """
        from .conversions.other_packages import networkx_graph

        return networkx_graph(self.states, self.to_arrow())
