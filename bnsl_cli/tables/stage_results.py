"""Results of the stages as readable tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from formats.wording import plural

from . import layout
from .sheets import VARIABLES, Sheet, SheetColumn, write_csv, write_sheet

if TYPE_CHECKING:
    from rich.table import Table

    from bnsl.functions.screen import RootCurve
    from bnsl.options.shared import Target
    from formats.data_records import Variable
    from formats.graph_records import ArcProbabilityTable
    from formats.records import EntropyTable, ParentSetRecord, ScreeningForest
    from stages.parentsets.forecast import Forecast

MATRIX_VARIABLES = 8
"""Most variables for which the whole matrix of conditional entropies is shown, if it fits."""
MOST_PAIRS = 1000
"""Most pairs of variables in a table."""


def show_entropies(target: str, table: EntropyTable, limit: int | None) -> None:
    """Entropies and the matrix of conditional entropies; if that is too wide, the pairs with most information."""
    n_variables = len(table.variables)
    names = layout.fitting_names(target, [v.name for v in table.variables])
    matrix = [f">H(.|{name})" for name in names]
    available = (
        sum(max(len(title) - 1, 6) + layout.COLUMN_GAP for title in matrix) + max(map(len, names), default=0) + 18
    )
    closing = f"{plural(table.rows, 'row')}; entropies in nats"
    if n_variables <= MATRIX_VARIABLES and (available <= layout.width_of(target) or not layout.is_terminal(target)):
        view = layout.new_table("variable", ">states", ">H(X)", *matrix)
        for name, states, entropy, row in zip(names, table.n_states, table.entropy, table.conditional):
            layout.add_rows(view, [[name, str(states), *(f"{value:.4f}" for value in (entropy, *row))]], None)
        layout.write_text(target, view, closing)
        return
    view = layout.new_table("X", "Y", ">I(X;Y)", ">H(X|Y)", ">H(Y|X)")
    shown = min(limit or MOST_PAIRS, MOST_PAIRS)
    for x, y, shared in strongest_pairs(table, shown):
        figures = shared, table.conditional[x, y], table.conditional[y, x]
        layout.add_rows(view, [[names[x], names[y], *(f"{value:.4f}" for value in figures)]], None)
    omitted = n_variables * (n_variables - 1) // 2 - shown
    more = [f"... {plural(omitted, 'weaker pair')}; a pipe or -o FILE has them all"] if omitted > 0 else []
    layout.write_text(target, view, *more, closing)


def strongest_pairs(table: EntropyTable, most: int) -> list[tuple[int, int, float]]:
    """Pairs of variables by mutual information H(X) - H(X|Y), nats: the largest first, earlier variables in ties."""
    import numpy as np

    shared = np.triu(np.maximum(table.entropy[:, None] - table.conditional, 0.0), 1)
    shared[np.tril_indices(len(shared))] = -np.inf
    flat = shared.ravel()
    kept = np.arange(len(flat))
    if most < len(flat):
        kept = np.flatnonzero(flat >= np.partition(flat, len(flat) - most)[len(flat) - most])
    order = kept[np.argsort(-flat[kept], kind="stable")][:most].tolist()
    pairs = [(*divmod(place, len(shared)), float(flat[place])) for place in order]
    return [(x, y, value) for x, y, value in pairs if x < y]


def show_arc_probabilities(target: str, table: ArcProbabilityTable, limit: int | None) -> None:
    """Pairs with the probability of an arc, the most probable first."""
    names = layout.fitting_names(target, table.header.names)
    view = layout.new_table(
        "parent",
        "child",
        *(["direction"] if table.directions else []),
        ">probability",
        ">error",
        ">either",
        *(f">{name}" for name in table.features),
    )
    figures = [table.probability, table.standard_error, table.either]
    figures += [probability for probability, _ in table.features.values()]
    ends = zip(table.parents.tolist(), table.children.tolist())
    rows = (
        [names[parent], names[child], *table.directions[row : row + 1], *(f"{values[row]:.4f}" for values in figures)]
        for row, (parent, child) in enumerate(ends)
    )
    extra = table.header.extra
    closing = f"{table.probability.sum():.1f} arcs expected"
    if "prior" in extra:
        closing += f"; prior of {extra['prior']}"
    elif "networks" in extra:
        closing += f"; {plural(extra['networks'], 'network')}"
    layout.write_table(target, view, rows, limit, "pair", closing)


def show_results(
    target: str,
    columns: Mapping[str, str],
    values: Sequence[Sequence[Any]],
    limit: int | None,
    closing: str,
    titles: Mapping[str, str] | None = None,
    spare: Collection[str] = (),
) -> None:
    """A table of results, figures with six digits; with short `titles` of columns, with four decimals. `spare`
    columns are left out where the table would be too wide for the lines.
    """
    shape = ".6g" if titles is None else ".4f"

    def shown(cell: Any, kind: str) -> str:
        if cell is None or (titles is not None and cell != cell):
            return ""
        return f"{cell:{shape}}" if kind == "figure" else str(cell)

    cells = [[shown(cell, kind) for cell in column] for kind, column in zip(columns.values(), values)]

    def view_of(names: Sequence[str]) -> Table:
        titled = ((titles or {}).get(name, name) for name in names)
        return layout.new_table(*(t if columns[n] == "text" else f">{t}" for n, t in zip(names, titled)))

    names = list(columns)
    if spare:
        trial = view_of(names)
        layout.add_rows(trial, zip(*cells), limit)
        if layout.least_width(trial) > layout.width_of(target):
            names = [name for name in names if name not in spare]
    chosen = (column for name, column in zip(columns, cells) if name in names)
    layout.write_table(target, view_of(names), zip(*chosen), limit, "row", closing)


def show_forest(target: Target, forest: ScreeningForest) -> None:
    """The screened variables with the parents that determine each."""
    several = any(len(members) > 1 for members in forest.parents.values())
    columns = [
        SheetColumn("screened variable", "child", VARIABLES),
        SheetColumn("parents" if several else "parent", "parents", VARIABLES),
    ]
    rows = ((child, tuple(members)) for child, members in sorted(forest.parents.items()))
    n_variables = len(forest.header.variables)
    n_screened, n_roots = len(forest.parents), n_variables - len(forest.parents)
    closing = f"{n_screened} of {plural(n_variables, 'variable')} screened, {plural(n_roots, 'root')}"
    write_sheet(target, Sheet(columns, rows, "variable", forest.header.names, [closing]))


def show_root_curve(target: Target, curve: RootCurve) -> None:
    """The number of roots at every threshold, in nats."""
    columns = [
        SheetColumn("eps", "eps", ".6g"),
        SheetColumn("roots", "roots", ",d"),
        SheetColumn("share", "share", ".3f"),
    ]
    rows = ((point["eps"], point["roots"], point["roots"] / curve.n_variables) for point in curve)
    write_sheet(target, Sheet(columns, rows, "threshold"))


def show_parent_sets(target: Target, variables: Sequence[Variable], records: Iterable[ParentSetRecord]) -> None:
    """The number of candidate sets of each child, and the best of them."""
    found = [
        (record.child, len(record.parents), float(record.scores[0]), tuple(record.parents[0]), record.fixed)
        for record in records
    ]
    columns = [
        SheetColumn("child", "child", VARIABLES),
        SheetColumn("sets", "sets", ",d"),
        SheetColumn("best score", "best_score", ",.2f"),
        SheetColumn("best parents", "best_parents", VARIABLES),
    ]
    if any(is_fixed for *_, is_fixed in found):
        columns.append(SheetColumn("prescribed", "fixed"))
    rows = ((*cells, "yes" if is_fixed else "")[: len(columns)] for *cells, is_fixed in found)
    closing = "Best sets need not fit together without a cycle: 'bnsl optimize' chooses among all."
    write_sheet(target, Sheet(columns, rows, "variable", [v.name for v in variables], [closing]))


def show_forecast(target: str, forecast: Forecast, jobs: int) -> None:
    """The forecast of a run of parent-set identification."""
    from stages.runtime.memory import format_bytes
    from stages.runtime.reporting import duration_text

    threads = f"{jobs} threads" if jobs > 1 else "1 thread"
    searched = f"variables {forecast.variables:,}, {forecast.searched:,} to search"
    time, memory = duration_text(forecast.seconds), format_bytes(forecast.memory_bytes)
    if forecast.sets is not None and forecast.file_bytes is not None:
        layout.write_text(
            target,
            f"{searched} (rate measured on {forecast.measured})",
            f"time      {time} with {threads}",
            f"scores    {forecast.evaluations:,}",
            f"sets      {forecast.sets:,} in a file of {format_bytes(forecast.file_bytes)}",
            f"memory    {memory} at most",
        )
        return
    most, at_most = f"{forecast.evaluations:,} at most", " at most"
    if forecast.expected is not None:
        most, at_most = f"{forecast.expected:,}, estimated from a sample; {most}", ""
    layout.write_text(
        target,
        f"{searched}, all sets that nothing rules out",
        f"time      {time} with {threads}, about{at_most and ',' + at_most}",
        f"scores    {most}",
        f"memory    {memory}{at_most}, besides the sets that are listed",
    )


def show_rows(target: Target, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same keys; booleans as ``yes`` or an empty cell."""
    shown = {True: "yes", False: ""}
    cells = [[shown[v] if isinstance(v, bool) else v for v in row.values()] for row in rows]
    if target.format == "csv":
        write_csv(target.output, list(rows[0]), cells)
        return
    first, *others = rows[0]
    view = layout.new_table(f"!{first}", *others)
    layout.add_rows(view, cells, None)
    layout.write_text(target.output, view)
