"""Tables of W-scores and scores: reads the networks NAME.BOUND.METHOD.SEED.net.jsonl of all runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, median, quantiles
from typing import NamedTuple

from stages.evaluate.comparison import w_score


class Runs(NamedTuple):
    """Totals in nats: by (name, bound, method), one per seed; and the best one without a bound by name."""

    totals: dict[tuple[str, str, str], list[float]]
    free: dict[str, float]

    def w_score(self, name: str, bound: str, method: str) -> float:
        """In per cent, of the median over seeds."""
        return 100.0 * w_score(self.free[name], median(self.totals[name, bound, method]))

    def values(self, place: int) -> list[str]:
        """All names (0), bounds (1) or methods (2)."""
        return list(dict.fromkeys(key[place] for key in self.totals))


def read_runs(paths: Iterable[str]) -> Runs:
    """Totals from the headers."""
    runs = Runs({}, {})
    for path in map(Path, paths):
        name, bound, method, _ = path.name.split(".")[:4]
        with path.open() as lines:
            total = json.loads(next(lines))["total"]
        if bound == "free":
            runs.free[name] = max(total, runs.free.get(name, total))
        else:
            runs.totals.setdefault((name, bound, method), []).append(total)
    return runs


def print_rows(title: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """A table with a title and a blank line after it."""
    print(title)
    print(f"{'':16}" + "".join(f"{column:>14}" for column in columns))
    for label, cells in rows:
        print(f"{label:16}" + "".join(f"{cell:>14}" for cell in cells))
    print()


def print_trees(runs: Runs) -> None:
    """Figure 2: mean W-score over the trees inverted+K-N-T by number of variables, one table per K."""
    methods = runs.values(2)
    for bound in runs.values(1):
        cases: dict[int, list[str]] = {}
        for name, of, _ in runs.totals:
            trees = cases.setdefault(int(name.split("-")[1]), []) if of == bound else [name]
            if name not in trees:
                trees.append(name)
        rows = (
            (f"{n} variables", [f"{mean(runs.w_score(t, bound, m) for t in trees):.3f}" for m in methods])
            for n, trees in sorted(cases.items())
        )
        print_rows(f"Inverted trees, k = {bound}: mean W-score in per cent, less is better", methods, rows)


def print_scores(runs: Runs) -> None:
    """Table 1: scores by data set, one table per bound."""
    methods = runs.values(2)
    for bound in runs.values(1):
        rows = (
            (
                name,
                [
                    f"{best:,.2f}",
                    *(f"{median(runs.totals[name, bound, m]):,.2f}" for m in methods),
                ],
            )
            for name, best in runs.free.items()
        )
        print_rows(f"BIC (nats) with treewidth {bound}, median over seeds", ["no bound", *methods], rows)


def print_boxes(runs: Runs) -> None:
    """Figure 3: the distribution of W-scores over all cases by method and bound."""
    rows = []
    for method in runs.values(2):
        for bound in runs.values(1):
            scores = sorted(runs.w_score(name, bound, method) for name in runs.values(0))
            middle = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3
            rows.append((f"{method} {bound}", [f"{w:.3f}" for w in (scores[0], *middle, scores[-1])]))
    title = f"W-scores in per cent of {len(runs.values(0))} cases, by method and treewidth"
    print_rows(title, ["least", "quartile 1", "median", "quartile 3", "most"], rows)


def main() -> None:
    """``wscores.py trees|scores|boxes NETWORK...``"""
    print_table = {"trees": print_trees, "scores": print_scores, "boxes": print_boxes}[sys.argv[1]]
    print_table(read_runs(sys.argv[2:]))


if __name__ == "__main__":
    main()
