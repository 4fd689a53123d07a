"""Results of commands as small objects over what was written, which stays in memory byte by byte."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from formats.detection import HEAD_SIZE, detect
from formats.kinds import Kind
from formats.registry import formats_of, named_formats
from formats.schemas import ARC_PROBABILITIES, FOREST, NETWORK, PARENT_SETS
from formats.streams import MemoryFile, open_output, read_bytes

from .calls import call, translated_errors

if TYPE_CHECKING:
    import networkx
    import pyarrow

    from formats import records


class Result:
    """A file in memory, which functions take where the command line takes a file."""

    def __init__(self, file: MemoryFile):
        self._file = file

    def file_for(self, reader: str) -> MemoryFile:
        """The file that a command reads, or from which a format is written."""
        return self._file

    def save(self, path: str | os.PathLike) -> None:
        """Write to a file, in the format that its name gives: as the command writes it, or converted."""
        target = os.fspath(path)
        named = [row.target for row in named_formats(target)] or [""]
        file = self.file_for(named[0])
        if detect(file.content[:HEAD_SIZE]).target not in named:
            call("convert", [file], {"output": target})
            return
        with open_output(target) as stream:
            stream.write(file.content)

    def to_arrow(self) -> pyarrow.Table:
        """The result as an Arrow table."""
        import pyarrow

        return pyarrow.ipc.open_stream(self._file.content).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


class ParentSets(Result):
    """Candidate parent sets with their local scores."""

    @cached_property
    def record(self) -> records.ParentSetTable:
        """The sets as arrays."""
        from formats import open_parent_sets

        return open_parent_sets(self._file)

    def to_arrow(self) -> pyarrow.Table:
        """One row per set, the best of each child first: `child`, `parents`, local `score` in nats."""
        import numpy as np
        import pyarrow

        found = self.record
        names = pyarrow.array(found.header.names)
        children = names.take(np.repeat(np.arange(len(names)), np.diff(found.set_offsets)))
        parents = pyarrow.LargeListArray.from_arrays(found.parent_offsets, names.take(found.parents))
        return pyarrow.table({"child": children, "parents": parents, "score": found.scores})

    def __repr__(self) -> str:
        return f"<ParentSets: {self.record.n_sets:,} sets of {self.record.n_variables:,} variables>"


class Forest(Result):
    """A screening forest: variables that another one nearly determines, and this one as their parent."""

    def to_arrow(self) -> pyarrow.Table:
        """One row per screened variable: `parent`, `child`."""
        import pyarrow

        from formats import open_forest

        found = open_forest(self._file)
        names = pyarrow.array(found.header.names)
        children = sorted(found.parents)
        parents = [found.parents[child] for child in children]
        ends = (names.take(pyarrow.array(end, pyarrow.int32())) for end in (parents, children))
        return pyarrow.table(list(ends), names=["parent", "child"])


class ArcProbabilities(Result):
    """Probabilities of arcs, the most probable first."""


MOST_DRAWN = 200
"""Most variables of a network that a notebook draws by itself."""


class Network(Result):
    """A Bayesian network: its structure, and its parameters if it was fitted.

    >>> network = bnsl.learn({"a": [0, 1] * 99, "b": [1, 0] * 99, "c": [1, 1, 0] * 66}, seed=1, quiet=True)
    >>> network.parents("a") + network.parents("b"), network.parents("c"), network.claim
    (('b',), (), 'optimal (to rounding) among all networks')
    """

    def __init__(self, file: MemoryFile, parameters: MemoryFile | None = None):
        super().__init__(file)
        self._parameters = parameters

    @classmethod
    def read(cls, path: str | os.PathLike) -> Network:
        """The network in a file of any format, with its parameters if it holds them."""
        with translated_errors():
            file = MemoryFile(os.fspath(path), read_bytes(os.fspath(path)))
        return cls(file, file if detect(file.content[:HEAD_SIZE]).kind is Kind.PARAMETERS else None)

    def file_for(self, reader: str) -> MemoryFile:
        takers = {"query", "sample", "evaluate", *(row.target for row in formats_of(Kind.PARAMETERS))}
        return self._parameters if self._parameters and reader in takers else self._file

    @cached_property
    def record(self) -> records.Network:
        """The structure with its header."""
        from formats import open_network

        with translated_errors():
            return open_network(self._file)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.record.header.names

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Parent and child of each arc, by child."""
        names = self.variables
        return [(names[parent], child) for child, family in zip(names, self.record.parents) for parent in family]

    def parents(self, variable: str) -> tuple[str, ...]:
        """Names of the parents of a variable; a `DataError` if there is none of this name."""
        from formats.tables.evidence import find_variable

        with translated_errors():
            child = find_variable(str(variable), self.record.header.variables)
        return tuple(self.variables[parent] for parent in self.record.parents[child])

    @property
    def score(self) -> float | None:
        """Sum of the local scores in nats; None where unknown."""
        return self.record.header.extra.get("total")

    @property
    def gap(self) -> float | None:
        """Upper bound less score, in nats; `claim` says among which networks. None where there is no bound."""
        return self.record.header.extra.get("gap")

    @property
    def claim(self) -> str | None:
        """What is proved about the score, in words; None where there is no bound."""
        from bnsl_cli.tables.networks import gap_text

        return None if self.gap is None or self.score is None else gap_text(self.record)

    @property
    def interrupted(self) -> bool:
        """Whether an interruption ended the search."""
        return bool(self.record.header.extra.get("interrupted"))

    @cached_property
    def probabilities(self) -> dict[str, pyarrow.Table]:
        """For each variable a table: states of its parents, its own, their `probability`."""
        import numpy as np
        import pyarrow

        from formats import open_bayesian_network

        with translated_errors():
            model = open_bayesian_network(self._parameters or self._file)
        found = {}
        for child, (family, table) in enumerate(zip(model.parents, model.tables)):
            axes = [model.variables[v] for v in (*family, child)]
            codes = np.indices(table.shape, dtype=np.int32).reshape(len(axes), -1)
            cells = [pyarrow.DictionaryArray.from_arrays(c, v.known_states) for c, v in zip(codes, axes)]
            names = [*(v.name for v in axes), "probability"]
            found[names[-2]] = pyarrow.table([*cells, table.ravel()], names=names)
        return found

    def predict(self, table: Any, column: str, **options: Any) -> pyarrow.Table:
        """The most probable state of a column in each row of a table, given the row's other cells.

        The result has this state, the probability of each state (``P(column=state)``), and the logarithm of the
        probability of the row. Options are those of `query`.
        """
        found = call("query", [self], {"table": table, "predict": [column], "quiet": True} | options)
        return Result(found or MemoryFile(column)).to_arrow()

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for networkx; nodes have their `states`, arcs what is known of them, such as `strength`."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from((v.name, {"states": v.states}) for v in self.record.header.variables)
        graph.add_edges_from((row.pop("from"), row.pop("to"), row) for row in self.to_arrow().to_pylist())
        return graph

    def to_arrow(self) -> pyarrow.Table:
        """One row per arc: `from`, `to`, and what is known of it."""
        target = MemoryFile("arcs.arrows")
        call("convert", [self], {"to": "arcs", "output": target, "quiet": True})
        return Result(target).to_arrow()

    def _repr_svg_(self) -> str | None:
        is_drawn = len(self.variables) <= MOST_DRAWN
        drawn = call("convert", [self], {"to": "svg", "quiet": True}) if is_drawn else None
        return drawn and drawn.content.decode()

    def __repr__(self) -> str:
        from bnsl_cli.tables.networks import network_facts

        return f"<Network: {network_facts(self.record)}>"


def object_of(file: MemoryFile | None) -> Any:
    """The object of a file.

    Returns
    -------
    Network, ParentSets, Forest, ArcProbabilities
        Of files of our own.
    pyarrow.Table
        Of any other Arrow stream.
    list of dict
        Of JSON lines.
    str or bytes
        Of all else; None if there is no file.
    """
    if file is None:
        return None
    found = detect(file.content[:HEAD_SIZE])
    of_lines = {NETWORK.name: Network, PARENT_SETS.name: ParentSets, FOREST.name: Forest}
    if found.name in of_lines:
        return of_lines[found.name](file)
    if found.name == "arrow":
        from formats.tables.results.result_tables import is_own

        table = Result(file).to_arrow()
        return ArcProbabilities(file) if is_own(table.schema, ARC_PROBABILITIES.name) else table
    if found.name == "json":
        import orjson

        return [orjson.loads(line) for line in file.content.splitlines()]
    return file.content if found.magic or found.kind is Kind.UNKNOWN else file.content.decode()


def networks_of(file: MemoryFile | None) -> list[Network] | None:
    """The networks of a stream, each with its own bytes; None if there is no file."""
    if file is None:
        return None
    mark = b'{"format":'
    parts = (b"\n" + file.content).split(b"\n" + mark)[1:]
    return [Network(MemoryFile("<network>", mark + part.removesuffix(b"\n") + b"\n")) for part in parts]
