"""Bayesian networks as objects: structure, claims, parameters, and questions to them.

A network is parsed once and keeps its compiled inference, so that a further question costs the answer alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

from formats.bounds import gap_in

from .options.assigned import assignments
from .results import ArcProbabilities, Result, checked_path, warn_of_claims
from .running.calls import translated_errors
from .running.errors import DataError, UsageError
from .tables import Table, imported

if TYPE_CHECKING:
    import networkx
    import pyarrow

    from formats import records
    from stages.inference.junction_trees import Engine

    from .functions.explain import ExplainOptions
    from .functions.fit import FitOptions
    from .functions.query import AnswerOptions, QueryOptions
    from .functions.sample import SampleOptions
    from .native_tables import StateValues
    from .options.option import Source

MOST_DRAWN = 200
"""Most variables of a network that a notebook draws by itself."""


class Network(Result):
    """A Bayesian network: its structure, and its parameters if it was fitted.

    >>> network = bnsl.learn({"a": [0, 1] * 99, "b": [1, 0] * 99, "c": [1, 1, 0] * 66}, seed=1, quiet=True)
    >>> network.parents("a") + network.parents("b"), network.parents("c"), network.claim
    (('b',), (), 'optimal among all networks')
    """

    record: records.NetworkRecord
    json_lines = "network"

    def __init__(
        self,
        record: records.NetworkRecord,
        *,
        undirected: Sequence[tuple[int, int]] | None = None,
        values: Mapping[str, StateValues] | None = None,
        strengths: ArcProbabilities | None = None,
        figures: Mapping[str, Any] | None = None,
    ):
        super().__init__(record, figures)
        self.undirected = undirected  # of an essential graph, of whose class this is a network; smaller index first
        self.values = values or {}  # of states in the table that the parameters come from, by variable
        self.strengths = strengths  # of all pairs, of a consensus

    @property
    def is_class(self) -> bool:
        """Whether the network was read from an essential graph, and so stands for its equivalence class."""
        return self.undirected is not None

    # ------------------------------------------------------------------------------------ structure

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.record.header.names

    @property
    def states(self) -> dict[str, tuple[str, ...] | None]:
        """The states of each variable, in their order; None where they are unknown."""
        listed = self.record.header.variables if self.model is None else self.model.variables
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

    def around(self, variable: str | Sequence[str], steps: int = 1) -> Network:
        """The part of the network that is within `steps` arcs of a variable, or of several."""
        from stages.graphs.orientation import with_shown_directions
        from stages.graphs.subgraphs import cut_network, cut_parameters, neighbourhood

        names = variable if isinstance(variable, (list, tuple, set)) else [variable]
        kept = neighbourhood(self.record.parents, [self._index(name) for name in names], steps)
        model = self.model
        part = None if model is None else cut_parameters(model, kept)
        # The whole decides the directions, not the part.
        structure = cut_network(with_shown_directions(self.record, None), kept)
        return Network(replace(structure, parameters=part), values=self.values)

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

    def class_members(self, draw: int | None = None, seed: int | None = None) -> list[Network]:
        """All networks of the equivalence class if they are at most 10,000, or `draw` of them.

        Networks are drawn at random with equal probabilities. Raises `UsageError`: not such numbers.
        """
        from .conversions.class_members import ALL, members_of
        from .options.option import Option
        from .options.values import SEED, Whole
        from .running.function import taken

        wanted = ALL if draw is None else taken(Option(keyword="draw", kind=Whole(1)), draw)
        seed = None if seed is None else taken(Option(keyword="seed", kind=SEED), seed)
        return [Network(member) for member in members_of(self.record, self.undirected, wanted, seed)]

    def compare(self, other: Network | str | os.PathLike[str]) -> dict[str, Any]:
        """Measures of the distance from another network of the same variables.

        They are structural Hamming distances, and the numbers of arcs found and missed.
        """
        measures = self.evaluate(reference=other, no_treewidth=True)
        return {key: value for key, value in measures.items() if "shd" in key or key.startswith("drawn_")}

    # --------------------------------------------------------------------------------------- claims

    @property
    def score(self) -> float | None:
        """The sum of the local scores in nats; None if it is unknown."""
        return self.record.header.extra.get("total")

    @property
    def gap(self) -> float | None:
        """The upper bound minus the score, in nats; None if there is no bound.

        `claim` says for which networks the bound holds.
        """
        return gap_in(self.record.header.extra)

    @property
    def claim(self) -> str | None:
        """What is proved about the score, in words; None if there is no bound."""
        from .facts import gap_text

        return gap_text(self.record)

    @property
    def interrupted(self) -> bool:
        """Whether an interruption ended the search."""
        return bool(self.record.header.extra.get("interrupted"))

    # ----------------------------------------------------------------------- parameters and questions

    @property
    def model(self) -> records.Parameters | None:
        """The record of the parameters; None if the network has none."""
        return self.record.parameters

    @cached_property
    def engine(self) -> Engine:
        """Exact inference in this network, compiled once.

        Raises `DataError`: the network has no parameters.
        """
        from stages.inference.junction_trees import Engine

        return Engine(self._fitted(), self.record.certified_order)

    def _fitted(self) -> records.Parameters:
        if self.model is None:
            raise DataError("the network has no parameters; fit(data) estimates them")
        return self.model

    def cpt(self, variable: str) -> Table:
        """The conditional probability table of a variable.

        A row has the states of the parents, the state of the variable, and its `probability`.
        """
        import numpy as np
        import pyarrow

        from formats.tables.arrow_arrays import array_of, text_array

        model, child = self._fitted(), self._index(variable)
        axes = [model.variables[v] for v in (*model.parents[child], child)]
        table = model.tables[child]
        codes = np.indices(table.shape, dtype=np.int32).reshape(len(axes), -1)
        cells = [
            pyarrow.DictionaryArray.from_arrays(array_of(c), text_array(v.known_states)) for c, v in zip(codes, axes)
        ]
        return Table(pyarrow.table([*cells, array_of(table.ravel())], names=[*(v.name for v in axes), "probability"]))

    def fit(self, data: Source, **options: Unpack[FitOptions]) -> Network:
        """This network with parameters from a table. It takes the options of `bnsl.fit`."""
        import bnsl

        return bnsl.fit(self, data, **options)

    def query(self, evidence: Mapping[str, Any] | None = None, **options: Unpack[QueryOptions]) -> Table:
        """Distributions given evidence, or answers to other questions. It takes the options of `bnsl.query`."""
        import bnsl

        options.setdefault("quiet", True)
        return bnsl.query(self, {} if evidence is None else evidence, **options)

    def do(self, states: Mapping[str, Any]) -> Network:
        """The network after variables are set to states from outside. Arcs into these variables are cut.

        >>> rain = bnsl.learn({"rain": [0, 1] * 20, "wet": [0, 1] * 20}, quiet=True, smoothing=1).do({"rain": 1})
        >>> rain.query(variables=["rain"]).to_pylist()[1]
        {'variable': 'rain', 'state': '1', 'probability': 1.0}
        """
        from formats.graphs.structures import network_of
        from formats.tables.assignments import parse_assignments
        from stages.inference.intervened_networks import intervened

        model = self._fitted()
        with translated_errors():
            fixed = parse_assignments(assignments(states), model.variables)
            return Network(network_of(intervened(model, fixed)), values=self.values)

    def predict(self, table: Source, column: str, **options: Unpack[AnswerOptions]) -> Table:
        """The most probable state of a column in each row of a table, given the row's other cells.

        A row of the result has this state, the probability of each state (``P(column=state)``), and the logarithm of
        the probability of the row's cells. It takes the options of `bnsl.query` that ask no question.
        """
        return self.query(table=table, predict=[column], **options)

    def impute(
        self, table: Source, how: Literal["best", "drawn"] = "best", **options: Unpack[AnswerOptions]
    ) -> Table:
        """The table with its missing cells filled.

        With ``best``, cells get the states that are most probable together; with ``drawn``, states that are drawn
        given the observed cells. Columns keep their types. It takes the options of `bnsl.query` that ask no question.
        """
        return self.query(table=table, fill=how, **options)

    def sample(self, rows: int, **options: Unpack[SampleOptions]) -> Table:
        """Rows drawn from the network. It takes the options of `bnsl.sample`."""
        import bnsl

        options.setdefault("quiet", True)
        return bnsl.sample(self, rows=rows, **options)

    def evaluate(self, **options: Any) -> dict[str, Any]:
        """The measures of the network. It takes the options of `bnsl.evaluate`."""
        import bnsl

        options.setdefault("quiet", True)
        [measures] = bnsl.evaluate(self, **options)
        return measures

    def explain(self, data: Source, **options: Unpack[ExplainOptions]) -> Table:
        """For each arc, what the score loses without it; with `target`, what drives this variable.

        It takes the options of `bnsl.explain`.
        """
        import bnsl

        options.setdefault("quiet", True)
        return bnsl.explain(self, data=data, **options)

    # ----------------------------------------------------------------------------------- other forms

    def to_arrow(self) -> pyarrow.Table:
        """A table with a row for each arc: `from`, `to`, and what is known about the arc."""
        from formats.graphs.arc_tables import arc_table
        from stages.graphs.orientation import with_shown_directions

        return arc_table(with_shown_directions(self.record, None))

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for networkx.

        Nodes have `states`. Arcs have what is known about them, such as `strength`.
        """
        graph = imported("networkx").DiGraph()
        graph.add_nodes_from((name, {"states": states}) for name, states in self.states.items())
        graph.add_edges_from((row.pop("from"), row.pop("to"), row) for row in self.to_arrow().to_pylist())
        return graph

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> Network:
        """The network of a directed acyclic graph of networkx. Its nodes may have `states`."""
        from formats.data_records import Variable
        from formats.graphs.structures import network_from_parents

        names = [str(node) for node in graph.nodes]
        index = {node: position for position, node in enumerate(graph.nodes)}
        variables = tuple(
            Variable(name, None if graph.nodes[node].get("states") is None else tuple(graph.nodes[node]["states"]))
            for name, node in zip(names, graph.nodes)
        )
        parents = [tuple(sorted(index[parent] for parent in graph.predecessors(node))) for node in graph.nodes]
        with translated_errors():
            return cls(network_from_parents(variables, parents))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """The network in a file of any format, with its parameters if the file has them."""
        from formats import open_network

        with translated_errors():
            return cls(open_network(checked_path(path), warn=warn_of_claims))

    def _repr_svg_(self) -> str | None:
        import bnsl

        return str(bnsl.convert(self, to="svg", quiet=True)) if len(self.variables) <= MOST_DRAWN else None

    def __repr__(self) -> str:
        from .facts import network_facts

        return f"<Network: {network_facts(self.record)}>"
