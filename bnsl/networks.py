"""Bayesian networks as objects: structure, claims, parameters, and questions to them.

A network is parsed once and keeps its compiled inference, so that a further question costs the answer alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

from formats.bounds import gap_in

from .options.assigned import assignments
from .results import ArcProbabilities, Picture, checked_path, trace_table, warn_of_claims, with_facts
from .running.calls import translated_errors
from .running.errors import DataError
from .structures import Structure
from .tables import Table

if TYPE_CHECKING:
    import networkx
    import pyagrum
    from pgmpy.models import DiscreteBayesianNetwork

    from formats import records
    from stages.inference.junction_trees import Engine

    from .conversions.selection import PartOptions
    from .functions.explain import ExplainOptions
    from .functions.fit import FitOptions
    from .functions.query import AnswerOptions, QueryOptions
    from .functions.sample import SampleOptions
    from .native_tables import StateValues
    from .options.option import Source


class Network(Structure):
    """A Bayesian network: its structure, and its parameters if it was fitted.

    >>> network = bnsl.learn({"a": [0, 1] * 99, "b": [1, 0] * 99, "c": [1, 1, 0] * 66}, seed=1, quiet=True)
    >>> network.parents("a") + network.parents("b"), network.parents("c"), network.claim
    (('b',), (), 'optimal among all networks')
    """

    def __init__(
        self,
        record: records.NetworkRecord,
        *,
        undirected: Sequence[tuple[int, int]] | None = None,
        values: Mapping[str, StateValues] | None = None,
        strengths: ArcProbabilities | None = None,
        figures: Mapping[str, Any] | None = None,
    ):
        super().__init__(record, figures, undirected)
        self.values = values or {}  # of states in the table that the parameters come from, by variable
        self.strengths = strengths  # of all pairs, of a consensus

    # ------------------------------------------------------------------------------------ structure

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
    def trace(self) -> Table | None:
        """The search over time: `seconds`, the best `score` in nats, work done; None if the network came without one.

        `gap` is the upper bound minus the score, in nats, where the search knew a bound; `gap_to` names the
        networks that the bound holds for.
        """
        entries = self.figures.get("trace")
        return Table(trace_table(self.record.header, entries, self.figures, self.claim)) if entries else None

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
        found = pyarrow.table([*cells, array_of(table.ravel())], names=[*(v.name for v in axes), "probability"])
        return Table(with_facts(found, {"family_of": axes[-1].name}))

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

    def plot(self, compare: Source = None, **options: Unpack[PartOptions]) -> Picture:
        """The picture of the network as text in SVG, which a notebook shows; or of the differences from `compare`.

        It takes the options of `bnsl.convert` about parts and boxes.
        """
        import bnsl

        return Picture(bnsl.convert(self, to="svg", compare=compare, quiet=True, **options))

    def to_pgmpy(self) -> DiscreteBayesianNetwork:
        """The network for pgmpy, with its parameters if it has them."""
        from .conversions.other_packages import pgmpy_network

        return pgmpy_network(self.record)

    def to_pyagrum(self) -> pyagrum.BayesNet:
        """The network for pyAgrum, with its parameters if it has them, else with zeros.

        Raises `DataError`: states are unknown.
        """
        from .conversions.other_packages import pyagrum_network

        return pyagrum_network(self.record)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> Network:
        """The network of a directed acyclic graph of networkx. Its nodes may have `states`."""
        from .conversions.other_packages import network_of_networkx

        with translated_errors():
            return cls(network_of_networkx(graph))

    @classmethod
    def from_pgmpy(cls, model: networkx.DiGraph) -> Network:
        """The network of a directed graph of pgmpy, with parameters if each variable has its table there."""
        from .conversions.other_packages import network_of_pgmpy

        with translated_errors():
            return cls(network_of_pgmpy(model))

    @classmethod
    def from_pyagrum(cls, model: pyagrum.BayesNet) -> Network:
        """The network of a `BayesNet` of pyAgrum, with parameters unless all tables there are zero."""
        from .conversions.other_packages import network_of_pyagrum

        with translated_errors():
            return cls(network_of_pyagrum(model))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """The network in a file of any format, with its parameters if the file has them."""
        from formats import open_network

        with translated_errors():
            return cls(open_network(checked_path(path), warn=warn_of_claims))

    def _repr_html_(self) -> str:
        import bnsl

        from .notebook_html import network_html

        return network_html(self.record, self.to_arrow(), lambda: str(bnsl.convert(self, to="svg", quiet=True)))

    def __repr__(self) -> str:
        from .facts import told_facts

        return f"<Network: {told_facts(self.record)}>"
