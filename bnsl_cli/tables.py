"""Records as readable tables, for a terminal or ``--format table``.

rich is imported inside the functions. Tables leave out rows beyond what a reader wants to see and say so; the
machine formats have them all. On a terminal tables fit its width: names are shortened in the middle, text is folded,
numbers never are; where even that is too wide, a row becomes a few lines.
"""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from formats.wording import plural

from .printable import printable, printable_lines
from .short_names import shortened

if TYPE_CHECKING:
    from rich.table import Table

    from formats.data_records import Variable
    from formats.graph_records import ArcProbabilities
    from formats.records import EntropyTable, Forest, ParentSetRecord
    from stages.parentsets.forecast import Forecast

TERMINAL_ROWS = 60
"""Rows of a table on a terminal; with ``--format table`` or ``-o`` there are all."""
MATRIX_VARIABLES = 8
"""Up to this many variables the whole matrix of conditional entropies is shown, if it fits."""
MOST_PAIRS = 1000
"""Pairs of variables in a table at most: nobody reads a million lines."""
FILE_WIDTH = 120
TEXT_WIDTH = 8
"""Least width of a column of names or text."""
COLUMN_GAP = 3


def is_terminal(target: str) -> bool:
    """Whether what goes to `target` is read on a terminal."""
    return target == "-" and sys.stdout.isatty()


def width_of(target: str) -> int:
    """Characters in a line of a terminal, or of a file."""
    columns = shutil.get_terminal_size((FILE_WIDTH, 50)).columns if is_terminal(target) else FILE_WIDTH
    return max(columns, 2 * TEXT_WIDTH)


def fitting_names(target: str, names: Sequence[str]) -> list[str]:
    """Names as a table shows them: on a terminal at most 2/7 of its width unless it takes more to tell them apart."""
    whole = [printable(name) for name in names]
    if not is_terminal(target):
        return whole
    return shortened(whole, max(TEXT_WIDTH, width_of(target) * 2 // 7))


def write_text(target: str, *parts: Table | str) -> None:
    """Print tables and lines to a path, or to standard output (``-``) in the terminal's width and colours."""
    from rich.console import Console

    from formats.streams import open_output

    on_terminal, width = is_terminal(target), width_of(target)
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=on_terminal, highlight=False, emoji=False)
    for part in parts:
        if isinstance(part, str):
            console.print(printable(part), markup=False)
        elif least_width(part) <= width:
            console.print(part)
        else:
            console.print(stacked(part, width), markup=False)
    with open_output(target) as stream:
        for line in buffer.getvalue().splitlines():
            stream.write(line.rstrip().encode() + b"\n")


def new_table(*columns: str, title: str | None = None) -> Table:
    """A plain table; columns whose name begins with ``>`` are numbers, aligned right; ``!`` is text kept whole."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
    for name in columns:
        number = name.startswith(">")
        table.add_column(
            Text(printable_lines(name.lstrip(">!"))),
            justify="right" if number else "left",
            no_wrap=number or name.startswith("!"),
            overflow="fold",
        )
    return table


def least_width(table: Table) -> int:
    """Width below which a table would cut numbers; these columns are kept at theirs from now on."""
    total = COLUMN_GAP * (len(table.columns) - 1)
    for column in table.columns:
        if column.no_wrap:
            lines = [line for cell in column.cells for line in str(cell).splitlines()]
            column.min_width = max(map(len, [*str(column.header).splitlines(), *lines]), default=0)
        total += column.min_width or TEXT_WIDTH
    return total


def stacked(table: Table, width: int) -> str:
    """The rows of a table one below the other, a line for every cell: for terminals too narrow for it."""
    titles = [str(column.header).replace("\n", "") for column in table.columns]
    lines = []
    for first, *cells in zip(*(column.cells for column in table.columns)):
        lines.append(str(first))
        for title, cell in zip(titles[1:], map(str, cells)):
            whole = len(title) + len(cell) + 3 <= width
            indented = textwrap.indent(textwrap.fill(cell, width - 4, break_long_words=False), "    ")
            lines += [f"  {title} {cell}"] if whole else [f"  {title}", indented]
    return "\n".join(lines)


def add_rows(table: Table, rows: Iterable[Sequence[str]], limit: int | None) -> int:
    """Add rows as plain text up to `limit`, the rest is left out; returns how many were left out."""
    from rich.text import Text

    left_out = 0
    for number, row in enumerate(rows):
        if limit is None or number < limit:
            table.add_row(*(Text(printable(cell)) for cell in row))
        else:
            left_out += 1
    return left_out


def rows_shown(target: str, format_name: str | None) -> int | None:
    """How many rows a table shows: an excerpt on a terminal unless the table was asked for by name."""
    return TERMINAL_ROWS if format_name is None and target == "-" else None


def rest(left_out: int, noun: str) -> list[str]:
    """The line below a table that leaves so many rows out; none for a whole one."""
    if not left_out:
        return []
    return [
        f"... {plural(left_out, f'more {noun}')}; --format table shows all, a pipe or -o FILE has them in full"
    ]


def listed(indices: Iterable[int], names: Sequence[str]) -> str:
    """Names in one cell."""
    return ", ".join(names[index] for index in indices) or "-"


# ------------------------------------------------------------------------------------------ the stages


def show_entropies(target: str, table: EntropyTable, limit: int | None) -> None:
    """Entropies and the matrix of conditional entropies; where that is too wide, the pairs that share most."""
    n_variables = len(table.variables)
    names = fitting_names(target, [v.name for v in table.variables])
    matrix = [f">H(.|{name})" for name in names]
    room = sum(max(len(title) - 1, 6) + COLUMN_GAP for title in matrix) + max(map(len, names), default=0) + 18
    closing = f"{plural(table.rows, 'row')}; entropies in nats"
    if n_variables <= MATRIX_VARIABLES and (room <= width_of(target) or not is_terminal(target)):
        view = new_table("variable", ">states", ">H(X)", *matrix)
        for name, states, entropy, row in zip(names, table.n_states, table.entropy, table.conditional):
            add_rows(view, [[name, str(states), *(f"{value:.4f}" for value in (entropy, *row))]], None)
        write_text(target, view, closing)
        return
    view = new_table("X", "Y", ">I(X;Y)", ">H(X|Y)", ">H(Y|X)")
    shown = min(limit or MOST_PAIRS, MOST_PAIRS)
    for x, y, shared in strongest_pairs(table, shown):
        figures = shared, table.conditional[x, y], table.conditional[y, x]
        add_rows(view, [[names[x], names[y], *(f"{value:.4f}" for value in figures)]], None)
    left_out = n_variables * (n_variables - 1) // 2 - shown
    rest = [f"... {plural(left_out, 'weaker pair')}; a pipe or -o FILE has them all"] if left_out > 0 else []
    write_text(target, view, *rest, closing)


def strongest_pairs(table: EntropyTable, most: int) -> list[tuple[int, int, float]]:
    """Pairs of variables by mutual information H(X) - H(X|Y), nats: the largest first, earlier variables in ties."""
    import numpy as np

    shared = np.triu(table.entropy[:, None] - table.conditional, 1)
    shared[np.tril_indices(len(shared))] = -np.inf
    flat = shared.ravel()
    kept = np.arange(len(flat))
    if most < len(flat):
        kept = np.flatnonzero(flat >= np.partition(flat, len(flat) - most)[len(flat) - most])
    order = kept[np.argsort(-flat[kept], kind="stable")][:most].tolist()
    pairs = [(*divmod(place, len(shared)), max(0.0, float(flat[place]))) for place in order]
    return [(x, y, value) for x, y, value in pairs if x < y]


def show_arc_probabilities(target: str, table: ArcProbabilities, limit: int | None) -> None:
    """Pairs with the probability of an arc, the most probable first."""
    names = fitting_names(target, table.header.names)
    view = new_table(
        "parent", "child", ">probability", ">error", ">either", *(f">{name}" for name in table.features)
    )
    figures = [table.probability, table.standard_error, table.either]
    figures += [probability for probability, _ in table.features.values()]
    ends = zip(table.parents.tolist(), table.children.tolist())
    rows = (
        [names[parent], names[child], *(f"{values[row]:.4f}" for values in figures)]
        for row, (parent, child) in enumerate(ends)
    )
    left_out = add_rows(view, rows, limit)
    extra = table.header.extra
    closing = f"{table.probability.sum():.1f} arcs expected"
    if "prior" in extra:
        closing += f"; prior of {extra['prior']}"
    elif "networks" in extra:
        closing += f"; {plural(extra['networks'], 'network')}"
    write_text(target, view, *rest(left_out, "pair"), closing)


def show_results(
    target: str,
    columns: Mapping[str, str],
    values: Sequence[Sequence[Any]],
    format_name: str | None,
    closing: str,
) -> None:
    """A table of results, figures with six digits."""
    is_figure = [kind != "text" for kind in columns.values()]
    view = new_table(*(f">{name}" if figure else name for name, figure in zip(columns, is_figure)))
    rows = (
        [f"{cell:.6g}" if figure else cell for cell, figure in zip(row, is_figure)] for row in zip(*values)
    )
    left_out = add_rows(view, rows, rows_shown(target, format_name))
    write_text(target, view, *rest(left_out, "rows"), closing)


def show_forest(target: str, forest: Forest, limit: int | None) -> None:
    """The screened variables with the parent that determines each."""
    variables = forest.header.variables
    names = fitting_names(target, forest.header.names)
    view = new_table("screened variable", "parent")
    rows = ((names[child], names[forest.parents[child]]) for child in sorted(forest.parents))
    left_out = add_rows(view, rows, limit)
    n_screened, n_roots = len(forest.parents), len(variables) - len(forest.parents)
    write_text(
        target,
        view,
        *rest(left_out, "variable"),
        f"{n_screened} of {plural(len(variables), 'variable')} screened, {plural(n_roots, 'root')}",
    )


def show_root_curve(target: str, curve: Iterable[tuple[float, int]], n_variables: int) -> None:
    """How many roots remain at every threshold."""
    view = new_table(">eps", ">roots", ">share")
    add_rows(view, ((f"{eps:.6g}", str(n), f"{n / n_variables:.3f}") for eps, n in curve), None)
    write_text(target, view)


def show_parent_sets(
    target: str, variables: Sequence[Variable], records: Iterable[ParentSetRecord], limit: int | None
) -> None:
    """Per child the number of candidate sets and the best of them."""
    names = fitting_names(target, [v.name for v in variables])
    view = new_table("child", ">sets", ">best score", "best parents")

    def cells(record: ParentSetRecord) -> list[str]:
        note = " (fixed)" if record.fixed else ""
        return [
            names[record.child],
            f"{len(record.parents):,}",
            f"{record.scores[0]:,.2f}",
            listed(record.parents[0], names) + note,
        ]

    left_out = add_rows(view, map(cells, records), limit)
    write_text(
        target,
        view,
        *rest(left_out, "variable"),
        "Best sets need not fit together without a cycle: 'bnsl optimize' chooses among all.",
    )


def show_forecast(forecast: Forecast, jobs: int) -> None:
    """What a run of parent-set identification would take."""
    from stages.parentsets.memory import format_bytes
    from stages.runtime.reporting import duration_text

    threads = f"{jobs} threads" if jobs > 1 else "1 thread"
    if forecast.sets is None or forecast.file_bytes is None:
        most, at_most = f"{forecast.evaluations:,} at most", " at most"
        if forecast.expected is not None:
            most, at_most = f"{forecast.expected:,}, estimated from a sample; {most}", ""
        write_text(
            "-",
            f"variables {forecast.variables:,}, {forecast.searched:,} to search, all sets that nothing rules out",
            f"time      {duration_text(forecast.seconds)} with {threads}, about{at_most and ',' + at_most}",
            f"scores    {most}",
            f"memory    {format_bytes(forecast.memory_bytes)}{at_most}, besides the sets that are listed",
        )
        return
    write_text(
        "-",
        f"variables {forecast.variables:,}, {forecast.searched:,} to search (rate measured on {forecast.measured})",
        f"time      {duration_text(forecast.seconds)} with {threads}",
        f"scores    {forecast.evaluations:,}",
        f"sets      {forecast.sets:,} in a file of {format_bytes(forecast.file_bytes)}",
        f"memory    {format_bytes(forecast.memory_bytes)} at most",
    )


# ------------------------------------------------------------------------------------------ evaluation


def show_measures(target: str, records: Sequence[Mapping[str, Any]], meanings: Mapping[str, str]) -> None:
    """One network: a measure per line, with its meaning. Several: a network per line, measures as wide as fits."""
    names = [name for name in meanings if any(name in record for record in records)]
    paths = [record["network"] for record in records]
    files = ["<stdin>" if path == "-" else path.rpartition("/")[2] for path in paths]
    places = [f"#{record['index']}" if "index" in record else "" for record in records]
    files, paths = ([name + place for name, place in zip(names, places)] for names in (files, paths))
    titles = fitting_names(target, files if len(set(files)) == len(files) else paths)
    if len(records) == 1:
        view = new_table("!measure", f">{titles[0]}", "meaning")
        add_rows(view, ([name, _figure(records[0].get(name)), meanings[name]] for name in names), None)
        write_text(target, view)
        return
    columns = {name: [_figure(record.get(name)) for record in records] for name in names}
    room = width_of(target) - max(map(len, titles))
    parts: list[Table | str] = []
    for block in _blocks(columns, room):
        view = new_table("!network", *(f">{_folded(name)}" for name in block))
        add_rows(view, zip(titles, *(columns[name] for name in block)), None)
        parts += ["", view] if parts else [view]
    write_text(target, *parts)


def _folded(measure: str) -> str:
    """The name of a measure in two lines where it has parts."""
    head, line, tail = measure.rpartition("_")
    return f"{head}{line}\n{tail}" if head else measure


def _blocks(columns: Mapping[str, Sequence[str]], room: int) -> list[list[str]]:
    """Measures in blocks that fit side by side; all in one where one of them does not fit alone."""
    widths = {
        name: COLUMN_GAP + max(map(len, [*_folded(name).split("\n"), *cells]))
        for name, cells in columns.items()
    }
    if max(widths.values()) > room:
        return [list(columns)]
    blocks: list[list[str]] = []
    left = 0
    for name, width in widths.items():
        if width > left:
            blocks.append([])
            left = room
        blocks[-1].append(name)
        left -= width
    return blocks


def _figure(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show_rows(target: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same keys; truth values as yes or nothing."""
    first, *others = rows[0]
    view = new_table(f"!{first}", *others)
    shown = {True: "yes", False: ""}
    add_rows(view, ([shown[v] if isinstance(v, bool) else v for v in r.values()] for r in rows), None)
    write_text(target, view)
