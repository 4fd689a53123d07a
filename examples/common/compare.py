"""Compare methods over many runs: tables of values, ranks and pairs with tests, W-scores. Needs scipy.

compare.py RUN... [--names PATTERN] [--measure KEY[:min|:max]]... [--show TABLE]... [--baseline METHOD|PART=VALUE]
           [--average mean|median] [--level ALPHA] [--allow-missing] [--format table|jsonl]

- RUN: a network of `bnsl optimize`, lines of `bnsl evaluate --json`, or a file of --stats. Files whose names begin
  alike, as far as PATTERN goes, are records of one run.
- PATTERN: the meaning of the parts of names, data.method.seed by default. Seeds are averaged; parts of the same name
  are joined; '-' is ignored; any other word splits the runs into separate tables.
- KEY: a key of the records, or a product or quotient such as bic/arcs; a point leads into an object. By default the
  first of bic, total and the other scores that all runs have.
- TABLE: values, ranks (Friedman, Holm, Nemenyi), pairs (sign test, classes of differences), wscores.
- The baseline PART=VALUE is the best of all runs whose name has this value in this part.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from rank_tests import (
    DELTA_CLASSES,
    classify_delta,
    compare_ranks,
    critical_difference,
    rank_methods,
    sign_test,
    w_score,
)

SCORES = ("bic", "total", "aic", "bdeu", "k2", "bds", "qnml", "fnml", "ll")
"""Measures whose differences are in nats: classes of differences and W-scores are of these."""

LESS_IS_BETTER = (
    *("shd", "skeleton_distance", "class_false_positives", "class_false_negatives"),
    *("drawn_false_positives", "drawn_false_negatives", "brier_sum", "log_loss", "impossible_rows"),
    *("calibration_error", "target_calibration_error", "gap", "seconds", "statistics", "literal_statistics"),
)
"""Measures whose smaller values are better by default."""

DIGITS = 12
"""Significant digits of a measure: sums of local scores in different orders agree in some fifteen."""

AVERAGES: dict[str, Callable[[list[float]], float]] = {"mean": statistics.fmean, "median": statistics.median}


def stop(message: str) -> Any:
    """End the program with a message."""
    sys.exit(f"compare.py: {message}")


# ---------------------------------------------------------------------------------------------------------- runs


@dataclass
class Run:
    """The records of one run, and the meaning of its name."""

    data: str
    method: str
    group: tuple[str, ...]
    records: list[dict[str, Any]] = field(default_factory=list)

    def value(self, measure: str) -> float | None:
        """A measure, or a product or quotient of measures from the left; None if one is unknown."""
        first, *further = re.split(r"([*/])", measure)
        value = self._find(first)
        for operator, key in zip(further[::2], further[1::2]):
            other = self._find(key)
            if value is None or other is None or (operator == "/" and other == 0.0):
                return None
            value = value * other if operator == "*" else value / other
        return None if value is None else float(f"{value:.{DIGITS}g}")

    def _find(self, key: str) -> float | None:
        found = {value for record in self.records if (value := look_up(record, key)) is not None}
        if len(found) > 1:
            stop(f"records of {self.data}.{self.method} have different values of {key!r}: {sorted(found)}")
        return next(iter(found), None)


def look_up(record: dict[str, Any], measure: str) -> float | None:
    """The number of a key, or of a path of keys with points between."""
    value: Any = record
    for key in [measure] if measure in record else measure.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        stop(f"{measure!r} of {record['network']} is no number")
    return value


def read_records(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a file, each with the name of its run; of networks the headers."""
    with open(path) as stream:
        text = stream.read()
    if text.startswith("{\n"):  # one object over several lines, as in files of --stats
        yield {"network": path, **json.loads(text)}
        return
    for line in text.splitlines():
        record = json.loads(line)
        if record.get("format") == "bnsl.network":
            arcs = sum(len(json.loads(family)["parents"][0]) for family in text.splitlines()[1:])
            yield {**record, "network": path, "arcs": arcs}
            return
        yield {"network": path, **record}


def gather_runs(paths: list[str], parts: list[str]) -> list[Run]:
    """One run for each name, in order of first appearance."""
    runs: dict[tuple, Run] = {}
    groups = groups_of(parts)
    for record in (record for path in paths for record in read_records(path)):
        words = PurePath(record["network"]).name.split(".")
        if len(words) < len(parts):
            stop(f"the name of {record['network']} has too few parts for {'.'.join(parts)}")
        meaning: dict[str, list[str]] = {}
        for part, word in zip(parts, words):
            meaning.setdefault(part, []).append(word)
        data, method, seed, *group = (".".join(meaning.get(p, [])) for p in ("data", "method", "seed", *groups))
        key = (data, method, seed, *group)
        runs.setdefault(key, Run(data, method, tuple(group))).records.append(record)
    return list(runs.values())


def groups_of(parts: list[str]) -> list[str]:
    """The parts of names that split the runs into tables."""
    return list(dict.fromkeys(part for part in parts if part not in ("data", "method", "seed", "-")))


# -------------------------------------------------------------------------------------------------------- tables


class Section(NamedTuple):
    """One table: tidy rows for programs, cells for readers."""

    title: str
    rows: list[dict[str, Any]]
    columns: list[str]
    cells: list[list[str]]
    note: str = ""


@dataclass
class Part:
    """One measure of one group of runs: a row of values for each case, a column for each method."""

    measure: str
    is_higher_better: bool
    group: dict[str, str]
    cases: list[str]
    methods: list[str]
    values: np.ndarray  # shape (n_cases, n_methods), NaN where a method failed
    baseline: list[float] | None
    given: argparse.Namespace

    @property
    def where(self) -> str:
        """The measure and the group, for titles."""
        shown = ", ".join(f"{part} {value}" for part, value in self.group.items())
        return f"{self.measure}{f' ({shown})' if shown else ''}"

    def row(self, table: str, **facts: Any) -> dict[str, Any]:
        return {"table": table, "measure": self.measure, **self.group, **facts}

    def opponents(self) -> Iterator[tuple[str, str, list[float], list[float]]]:
        """Methods in pairs, or each and the baseline, and their values."""
        for first, method in enumerate(self.methods):
            ours = self.values[:, first].tolist()
            if self.baseline is not None:
                if method != self.given.baseline:
                    yield method, self.given.baseline, ours, self.baseline
                continue
            for second in range(first + 1, len(self.methods)):
                yield method, self.methods[second], ours, self.values[:, second].tolist()


def values(part: Part) -> Section:
    """Every value, the best of each case marked."""
    rows, cells = [], []
    best = np.nanmax if part.is_higher_better else np.nanmin
    beside = part.baseline if "=" in (part.given.baseline or "") else None
    for place, case in enumerate(part.cases):
        line = part.values[place].tolist()
        target = math.nan if np.isnan(line).all() else float(best(line))
        rows += [part.row("values", data=case, method=m, value=known(v)) for m, v in zip(part.methods, line)]
        shown = [figure(value) + (" *" if value == target else "  ") for value in line]
        cells.append([case, *([figure(beside[place])] if beside else []), *shown])
    columns = ["data", *([part.given.baseline] if beside else []), *part.methods]
    return Section(f"{part.where}, {part.given.average} over seeds", rows, columns, cells, "* best of its line")


def ranks(part: Part) -> Section:
    """Average ranks with Friedman's test and Holm's comparison with the best."""
    title = f"Average ranks by {part.where}{'' if part.is_higher_better else ', less is better'}"
    columns = ["method", "rank", "p (Holm)", "verdict"]
    n_cases, n_methods = part.values.shape
    if min(part.values.shape) < 2:
        return Section(title, [], columns, [], "ranks and their tests need two methods on two data sets at least")
    level = part.given.level
    found = compare_ranks(rank_methods(part.values, part.is_higher_better), part.methods, level)
    difference = critical_difference(n_methods, n_cases, level)
    facts = {"cases": n_cases, "friedman": found.statistic, "friedman_p": found.p_value}
    rows = [part.row("ranks", **place._asdict(), **facts, critical_difference=difference) for place in found.methods]
    cells = [
        [place.method, f"{place.average_rank:.2f}", f"{place.p_value:.3g}", f"{verdict}worse than the best"]
        for place in found.methods
        for verdict in ["not " if place.not_worse else ""]
    ]
    note = f"{n_cases} cases; Friedman p = {found.p_value:.3g}, level {level:g}; critical difference (Nemenyi) "
    return Section(title, rows, columns, cells, f"{note}{difference:.2f}")


def pairs(part: Part) -> Section:
    """Wins, defeats and ties, sign test, and for scores the classes of differences."""
    has_classes = part.measure in SCORES
    rows, cells = [], []
    for method, rival, ours, theirs in part.opponents():
        test = sign_test(*((ours, theirs) if part.is_higher_better else (theirs, ours)))
        classes = [classify_delta(a - b) for a, b in zip(ours, theirs) if not math.isnan(a - b)]
        counts = {name: classes.count(name) for name in DELTA_CLASSES} if has_classes else {}
        rows.append(part.row("pairs", method=method, against=rival, **test._asdict(), **counts))
        won = f"{test.wins}-{test.defeats}-{test.ties}"
        cells.append([method, rival, won, f"{test.p_value:.2g}", *map(str, counts.values())])
    limits = [">10", ">6", ">2", "±2", "<-2", "<-6", "<-10"] if has_classes else []
    note = "differences method - against in nats: how many cases in each class" if has_classes else ""
    columns = ["method", "against", "won-lost-tied", "p", *limits]
    return Section(f"Pairs by {part.where}, sign test", rows, columns, cells, note)


def wscores(part: Part) -> Section:
    """W-scores against the baseline by case, and their distribution."""
    if part.measure not in SCORES or part.baseline is None:
        stop("W-scores are of scores, relative to a --baseline")
    methods = [method for method in part.methods if method != part.given.baseline]
    shares = {
        method: [w_score(base, value) for base, value in zip(part.baseline or [], column)]
        for method, column in zip(part.methods, part.values.T.tolist())
        if method in methods
    }
    rows = [
        part.row("wscores", data=case, method=method, w_score=known(shares[method][place]))
        for place, case in enumerate(part.cases)
        for method in methods
    ]
    cells = [[case, *(per_cent(shares[m][place]) for m in methods)] for place, case in enumerate(part.cases)]
    there = {method: [share for share in shares[method] if not math.isnan(share)] for method in methods}
    for name, share in (("least", 0), ("quartile 1", 25), ("median", 50), ("quartile 3", 75), ("most", 100)):
        found = (float(np.percentile(there[m], share)) if there[m] else math.nan for m in methods)
        cells.append([f"({name})", *map(per_cent, found)])
    cells.append(["(mean)", *(per_cent(statistics.fmean(there[m]) if there[m] else math.nan) for m in methods)])
    title = f"W-scores by {part.where} in per cent of {part.given.baseline}, lower is better"
    return Section(title, rows, ["data", *methods], cells)


TABLES: dict[str, Callable[[Part], Section]] = {"values": values, "ranks": ranks, "pairs": pairs, "wscores": wscores}


def known(value: float) -> float | None:
    """The value; None for NaN, which JSON lacks."""
    return None if math.isnan(value) else value


def per_cent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.4f}"


def figure(value: float) -> str:
    """A value with digits suited to its size."""
    if math.isnan(value):
        return "-"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 1000 else f"{value:,.4f}"


# ------------------------------------------------------------------------------------------------------ comparison


def compare(runs: list[Run], groups: list[str], given: argparse.Namespace) -> Iterator[Section]:
    """All tables, by measure and group."""
    place, _, chosen = (given.baseline or "").partition("=")
    for text in given.measure or [default_measure(runs)]:
        measure, _, direction = text.partition(":")
        is_higher_better = direction == "max" if direction else measure not in LESS_IS_BETTER
        for group in dict.fromkeys(run.group for run in runs):
            named = dict(zip(groups, group))
            if chosen and named.get(place) == chosen:
                continue
            members = [run for run in runs if run.group == group]
            cases = list(dict.fromkeys(run.data for run in members))
            methods = list(dict.fromkeys(run.method for run in members))
            found = [[average_of(members, case, m, measure, given) for m in methods] for case in cases]
            part = Part(measure, is_higher_better, named, cases, methods, np.array(found), None, given)
            if chosen:
                rest = {name: value for name, value in named.items() if name != place}
                rivals = [r for r in runs if {**rest, place: chosen}.items() <= dict(zip(groups, r.group)).items()]
                part.baseline = [best_of(rivals, case, measure, is_higher_better) for case in cases]
            elif given.baseline:
                if given.baseline not in methods:
                    stop(f"no run is of method {given.baseline!r}, the baseline")
                part.baseline = part.values[:, methods.index(given.baseline)].tolist()
            yield from (TABLES[name](part) for name in given.show or ["values", "ranks", "pairs"])


def default_measure(runs: list[Run]) -> str:
    """The first score that all runs have."""
    found = (name for name in SCORES if all(run.value(name) is not None for run in runs))
    return next(found, None) or stop(f"no measure is known for all runs ({', '.join(SCORES)}): give --measure")


def average_of(runs: list[Run], case: str, method: str, measure: str, given: argparse.Namespace) -> float:
    """The average over the seeds of a method on a case; NaN if there is none, which ranks last."""
    every = [run.value(measure) for run in runs if (run.data, run.method) == (case, method)]
    there = [value for value in every if value is not None]
    if not given.allow_missing and (len(there) < len(every) or not every):
        stop(f"a run of {method!r} on {case!r} has no {measure!r}; --allow-missing leaves it out")
    return AVERAGES[given.average](there) if there else math.nan


def best_of(runs: list[Run], case: str, measure: str, is_higher_better: bool) -> float:
    """The best value of a group of runs on a case."""
    there = [value for run in runs if run.data == case and (value := run.value(measure)) is not None]
    if not there:
        stop(f"the baseline has no {measure!r} on {case!r}")
    return max(there) if is_higher_better else min(there)


def text_of(section: Section) -> str:
    """A table to read: columns of numbers to the right."""
    lines = [section.columns, *section.cells]
    widths = [max(map(len, column)) for column in zip(*lines)]
    is_number = [
        all(re.fullmatch(r"(-|-?[\d,.]+(e[-+]\d+)?)( \*|  )?", text) for text in column[1:]) for column in zip(*lines)
    ]
    shown = [
        "   ".join(
            text.rjust(width) if right else text.ljust(width) for text, width, right in zip(line, widths, is_number)
        ).rstrip()
        for line in lines
    ]
    rule = "─" * (sum(widths) + 3 * (len(widths) - 1))
    note = [section.note] if section.note else []
    return "\n".join([section.title, shown[0], rule, *shown[1:], *note]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--names", default="data.method.seed")
    parser.add_argument("--measure", action="append")
    parser.add_argument("--show", action="append", choices=TABLES)
    parser.add_argument("--baseline")
    parser.add_argument("--average", choices=AVERAGES, default="mean")
    parser.add_argument("--level", type=float, default=0.05)
    parser.add_argument("--allow-missing", action="store_true")
    parser.add_argument("--format", choices=("table", "jsonl"), default="table")
    given = parser.parse_args()
    parts = given.names.split(".")
    runs = gather_runs(given.runs, parts)
    for section in compare(runs, groups_of(parts), given):
        if given.format == "table":
            print(text_of(section))
        else:
            print(*map(json.dumps, section.rows), sep="\n", end="\n" if section.rows else "")


if __name__ == "__main__":
    main()
