"""Pictures of runs and of comparisons.

    plot.py scores RUN.json...           score over time, from files of bnsl optimize --stats
    plot.py anytime CURVES [OTHERS...]   how far each method is below the best score, over time, by data set, from
                                         tables with columns method, data, seconds, score (examples/anytime)
    plot.py queries TIMES                seconds that questions take against the treewidth of the networks asked, from
                                         examples/queries
    plot.py starts RUN.json...           initial and final scores of every run, and the best score so far, by kind of
                                         orders, from files of bnsl optimize --stats (examples/starts)
    plot.py explored TRACE.jsonl...      scores of parent sets in the order looked at, from bnsl parentsets --trace
    plot.py lines ROWS --x PART          means by method along a part of the runs' names, and
    plot.py boxes ROWS --by PART         quartiles by method and a part, both from compare.py --format jsonl
                                         (one kind of table: --show wscores or --show values)
    plot.py price SCORES                 what a bound on the treewidth costs: score and both upper bounds, by data
                                         set, from examples/treewidth
    plot.py settings ROWS                a panel for each measure along the number in methods named like eps-300, and
    plot.py tradeoff ROWS --x M --y M    one measure against another, methods joined whose names begin alike

For example:

    for method in ils obs asobs; do
      bnsl optimize d.sets.jsonl --method $method --time 10s --stats $method.json -o $method.net.jsonl
    done
    python examples/common/plot.py scores ils.json obs.json asobs.json -o scores.png

Needs matplotlib: pip install matplotlib.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from pathlib import Path
from typing import Any

from plotted_tables import (
    in_words,
    name_of,
    parts_of,
    quantity_of,
    read_json,
    read_rows,
    read_table,
    read_trace,
    setting_of,
    split,
    value_of,
)

COLOURS = ("#1c7ed6", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285", "#5c6774", "#a98600")
"""Colours that most colour-blind people can distinguish; markers and line styles alternate as well."""

STYLES, MARKERS = ("-", "--", ":", "-."), ("o", "s", "^", "D", "v", "P", "X", "*")

CURVE_COLUMNS = {"method", "data", "seconds", "score"}
PRICE_COLUMNS = {"data", "bound", "score"}
QUERY_COLUMNS = {"data", "bound", "removed", "treewidth_upper", "hidden", "pyagrum_hidden"}


def draw_scores(given: argparse.Namespace) -> Any:
    """One step line for each run, named after its file and its last score, which holds until the end of the run."""
    figure, (axes,) = new_panels(1)
    for number, path in enumerate(given.files):
        figures = read_json(path)
        try:
            seconds, scores = zip(*((entry["seconds"], entry["score"]) for entry in figures["trace"]))
        except (KeyError, TypeError, ValueError):
            sys.exit(f"{path}: not what bnsl optimize --stats writes")
        end = max(*seconds, figures.get("seconds", 0.0))
        style = {**look(number), "linestyle": STYLES[number // len(COLOURS) % len(STYLES)], "marker": None}
        name = Path(path).stem.removesuffix(".stats")
        label = f"{name}  {scores[-1]:,.1f}"
        axes.step([*seconds, end], [*scores, scores[-1]], where="post", label=label, **style)
        axes.plot(end, scores[-1], "o", color=style["color"], markersize=4)
    axes.set(xlim=(0, None), xlabel="seconds", ylabel="best score (nats)")
    axes.yaxis.set_major_formatter(plain_number(axes))
    axes.legend(loc="lower right", frameon=False)
    return figure


def draw_starts(given: argparse.Namespace) -> Any:
    """Left a point for each run, its score after the search over that before; right the best score so far."""
    from matplotlib.ticker import MaxNLocator

    figure, (points, best) = new_panels(2, sharey=False)
    for number, path in enumerate(given.files):
        runs = read_json(path).get("per_restart") or sys.exit(
            f"{path}: not what bnsl optimize --stats writes of runs"
        )
        label, colour = name_of(path), COLOURS[number]
        style = {"s": 9, "alpha": 0.45, "color": colour, "marker": MARKERS[number], "linewidths": 0}
        points.scatter(runs["initial_score"], runs["score"], label=label, **style)
        so_far = list(itertools.accumulate(runs["score"], max))
        best.step(
            range(1, len(so_far) + 1), so_far, where="post", color=colour, linestyle=STYLES[number], label=label
        )
    low, high = points.get_ylim()
    points.plot([low, high], [low, high], color="#adb5bd", linewidth=0.8, zorder=0)  # no step was taken
    points.set(xlabel="initial score", ylabel="final score")
    points.legend(frameon=False, markerscale=2)
    points.xaxis.set_major_locator(MaxNLocator(4))  # labels of five digits overlap otherwise
    best.set(xlabel="runs", ylabel="best score so far", xscale="log")
    for axes in (points, best):
        axes.yaxis.set_major_formatter(plain_number(axes))
    points.xaxis.set_major_formatter("{x:,.0f}")
    figure.suptitle(Path(given.files[0]).name.partition(".")[0])
    return figure


def draw_anytime(given: argparse.Namespace) -> Any:
    """A panel for each data set of the first file; curves from it, points from the others."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ours, *others = [read_table(path, CURVE_COLUMNS) for path in given.files]
    others = [row for rows in others for row in rows]
    methods = {name: look(number) for number, name in enumerate(split(ours + others, ["method"]))}
    data = split(ours, ["data"])
    end = max(float(row["seconds"]) for row in ours)
    figure, panels = new_panels(len(data), sharey=False, columns=4)
    for axes, (name, rows) in zip(panels, data.items()):
        points = [row for row in others if row["data"] == name]
        best = max(float(row["score"]) for row in rows + points)
        for group, line in ((rows, "-"), (points, "")):
            for method, run in split(group, ["method"]).items():
                seconds = [float(row["seconds"]) for row in run]
                below = [best - float(row["score"]) for row in run]
                if line:
                    seconds, below = [*seconds, max(end, seconds[-1])], [*below, below[-1]]
                style = {**methods[method], "linestyle": line, "markevery": [0] if line else None}
                style["zorder"] = 2 + len(methods) - list(methods).index(method)  # the first on top
                axes.plot(seconds, below, drawstyle="steps-post", markersize=5, label=method, **style)
        axes.set_xscale("log")
        first, last = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3) if last > 30 * first else (1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_yscale("symlog", linthresh=1)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_ylim(axes.get_ylim()[1], -0.15)  # upside down, the best a little below the edge
        axes.set(title=f"{name}: {best:,.0f}", xlabel="seconds")
    for axes in panels[::4]:
        axes.set_ylabel("nats below the best")
    shown = {name: line for axes in panels for line, name in zip(*axes.get_legend_handles_labels())}
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=len(shown), frameon=False)
    return figure


def draw_queries(given: argparse.Namespace) -> Any:
    """A panel for each share of cells removed: a line for each data set, ours, and theirs in the same colour."""
    rows = [row for row in read_table(given.files[0], QUERY_COLUMNS) if row["bound"] != "given"]
    shares = split(rows, ["removed"])
    figure, panels = new_panels(len(shares))
    for axes, (removed, group) in zip(panels, shares.items()):
        for number, (data, runs) in enumerate(split(group, ["data"]).items()):
            for column, who, line in (("hidden", "bnsl", "-"), ("pyagrum_hidden", "pyAgrum", ":")):
                points = sorted((int(run["treewidth_upper"]), float(run[column])) for run in runs if run[column])
                if points:
                    style = {**look(number), "linestyle": line}
                    axes.plot(*zip(*points), label=f"{data}, {who}", markersize=5, **style)
        axes.set(title=f"{100 * float(removed):.0f} % of cells hidden", xlabel="treewidth", yscale="log")
    panels[0].set_ylabel("processor seconds for 10,000 rows")
    shown = {name: line for axes in panels for line, name in zip(*axes.get_legend_handles_labels())}
    columns = max(2, len(shares))
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=columns, frameon=False)
    return figure


def draw_price(given: argparse.Namespace) -> Any:
    """A panel for each data set: score and upper bounds along the treewidth."""
    rows = read_table(given.files[0], PRICE_COLUMNS)
    quantities = [column for column in rows[0] if column not in ("data", "bound")]
    data = split(rows, ["data"])
    figure, panels = new_panels(len(data), sharey=False, columns=2)
    for axes, (name, ours) in zip(panels, data.items()):
        points = sorted(ours, key=lambda row: int(row["bound"]))
        widths = [int(row["bound"]) for row in points]
        for number, quantity in enumerate(quantities):
            values = [float(row[quantity]) for row in points]
            axes.plot(widths, values, label=in_words(quantity), markersize=5, **look(number))
        axes.set(title=name, xlabel="treewidth", xticks=widths)
        axes.yaxis.set_major_formatter(plain_number(axes))
    for axes in panels[::2]:
        axes.set_ylabel("nats")
    lines, names = panels[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def draw_explored(given: argparse.Namespace) -> Any:
    """A panel for each trace: a point for each set, and the best score so far."""
    figure, panels = new_panels(len(given.files))
    for number, (path, axes) in enumerate(zip(given.files, panels)):
        looked_at, scores = read_trace(path, given.child)
        best = list(itertools.accumulate(scores, max))
        axes.plot(looked_at, scores, ".", color=COLOURS[number], markersize=3, alpha=0.6)
        axes.plot(looked_at, best, color="#343a40", linewidth=1.2, drawstyle="steps-post")
        axes.set(title=f"{name_of(path)}: best {best[-1]:,.1f}", xlabel="sets scored", xlim=(0, None))
    panels[0].set_ylabel(f"score of a parent set of {given.child} (nats)")
    panels[0].yaxis.set_major_formatter("{x:,.0f}")
    return figure


def draw_lines(given: argparse.Namespace) -> Any:
    """A panel for each further part of the names, a line for each method: means over the data."""
    rows = read_rows(given.files)
    if given.x not in rows[0]:
        sys.exit(f"no part of the names is {given.x!r}; there are {', '.join(parts_of(rows))}")
    parts = [part for part in parts_of(rows) if part != given.x]
    groups = split(rows, parts)
    figure, panels = new_panels(len(groups))
    for axes, (title, members) in zip(panels, groups.items()):
        for number, (method, ours) in enumerate(split(members, ["method"]).items()):
            means = {float(x): statistics.fmean(map(value_of, same)) for x, same in split(ours, [given.x]).items()}
            axes.plot(list(means), list(means.values()), label=method, markersize=5, **look(number))
        title = f"{in_words(parts[0])} {title}" if len(parts) == 1 else title
        axes.set(title=title, xlabel=in_words(given.x), xticks=list(means))
        axes.legend(frameon=False)
    panels[0].set_ylabel(quantity_of(rows))
    return figure


def draw_boxes(given: argparse.Namespace) -> Any:
    """A box for each method and each value of a part; whiskers reach to the least and the most."""
    rows = read_rows(given.files)
    if given.by not in rows[0]:
        sys.exit(f"no part of the names is {given.by!r}; there are {', '.join(parts_of(rows))}")
    figure, (axes,) = new_panels(1)
    labels: list[str] = []
    for number, (method, ours) in enumerate(split(rows, ["method"]).items()):
        for value, same in split(ours, [given.by]).items():
            box = axes.boxplot(
                [[value_of(row) for row in same]],
                positions=[len(labels)],
                widths=0.6,
                whis=(0, 100),
                patch_artist=True,
                medianprops={"color": "#212529"},
            )
            box["boxes"][0].set(facecolor=COLOURS[number % len(COLOURS)], alpha=0.55)
            labels.append(f"{method}\n{value}")
    axes.set(xticks=range(len(labels)), xticklabels=labels, xlabel=f"method and {given.by}")
    figure.set_size_inches(max(8, 0.65 * len(labels)), 5)
    values = [value_of(row) for row in rows]
    if min(values) > 0 and max(values) > 20 * min(values):
        from matplotlib.ticker import LogLocator, NullFormatter

        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(quantity_of(rows))
    return figure


def draw_settings(given: argparse.Namespace) -> Any:
    """A panel for each measure, a line for each data set, along the number that methods' names end with."""
    measures = split(read_rows(given.files), ["measure"])
    figure, panels = new_panels(len(measures), sharey=False)
    for axes, (measure, rows) in zip(panels, measures.items()):
        for number, (data, ours) in enumerate(split(rows, ["data"]).items()):
            points = sorted((setting_of(row)[1], value_of(row)) for row in ours)
            axes.plot(*zip(*points), label=data, markersize=5, **look(number))
        axes.set(title=in_words(measure), xlabel=in_words(setting_of(rows[0])[0]))
        values = [value_of(row) for row in rows]
        if min(values) >= 0:
            axes.set_ylim(0, 1.05 * max(values))
        axes.yaxis.set_major_formatter(plain_number(axes))
    panels[0].legend(frameon=False)
    return figure


def draw_tradeoff(given: argparse.Namespace) -> Any:
    """A point for each method of each data set, methods joined whose names begin alike."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in read_rows(given.files):
        values.setdefault((row["data"], row["method"]), {})[row["measure"]] = value_of(row)
    families: dict[str, list[tuple[float, float]]] = {}
    n_data = len({data for data, _ in values})
    for (data, method), measures in values.items():
        if not {given.x, given.y} <= measures.keys():
            sys.exit(f"no {given.x} and {given.y} of {data}, {method}")
        setting = in_words(method.partition("-")[0])
        family = f"{data}, {setting}" if n_data > 1 else setting
        families.setdefault(family, []).append((measures[given.x], measures[given.y]))
    figure, (axes,) = new_panels(1)
    for number, (family, points) in enumerate(families.items()):
        axes.plot(*zip(*sorted(points)), label=family, markersize=5, **look(number))
    axes.set(xlabel=in_words(given.x), ylabel=in_words(given.y))
    axes.legend(frameon=False)
    return figure


# --------------------------------------------------------------------------------------------- what they share
def new_panels(count: int, sharey: bool = True, columns: int | None = None) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, in rows of `columns` if given, that share the vertical axis, if wished."""
    from matplotlib import pyplot

    across = min(count, columns or count)
    down = -(-count // across)
    size = (8, 5) if count == 1 else (min(4.2 * across, 15), 4.2 if down == 1 else 3.4 * down)
    figure, axes = pyplot.subplots(down, across, figsize=size, layout="constrained", sharey=sharey, squeeze=False)
    panels = list(axes.flat)
    for panel in panels[count:]:
        panel.remove()
    for panel in panels[:count]:
        panel.grid(color="#d4dae3", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    return figure, panels[:count]


def look(number: int) -> dict[str, Any]:
    """Colour and marker of the line with this number."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    return {"color": colour, "marker": marker, "linewidth": 1.8}


def plain_number(axes: Any) -> str:
    """Format of the numbers on the vertical axis: as many decimals as distinguish its ticks, no powers of ten."""
    low, high = axes.get_ylim()
    span = high - low
    return "{x:,.0f}" if span > 8 else "{x:,.1f}" if span > 0.8 else "{x:,.2f}"


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for name, draw, option in (
        ("scores", draw_scores, None),
        ("starts", draw_starts, None),
        ("anytime", draw_anytime, None),
        ("queries", draw_queries, None),
        ("price", draw_price, None),
        ("explored", draw_explored, "--child"),
        ("lines", draw_lines, "--x"),
        ("boxes", draw_boxes, "--by"),
        ("settings", draw_settings, None),
        ("tradeoff", draw_tradeoff, "--x"),
    ):
        kind = kinds.add_parser(name, description=draw.__doc__)
        kind.set_defaults(draw=draw)
        kind.add_argument("files", nargs="+")
        kind.add_argument("-o", "--output", default=f"{name}.png", help="picture: .png, .svg or .pdf")
        if option:
            kind.add_argument(option, required=True)
        if name == "tradeoff":
            kind.add_argument("--y", required=True)
    given = parser.parse_args()
    try:
        import matplotlib
    except ImportError:
        sys.exit("matplotlib is missing: pip install matplotlib")
    matplotlib.use("agg")
    given.draw(given).savefig(given.output, dpi=150)


if __name__ == "__main__":
    main()
