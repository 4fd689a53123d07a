"""Score over time of one or more searches, from what ``bnsl optimize --stats`` wrote.

    for method in ils obs asobs; do
      bnsl optimize d.sets.jsonl --method $method --time 10s --stats $method.json -o $method.net.jsonl
    done
    python examples/plot_scores.py ils.json obs.json asobs.json -o scores.png

Needs matplotlib: pip install 'bnsl-cli[plot]'.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

COLOURS = ("#1c7ed6", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285", "#5c6774", "#a98600")
"""Told apart by most people with a defect of colour vision; line styles take turns beyond."""

STYLES = ("-", "--", ":", "-.")


def read_trace(path: str) -> tuple[list[float], list[float]]:
    """Seconds and best scores until then; the last score holds until the end of the run."""
    try:
        figures = json.loads(Path(path).read_text())
        trace = figures["trace"]
        seconds, scores = [entry["seconds"] for entry in trace], [entry["score"] for entry in trace]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: not what bnsl optimize --stats writes ({type(error).__name__}: {error})")
    end = max([*seconds, figures.get("seconds", 0.0)])
    return [*seconds, end], [*scores, scores[-1]]


def draw(paths: list[str], output: str) -> None:
    """One step line for each run, named after its file and its last score."""
    try:
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot
    except ImportError:
        sys.exit("matplotlib is missing: pip install 'bnsl-cli[plot]'")
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for number, path in enumerate(paths):
        seconds, scores = read_trace(path)
        style = STYLES[number // len(COLOURS) % len(STYLES)]
        label = f"{Path(path).stem}  {scores[-1]:,.1f}"
        colour = COLOURS[number % len(COLOURS)]
        axes.step(seconds, scores, where="post", color=colour, linestyle=style, linewidth=1.8, label=label)
        axes.plot(seconds[-1], scores[-1], "o", color=colour, markersize=4)
    axes.set_xlim(left=0)
    axes.set_xlabel("seconds")
    axes.set_ylabel("best score (nats)")
    axes.yaxis.set_major_formatter(
        "{x:,.0f}" if abs(axes.get_ylim()[1] - axes.get_ylim()[0]) > 8 else "{x:,.2f}"
    )
    axes.grid(color="#d4dae3", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(output, dpi=150)


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("stats", nargs="+", help="files that bnsl optimize --stats wrote")
    parser.add_argument("-o", "--output", default="scores.png", help="picture: .png, .svg or .pdf")
    given = parser.parse_args()
    draw(given.stats, given.output)


if __name__ == "__main__":
    main()
