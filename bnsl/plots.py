"""Plots of results, drawn by matplotlib: `PLOTS` maps what a table holds to what is drawn.

A table is one of Arrow; its metadata holds facts about it, as in files of our own. Networks are pictures of our own
(`conversions.pictures`), not plots.
"""

# Imported where needed, since loading takes time: matplotlib
from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from formats.wording import plural, printable

from .running.errors import RunError, UsageError

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.axes import Axes

PICTURES = ("svg", "pdf", "png")
"""Formats of plots in files."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of lines; told apart also by colour-blind people (Okabe and Ito 2008)."""
DASHES = ("-", "--", "-.", ":")
SHADES = "cividis"
"""The colour map of probabilities and states: its lightness falls or rises steadily."""
BLUE = COLOURS[0]
MOST_ROWS = 400
"""Largest number of rows of a table that are drawn as bars or intervals; the plot says if there are more."""
MOST_FIGURES = 12
"""Largest number of variables of a heat map that shows its probabilities as text."""
LABEL_LENGTH = 28

Columns = Mapping[str, Sequence[Any]]
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Plot:
    """One way to draw a table, which has these columns, and these facts in its metadata.

    - `width`: of a plot with a line for each row, inches; None for others.
    """

    columns: tuple[str, ...]
    draw: Callable[[Axes, Columns, Facts], None]
    facts: tuple[str, ...] = ()
    width: float | None = None

    def size(self, table: pyarrow.Table) -> tuple[float, float]:
        """Width and height for the rows of a table, inches."""
        if self.width is not None:
            return self.width, 1.5 + 0.22 * min(len(table), MOST_ROWS)
        side = max(5.0, min(16.0, 2.2 + 0.3 * math.isqrt(len(table))))
        return (side, side) if self.draw is _heat_map else (5.6, 4.2)

    def fits(self, table: pyarrow.Table) -> bool:
        """Whether the table holds what is drawn."""
        from formats.tables.results.result_tables import own_header

        return set(self.columns) <= set(table.column_names) and set(self.facts) <= own_header(table).keys()


# ------------------------------------------------------------------------------------- where to draw


def plot(tables: Sequence[pyarrow.Table], ax: Axes | None = None, kind: str | None = None) -> Axes:
    """Draw the first of the tables that has a plot, or a plot of this kind, and return its axes.

    - `ax`: axes of matplotlib to draw on; None for a new figure of pyplot.

    Raises `UsageError`: there is no such plot, or `ax` is no axes; `ImportError`: matplotlib is not installed.
    """
    from formats.tables.results.result_tables import own_header

    if ax is not None and not hasattr(ax, "set_yticks"):
        raise UsageError(f"ax={ax!r} is no axes of matplotlib; a file is written by plot().figure.savefig(NAME)")
    found = plots_of(tables)
    if not found or kind not in (None, *found):
        asked = "" if kind is None else f"kind={kind!r}: "
        own = f"it has {', '.join(found)}" if found else "no plot takes its columns (bnsl help plots lists the plots)"
        raise UsageError(f"{asked}nothing to draw: {own}")
    table, way = found[kind or next(iter(found))]
    if ax is None:
        require_matplotlib(ImportError)
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=way.size(table), layout="constrained")[1]
    shown = table if way.width is None else table.slice(0, MOST_ROWS)
    way.draw(ax, shown.to_pydict(), own_header(table))
    if len(shown) < len(table):
        ax.set_title(f"{ax.get_title()}\nthe first {len(shown)} of {len(table):,} rows", fontsize="x-small")
    return ax


def write_plots(target: str, format: str, results: Sequence[Sequence[pyarrow.Table]]) -> None:
    """Write all plots of results side by side to a file; the same bytes for the same figures.

    The results have the same kinds of plots; each plot shows all results.

    Raises `UsageError`: there is nothing to draw.
    """
    import warnings

    from matplotlib import style
    from matplotlib.figure import Figure

    from formats.streams import open_output

    kinds = list(dict.fromkeys(kind for tables in results for kind in plots_of(tables)))
    if not kinds:
        raise UsageError(f"-o {target}: these answers have no picture; write them as csv (bnsl help plots)")
    shown = [plots_of(tables) for tables in results]
    sizes = [way.size(table) for table, way in (shown[0][kind] for kind in kinds if kind in shown[0])]
    undated: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with style.context(["default", {"svg.hashsalt": "bnsl"}]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that the typeface lacks
        figure = Figure((sum(width for width, _ in sizes), max(h for _, h in sizes)), layout="constrained")
        for kind, ax in zip(kinds, figure.subplots(1, len(kinds), squeeze=False)[0]):
            for tables in results:
                plot(tables, ax, kind)
        with open_output(target) as stream:
            figure.savefig(stream, format=format, dpi=150, metadata=undated.get(format))


def plots_of(tables: Sequence[pyarrow.Table]) -> dict[str, tuple[pyarrow.Table, Plot]]:
    """The table and the plot of each kind that there is."""
    return {kind: (table, way) for kind, way in PLOTS.items() for table in tables if way.fits(table)}


def require_matplotlib(error: type[Exception] = RunError) -> None:
    """Raise the error where matplotlib is not installed; its message says what to install."""
    from importlib.util import find_spec

    try:
        is_there = find_spec("matplotlib") is not None
    except ValueError:  # a test hid it
        is_there = False
    if not is_there:
        raise error('plots need matplotlib: pip install "bnsl-cli[plot]"')


# ------------------------------------------------------------------------------------- what is drawn


def _text(words: object) -> str:
    """Text that shows as it is: a dollar begins no formula, a control character is printable."""
    from formats.printable import abbreviated

    return abbreviated([printable(str(words))], LABEL_LENGTH)[0].replace("$", r"\$")


def _lines(ax: Axes, label: str) -> dict[str, Any]:
    """The look of the next line of axes, each another colour and dash."""
    n_drawn = sum(not str(line.get_label()).startswith("_") for line in ax.get_lines())
    return {"color": COLOURS[n_drawn % len(COLOURS)], "linestyle": DASHES[n_drawn % len(DASHES)], "label": label}


def _rows(ax: Axes, labels: Sequence[str], places: Sequence[float] | None = None) -> Sequence[float]:
    """Label rows from the top down; returns their places."""
    places = list(range(len(labels))) if places is None else places
    ax.set_yticks(places, labels)
    ax.set_ylim(max(places, default=0) + 0.7, -0.7)
    return places


def _trace(ax: Axes, table: Columns, facts: Facts) -> None:
    seconds, scores = list(table["seconds"]), list(table["score"])
    end = max(facts.get("seconds", 0.0), seconds[-1])
    label = f"best score so far, at first {scores[0]:,.0f}"
    ax.plot([*seconds, end], [*scores, scores[-1]], drawstyle="steps-post", **_lines(ax, label))
    ax.plot(seconds, scores, ".", color=BLUE, label="_")
    known = [(time, score + gap) for time, score, gap in zip(seconds, scores, table["gap"]) if gap is not None]
    if len(known) > 1:
        times, bounds = zip(*known, (end, known[-1][1]))
        label = "upper bound of networks of the sets listed so far"
        ax.plot(times, bounds, drawstyle="steps-post", **_lines(ax, label))
    if "bound" in facts:
        ax.plot([end], [facts["bound"]], "D", color=COLOURS[2], label="upper bound at the end")
    # Steps from a bad start would hide all later ones.
    top = max([scores[-1], facts.get("bound", scores[-1]), *(bound for _, bound in known)])
    low = min([score for time, score in zip(seconds, scores) if time >= end / 20], default=scores[-1])
    if top - scores[0] > 4 * (top - low) > 0:
        ax.set_ylim(low - 0.3 * (top - low), top + 0.1 * (top - low))
    if facts["claim"]:
        ax.set_title(textwrap.fill(facts["claim"], 72), fontsize="small")
    ax.set_xlabel("time (seconds)")
    ax.set_ylabel(f"score {_text(facts['score'])} (nats)")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), fontsize="small", frameon=False)


def _effects(ax: Axes, table: Columns, facts: Facts) -> None:
    measure = facts["effects"]["measure"]
    is_pair = "cause_state" not in table
    causes, effects = (
        [_text(name) for name in table[end]]
        if is_pair
        else [f"{_text(name)}={_text(state)}" for name, state in zip(table[end], table[f"{end}_state"])]
        for end in ("cause", "effect")
    )
    places = _rows(ax, [f"{effect} | do({cause})" for cause, effect in zip(causes, effects)])
    ax.hlines(places, table["lower"], table["upper"], color=BLUE, linewidth=2)
    ax.plot(table[measure], places, "o", color=COLOURS[1], markersize=3.5)
    if measure == "probability":
        ax.set_xlim(-0.02, 1.02)
    else:
        ax.axvline(0.0, color="0.6", linewidth=0.8)
    units = {"probability": "P(effect | do(cause))", "contrast": "difference of probabilities", "strength": "nats"}
    ax.set_xlabel(f"{measure}: {units[measure]}" if measure != "strength" else "strength (nats)")
    note = facts["note"].partition(": bnsl help")[0]
    ax.set_title(textwrap.fill(f"dot: mean, line: interval; {note}", 100), fontsize="x-small")
    ax.grid(axis="x", alpha=0.3)


def _of_states(table: Columns, facts: Facts) -> Iterator[tuple[str, list[int]]]:
    """What is predicted, and the places of its points, for each state."""
    n_points = len(table["state"])
    for state, places in groupby(range(n_points), key=lambda place: table["state"][place]):
        of = "" if facts.get("network") is None else f", {_text(facts['network'])}"
        yield f"{_text(facts['target'])}={_text(state)}{of}", list(places)


def _roc(ax: Axes, table: Columns, facts: Facts) -> None:
    areas = {each["state"]: each["roc_area"] for each in facts["target_states"]}
    for label, places in _of_states(table, facts):
        area = areas[table["state"][places[0]]]
        if area is None:
            continue
        points = [(table["false_positive_rate"][i], table["recall"][i]) for i in places]
        ax.plot(*zip((0.0, 0.0), *points), **_lines(ax, f"{label} (area {area:.3f})"))
    _diagonal(ax, "false positive rate", "recall (true positive rate)", "ROC, one state against the others")
    ax.legend(loc="lower right", fontsize="small")


def _precision_recall(ax: Axes, table: Columns, facts: Facts) -> None:
    for label, places in _of_states(table, facts):
        if table["recall"][places[0]] is None:
            continue
        recall, precision = ([table[name][i] for i in places] for name in ("recall", "precision"))
        # The precision of a point holds for the recall that the point adds, as in the area by average precision.
        ax.plot([0.0, *recall], [precision[0], *precision], drawstyle="steps-pre", **_lines(ax, label))
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_title("precision and recall, one state against the others", fontsize="medium")
    ax.legend(loc="lower left", fontsize="small")


def _diagonal(ax: Axes, across: str, up: str, title: str) -> None:
    ax.axline((0.0, 0.0), slope=1.0, color="0.6", linewidth=0.8, zorder=0, label="_")
    ax.set(xlabel=across, ylabel=up, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_title(title, fontsize="medium")


def _calibration(of: str, predicted: str, observed: str, axes: tuple[str, str]) -> Callable:
    """Draws bins: the mean `predicted` and the `observed` share of each; the larger a dot, the more are in it."""

    def draw(ax: Axes, table: Columns, facts: Facts) -> None:
        counts = table[of]
        most = max(counts)
        n_drawn = len(ax.collections)
        colour = COLOURS[n_drawn % len(COLOURS)]
        sizes = [20 + 180 * count / most for count in counts]
        label = _text(facts["network"])
        ax.scatter(table[predicted], table[observed], s=sizes, color=colour, alpha=0.75, label=label)
        for x, y, count in zip(table[predicted], table[observed], counts):
            look: dict[str, Any] = {"color": colour, "textcoords": "offset points", "fontsize": "x-small"}
            aside, look["ha"] = (-6, "right") if x > 0.85 else (6, "left")  # within the axes
            below = 4 + 8 * n_drawn if y < 0.15 else -10 - 8 * n_drawn
            ax.annotate(f"{count:,}", (x, y), (aside, below), **look)
        _diagonal(ax, *axes, f"calibration; numbers of {of} in bins")
        ax.legend(loc="upper left", fontsize="small", markerscale=0.6)

    return draw


def _strengths(ax: Axes, table: Columns, facts: Facts) -> None:
    """The distribution function of the strengths of pairs, and the threshold above which a consensus joins them."""
    ends = zip(table["parent"], table["child"])
    of_pairs = sorted({frozenset(pair): either for pair, either in zip(ends, table["either"])}.values())
    n_variables = len(facts["variables"])
    n_pairs = n_variables * (n_variables - 1) // 2
    n_zero = n_pairs - len(of_pairs)
    heights = [(n_zero + place + 1) / n_pairs for place in range(len(of_pairs))]
    ax.plot(
        [0.0, *of_pairs, 1.0],
        [n_zero / n_pairs, *heights, 1.0],
        drawstyle="steps-post",
        **_lines(ax, f"share of the {plural(n_pairs, 'pair')} up to a strength"),
    )
    threshold = facts["threshold"]
    n_above = sum(strength > threshold for strength in of_pairs)
    label = f"threshold {threshold:.3g}: {plural(n_above, 'pair')} above"
    ax.axvline(threshold, **_lines(ax, label) | {"linestyle": "--"})
    ax.set(xlabel="strength of a pair: of an arc in either direction", ylabel="cumulative share of pairs")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.legend(loc="lower right", fontsize="small")


def _heat_map(ax: Axes, table: Columns, facts: Facts) -> None:
    names = facts["variables"]
    place = {name: position for position, name in enumerate(names)}
    cells = [[0.0] * len(names) for _ in names]
    for position in range(len(names)):
        cells[position][position] = math.nan
    for parent, child, probability in zip(table["parent"], table["child"], table["probability"]):
        cells[place[parent]][place[child]] = probability
    image = ax.imshow(cells, vmin=0.0, vmax=1.0, cmap=SHADES)
    labels = [_text(name) for name in names] if len(names) <= MOST_ROWS else []
    small = max(3.0, min(9.0, 500.0 / max(1, len(names))))
    ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=small)
    ax.set_yticks(range(len(labels)), labels, fontsize=small)
    ax.set(xlabel="child", ylabel="parent")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    error = max(table["standard_error"], default=0.0)
    bar.set_label("probability of the arc" + (f", standard error up to {error:.2g}" if error > 0 else ""))
    if len(names) <= MOST_FIGURES:
        for row, shares in enumerate(cells):
            for column, share in enumerate(shares):
                if share == share:
                    colour = "black" if share > 0.5 else "white"
                    ax.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour, fontsize=7)


def _distributions(ax: Axes, table: Columns, facts: Facts) -> None:
    names, states, shares = (table[name] for name in ("variable", "state", "probability"))
    changes = 0
    places: list[float] = []
    for row, name in enumerate(names):
        changes += row > 0 and name != names[row - 1]
        places.append(row + 0.6 * changes)
    _rows(ax, [f"{_text(name)}={_text(state)}" for name, state in zip(names, states)], places)
    ax.barh(places, shares, color=BLUE, height=0.8)
    ax.set(xlim=(0.0, 1.0), xlabel="probability")
    errors = table.get("standard_error", [0.0] * len(shares))
    if "standard_error" in table:
        ax.errorbar(shares, places, xerr=errors, fmt="none", ecolor="black", capsize=2)
        ax.set_xlabel("probability, with one standard error of the approximation either side")
    for share, error, place in zip(shares, errors, places):
        inside = share + error > 0.85
        look: dict[str, Any] = {"ha": "right", "color": "white"} if inside else {"ha": "left", "color": "black"}
        look |= {"textcoords": "offset points", "va": "center", "fontsize": "x-small"}
        end, aside = (share - error, -4) if inside else (share + error, 4)
        ax.annotate(f"{100 * share:.1f} %", (end, place), (aside, 0), **look)


def _family(ax: Axes, table: Columns, facts: Facts) -> None:
    """A bar for each configuration of the parents, divided among the states."""
    from matplotlib import colormaps

    child = facts["family_of"]
    parents = [name for name in table if name not in (child, "probability")]
    states = list(dict.fromkeys(table[child]))
    rows = range(0, len(table[child]) - len(states) + 1, len(states))
    _rows(ax, [", ".join(_text(table[name][row]) for name in parents) for row in rows])
    ax.set_ylabel(", ".join(map(_text, parents)))
    starts = [0.0] * len(rows)
    for code, state in enumerate(states):
        shares = [table["probability"][row + code] for row in rows]
        shade = 0.12 + 0.8 * code / max(1, len(states) - 1)
        colour, edge = colormaps[SHADES](shade), "white"
        ax.barh(range(len(rows)), shares, left=starts, color=colour, edgecolor=edge, label=f"state {_text(state)}")
        for place, (share, start) in enumerate(zip(shares, starts)):
            if share >= 0.1:
                ink = "black" if shade > 0.5 else "white"
                middle = start + share / 2
                ax.text(middle, place, f"{share:.2f}", ha="center", va="center", color=ink, fontsize="x-small")
        starts = [start + share for start, share in zip(starts, shares)]
    given = " given its parents" if parents else ""
    ax.set(xlim=(0.0, 1.0), xlabel=f"probability of {_text(child)}{given}")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, fontsize="small", frameon=False)


_BINS = "mean probability of the predicted state", "accuracy"
_DECILES = "mean strength of arcs", "share of true arcs"

PLOTS: dict[str, Plot] = {
    "trace": Plot(("seconds", "score"), _trace, ("score",)),
    "effects": Plot(("cause", "effect", "lower", "upper"), _effects, ("effects",), width=6.8),
    "roc": Plot(("state", "threshold", "false_positive_rate", "recall"), _roc, ("target", "target_states")),
    "precision-recall": Plot(("state", "threshold", "recall", "precision"), _precision_recall, ("target",)),
    "calibration": Plot(
        ("rows", "probability", "accuracy"), _calibration("rows", "probability", "accuracy", _BINS), ("network",)
    ),
    "strength-calibration": Plot(
        ("arcs", "strength", "share"), _calibration("arcs", "strength", "share", _DECILES), ("network",)
    ),
    "strengths": Plot(("parent", "child", "either"), _strengths, ("variables", "threshold")),
    "heat-map": Plot(("parent", "child", "probability", "standard_error"), _heat_map, ("variables",)),
    "family": Plot(("probability",), _family, ("family_of",), width=6.4),
    "distributions": Plot(("variable", "state", "probability"), _distributions, (), width=6.0),
}
"""The plots by kind; of several that fit, the first is drawn by default."""
