"""Results of functions: parent sets, screening forests, probabilities of arcs. `networks` has networks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from formats.wording import plural, type_of

from .tables import imported

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.axes import Axes

    from formats import graph_records, records

T = TypeVar("T", covariant=True)


def checked_path(path: Any) -> str:
    """A path as text; raises `UsageError` for anything else."""
    from .options.values import path_text
    from .running.errors import UsageError

    try:
        return path_text(path)
    except ValueError as error:
        raise UsageError(f"path={path!r}: {error}.") from None


class Deliverable(ABC, Generic[T]):
    """A result that the command line writes in its own way, part by part if it is large.

    Programs in Python get what `for_python` returns.
    """

    @abstractmethod
    def for_python(self) -> T:
        """The object that a program in Python gets."""


class Result:
    """A result of a function. Functions take it in place of a file, and other programs take it as a table."""

    json_lines: str | None = None  # the target of `bnsl.convert` with its JSON lines

    def __init__(self, record: Any, figures: Mapping[str, Any] | None = None):
        self.record = record
        self.figures = {} if figures is None else dict(figures)  # of the run that made it

    def save(self, path: str | os.PathLike[str], to: str | None = None) -> None:
        """Write the result to a file, in the format `to` of `bnsl.convert`, or that of the file's name.

        A name in .jsonl means JSON lines.
        """
        import bnsl
        from formats.registry import named_formats

        target = checked_path(path)
        is_lines = target.endswith(".jsonl") and not named_formats(target)
        bnsl.convert(self, to=to or (self.json_lines if is_lines else None), output=target, quiet=True)

    def to_arrow(self) -> pyarrow.Table:
        """The result as an Arrow table."""
        raise TypeError(f"{type_of(self)} is no table")

    def to_pandas(self) -> Any:
        """The result as a data frame of pandas."""
        imported("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The result as a data frame of Polars."""
        return imported("polars").from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


class ParentSets(Result):
    """Candidate parent sets with their local scores."""

    record: records.ParentSetTable
    json_lines = "parentsets"

    def to_arrow(self) -> pyarrow.Table:
        """A table with a row for each set: `child`, `parents`, and the local `score` in nats.

        The sets of a child are sorted by falling score.
        """
        import numpy as np
        import pyarrow

        from formats.tables.arrow_arrays import array_of, text_array

        found = self.record
        names = text_array(found.header.names)
        children = names.take(array_of(np.repeat(np.arange(len(names)), np.diff(found.set_offsets))))
        members = names.take(array_of(found.parents))
        parents = pyarrow.LargeListArray.from_arrays(array_of(found.parent_offsets), members)
        return pyarrow.table({"child": children, "parents": parents, "score": array_of(found.scores)})

    def __repr__(self) -> str:
        return f"<ParentSets: {self.record.n_sets:,} sets of {self.record.n_variables:,} variables>"


class Forest(Result):
    """A screening forest: a variable that another variable nearly determines has it as its parent."""

    record: records.ScreeningForest

    def save(self, path: str | os.PathLike[str]) -> None:  # type: ignore[override] # there is one format of forests
        """Write the forest to a file of JSON lines."""
        from formats import write_forest

        from .files.output_formats import output_format
        from .running.calls import translated_errors

        with translated_errors():
            target = checked_path(path)
            output_format("screen", target, "forest")
            write_forest(target, self.record)

    def __repr__(self) -> str:
        n_screened, n_variables = len(self.record.parents), self.record.header.n_variables
        return f"<Forest: {n_screened:,} of {plural(n_variables, 'variable')} screened>"

    def to_arrow(self) -> pyarrow.Table:
        """A table with a row for each arc into a screened variable: `parent`, `child`."""
        import pyarrow

        from formats.tables.arrow_arrays import text_array

        names = self.record.header.names
        arcs = [(parent, child) for child, members in sorted(self.record.parents.items()) for parent in members]
        ends = [text_array([names[arc[end]] for arc in arcs]) for end in (0, 1)]
        return pyarrow.table(ends, names=["parent", "child"])


class ArcProbabilities(Result):
    """Probabilities of arcs, the most probable first.

    `patterns` has a dict for each pattern that was asked for.
    """

    record: graph_records.ArcProbabilityTable

    def __init__(
        self,
        record: graph_records.ArcProbabilityTable,
        patterns: Sequence[Any] = (),
        figures: Mapping[str, Any] | None = None,
    ):
        super().__init__(record, figures)
        self.patterns = [{**found._asdict()} for found in patterns]

    def save(self, path: str | os.PathLike[str], to: str | None = None) -> None:
        """Write the table to a file whose name means Arrow, Parquet or CSV. Other names get the consensus network, in
        the format `to` if it is given.
        """
        from formats import write_arc_probabilities
        from formats.registry import named_formats

        from .files.output_formats import WRITTEN
        from .running.calls import translated_errors

        target = checked_path(path)
        offered = [row.target for row in named_formats(target) if row.target in WRITTEN["posterior"]]
        if to is not None or not offered:
            super().save(path, to)
            return
        with translated_errors():
            write_arc_probabilities(target, self.record, offered[0])

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Draw the probabilities by matplotlib.

        - `ax`: the axes to draw on; None for a new figure.
        - `kind`: ``heat-map``; or ``strengths``, the distribution of the strengths of pairs with the threshold of
          the consensus, which is drawn by default where there is one.

        Raises `UsageError`: there is no such plot; `ImportError`: matplotlib is not installed.
        """
        from .plots import plot

        return plot(self.plotted, ax, kind)

    @property
    def plotted(self) -> list[pyarrow.Table]:
        """The table with the facts that plots need."""
        known = {name: self.figures[name] for name in ("threshold",) if name in self.figures}
        return [with_facts(self.to_arrow(), {"variables": self.record.header.names, **known})]

    def to_arrow(self) -> pyarrow.Table:
        """A table with a row for each pair: `parent`, `child`, `probability`, and further figures."""
        from formats.tables.results.arc_probabilities import probability_table

        return probability_table(self.record)

    def __repr__(self) -> str:
        return f"<ArcProbabilities: {len(self.record.header.names):,} variables>"


def with_facts(table: pyarrow.Table, facts: Mapping[str, Any]) -> pyarrow.Table:
    """The table with these facts in its metadata, as in files of our own."""
    from formats.tables.results.result_tables import METADATA_KEY

    from .files.recording import json_text

    return table.replace_schema_metadata({METADATA_KEY: json_text(facts).encode()})


def trace_table(
    header: records.Header, entries: Sequence[Mapping[str, Any]], figures: Mapping[str, Any], claim: str | None
) -> pyarrow.Table:
    """The entries of the trace of a search, with the facts that its plot needs; the gaps are one column."""
    import pyarrow

    from formats.bounds import bound_in

    gaps = [next((name for name in entry if name.startswith("gap")), "") for entry in entries]
    names = dict.fromkeys(name for entry in entries for name in entry if name not in gaps)
    columns = {name: [entry.get(name) for entry in entries] for name in names}
    columns["gap"] = [entry.get(name) for entry, name in zip(entries, gaps)]
    columns["gap_to"] = [name.removeprefix("gap_to_").replace("_", " ") or None for name in gaps]
    bound = bound_in(header.extra)
    facts = {"score": header.score, "seconds": figures["seconds"], "claim": claim}
    return with_facts(pyarrow.table(columns), facts | ({} if bound is None else {"bound": bound.value}))


class Picture(str):
    """A picture in SVG, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)


class Measures(dict[str, Any]):
    """The measures of one network, or of a table of arc strengths, by name."""

    def plot(self, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Draw predictions of a target, or the calibration of strengths, by matplotlib.

        - `ax`: the axes to draw on; None for a new figure. Measures of several networks may share axes.
        - `kind`: ``roc`` or ``precision-recall``, which need ``curve=True``, ``calibration``, or
          ``strength-calibration``; None for the first of these that the measures have.

        Raises `UsageError`: there is no such plot; `ImportError`: matplotlib is not installed.
        """
        from .plots import plot

        return plot(self.plotted, ax, kind)

    @property
    def plotted(self) -> list[pyarrow.Table]:
        """The measures that are lists of rows, as tables, each with the other measures as its facts."""
        import pyarrow

        facts = {
            name: value for name, value in self.items() if name == "target_states" or not isinstance(value, list)
        }
        rows = [value for value in self.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        return [with_facts(pyarrow.Table.from_pylist(each), facts) for each in rows]


def warn_of_claims(message: str) -> None:
    """Warn the caller of claims in a file that are ignored."""
    import warnings

    from .running.wording import in_python

    warnings.warn(in_python(message), stacklevel=2)
