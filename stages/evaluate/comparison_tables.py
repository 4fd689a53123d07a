"""The tables of a comparison: values by case and method, average ranks, pairs of methods, W-scores.

Each is a `Section`: tidy rows for programs, and formatted cells for readers. The statistics are in `rank_tests`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formats.wording import Warn, ignore, plural, whole
from stages.runtime.errors import StageError
from stages.scoring.scores import SCORES

from .rank_tests import (
    DELTA_CLASSES,
    compare_ranks,
    count_delta_classes,
    critical_difference,
    indistinct_groups,
    sign_test,
    w_score,
)
from .runs import FORMER_NAMES, MeasureTable, Run, group_runs, tabulate_measure
from .signed_rank import signed_rank_test

TOTAL = "total"
"""Key of a network's score in its header."""

LESS_IS_BETTER = (
    "shd",
    "skeleton_distance",
    *(name for pair in FORMER_NAMES.items() for name in pair if not name.endswith("true_positives")),
    "class_false_positives",
    "class_false_negatives",
    "impossible_rows",
    "log_loss",
    "calibration_error",
    "target_calibration_error",
    "gap",
    "seconds",
    "statistics",
    "literal_statistics",
)
"""Measures whose smaller values are better by default."""

DELTA_BOUNDS = (">10", ">6", ">2", "±2", "<-2", "<-6", "<-10")
"""Limits of the differences in nats, in the order of `DELTA_CLASSES`."""


@dataclass(frozen=True)
class Measure:
    """A key of the records, and its direction."""

    key: str
    higher_is_better: bool

    @property
    def is_score(self) -> bool:
        """Whether its differences are in nats, so that the classes of differences apply."""
        return self.key == TOTAL or self.key in SCORES


@dataclass(frozen=True)
class Settings:
    """Settings of a comparison."""

    measures: Sequence[Measure]
    sections: Sequence[str]  # keys of `SECTIONS`
    groups: Sequence[str] = ()  # names of the parts that divide runs into groups
    baseline: str | None = None  # a method, or ``PART=VALUE``: the best of all runs of that group
    averages: Sequence[str] = ("mean",)  # keys of `runs.AVERAGES`; sections other than values are of the first
    level: float = 0.05  # significance level for being worse than the best method
    allow_missing: bool = False
    region: float = 0.0  # differences up to this size are practically none, in units of the measure
    seed: int = 0  # of the draws of the signed-rank test

    @property
    def baseline_group(self) -> tuple[str, str] | None:
        """Part and value if the baseline is a group."""
        part, equals, value = (self.baseline or "").partition("=")
        return (part, value) if equals else None


@dataclass(frozen=True)
class Section:
    """One table."""

    title: str
    rows: list[dict[str, Any]]  # tidy data: one fact or comparison each
    columns: Sequence[str]  # headings of `cells`
    cells: list[list[str]]  # formatted
    best: frozenset[tuple[int, int]] = frozenset()  # row and column of the best values
    notes: Sequence[str] = ()
    groups: Sequence[tuple[int, int]] = ()  # of ranks: first and last row of methods that are not told apart


@dataclass(frozen=True)
class _Part:
    """One measure of one group of runs."""

    table: MeasureTable
    measure: Measure
    settings: Settings
    group: dict[str, str]
    baseline: list[float] | None
    average: str = "mean"

    @property
    def where(self) -> str:
        """The group, for titles."""
        shown = ", ".join(f"{part} {value}" for part, value in self.group.items())
        return f" ({shown})" if shown else ""

    def row(self, section: str, **facts: Any) -> dict[str, Any]:
        return {"table": section, "measure": self.measure.key, **self.group, **facts}

    def column(self, method: int) -> list[float]:
        return self.table.values[:, method].tolist()


def compare_runs(runs: Sequence[Run], settings: Settings, warn: Warn = ignore) -> Iterator[Section]:
    """All tables, by measure and group; `warn` is called about runs that averages leave out.

    Raises `StageError` if a required value is missing, the baseline is unknown, or anything but values is asked of
    deviations.
    """
    others = [name for name in settings.sections if name != "values"]
    if settings.averages[0] == "deviation" and others:
        remedy = "put --average mean or median first, or give --show values"
        raise StageError(f"{others[0]} of deviations over seeds are no comparison; {remedy}")
    groups = group_runs(runs)
    against = _baseline_runs(runs, settings)
    for measure in settings.measures:
        for values, members in groups.items():
            group = dict(zip(settings.groups, values, strict=True))
            if settings.baseline_group in list(group.items()):
                continue
            baseline: list[float] | None = None
            for place, average in enumerate(settings.averages):
                table = tabulate_measure(members, measure.key, average, settings.allow_missing)
                if place == 0:
                    for message in table.left_out:
                        warn(f"left out of the average: {message}")
                    baseline = _baseline_values(table, measure, settings, group, against)
                part = _Part(table, measure, settings, group, baseline, average)
                for name in settings.sections:
                    if place == 0 or name == "values":
                        yield SECTIONS[name](part)


def _baseline_runs(runs: Sequence[Run], settings: Settings) -> list[Run]:
    """The runs of the baseline group; none if the baseline is no group."""
    chosen = settings.baseline_group
    if chosen is None:
        return []
    part, value = chosen
    if part not in settings.groups:
        raise StageError(f"the baseline names {part!r}, which is no part of the names besides data, method, seed")
    place = list(settings.groups).index(part)
    found = [run for run in runs if run.group[place] == value]
    if not found:
        raise StageError(f"no run has {part} {value!r}, the baseline")
    return found


def _baseline_values(
    table: MeasureTable, measure: Measure, settings: Settings, group: dict[str, str], against: Sequence[Run]
) -> list[float] | None:
    """One value for each case, or None without a baseline."""
    if settings.baseline is None:
        return None
    if settings.baseline_group is None:
        if settings.baseline not in table.methods:
            there = ", ".join(table.methods)
            raise StageError(f"no run is of method {settings.baseline!r}, the baseline; there are {there}")
        return table.values[:, table.methods.index(settings.baseline)].tolist()
    others = {name: value for name, value in group.items() if name != settings.baseline_group[0]}
    # Runs of the baseline's group that agree with this group in all other parts of the name.
    same = [run for run in against if others.items() <= dict(zip(settings.groups, run.group, strict=True)).items()]
    best: list[float] = []
    for case in table.cases:
        values = [run.value(measure.key) for run in same if run.data == case]
        known = [value for value in values if value is not None]
        if not known:
            raise StageError(f"the baseline {settings.baseline} has no {measure.key!r} on {case!r}")
        best.append(max(known) if measure.higher_is_better else min(known))
    return best


def _values(part: _Part) -> Section:
    """Every value, the best of each case marked; deviations have no best."""
    table, rows, cells, best = part.table, [], [], set()
    beside = part.settings.baseline if part.settings.baseline_group and part.average != "deviation" else None
    # Rows say what they are where there are several.
    kind = {"average": part.average} if len(part.settings.averages) > 1 else {}
    for place, (case, values) in enumerate(zip(table.cases, table.values.tolist(), strict=True)):
        known = [value for value in values if not math.isnan(value)]
        target = (max if part.measure.higher_is_better else min)(known, default=math.nan)
        first = [figure_text(part.baseline[place])] if beside and part.baseline else []
        cells.append([case, *first, *map(figure_text, values)])
        for column, (method, value) in enumerate(zip(table.methods, values, strict=True)):
            rows.append(part.row("values", **kind, data=case, method=method, value=value))
            if value == target and part.average != "deviation":
                best.add((place, 1 + len(first) + column))
    title = f"{part.measure.key}{part.where}, {part.average} over seeds"
    columns = ("data", *([beside] if beside else []), *table.methods)
    return Section(
        title, rows, columns, cells, frozenset(best), [f"left out: {message}" for message in table.left_out]
    )


def _ranks(part: _Part) -> Section:
    """Average ranks with Friedman's test and Holm's comparison with the best."""
    order = "" if part.measure.higher_is_better else ", less is better"
    title = f"Average ranks by {part.measure.key}{part.where}{order}"
    columns = ("method", "rank", "p (Holm)", "verdict")
    if min(part.table.values.shape) < 2:
        n_cases, n_methods = part.table.values.shape
        there = f"there {'is' if n_cases == 1 else 'are'} {plural(n_cases, 'case')} of {plural(n_methods, 'method')}"
        note = f"ranks and their tests need two methods on two data sets at least; {there}"
        return Section(title, [], columns, [], notes=[note])
    n_cases, n_methods = part.table.values.shape
    difference = critical_difference(n_methods, n_cases, part.settings.level)
    found = compare_ranks(part.table, part.measure.higher_is_better, part.settings.level)
    rows = [
        part.row(
            "ranks",
            **place._asdict(),
            cases=len(part.table.cases),
            friedman=found.statistic,
            friedman_p=found.p_value,
            critical_difference=difference,
        )
        for place in found.methods
    ]
    cells = [
        [
            place.method,
            f"{place.average_rank:.2f}",
            f"{place.p_value:.3g}",
            "not worse than the best" if place.not_worse else "worse than the best",
        ]
        for place in found.methods
    ]
    note = (
        f"{n_cases} cases; Friedman p = {found.p_value:.3g}, level {part.settings.level:g}; "
        f"critical difference (Nemenyi) {difference:.2f}"
    )
    groups = indistinct_groups([place.average_rank for place in found.methods], difference)
    if found.p_value > part.settings.level:
        groups = [(0, n_methods - 1)]
    return Section(title, rows, columns, cells, notes=[note], groups=groups)


def _pairs(part: _Part) -> Section:
    """Wins, defeats and ties, sign test, and for scores the classes of differences."""
    classed = part.measure.is_score
    title = f"Pairs by {part.measure.key}{part.where}, sign test"
    columns = ["method", "against", "won-lost-tied", "p", *(DELTA_BOUNDS if classed else [])]
    rows, cells = [], []
    for method, rival, ours, theirs in _opponents(part):
        # The sign test counts the larger value as the better one.
        better, worse = (ours, theirs) if part.measure.higher_is_better else (theirs, ours)
        test = sign_test(better, worse)
        both = [(a, b) for a, b in zip(ours, theirs, strict=True) if not (math.isnan(a) or math.isnan(b))]
        classes = count_delta_classes([a for a, _ in both], [b for _, b in both]) if classed else {}
        rows.append(part.row("pairs", method=method, against=rival, **test._asdict(), **classes))
        counts = f"{test.wins}-{test.defeats}-{test.ties}"
        shown = [classes[name] for name in DELTA_CLASSES] if classed else []
        cells.append([method, rival, counts, f"{test.p_value:.2g}", *map(str, shown)])
    notes = ["differences method - against in nats: how many cases in each class"] if classed else []
    return Section(title, rows, columns, cells, notes=notes)


def _signed_ranks(part: _Part) -> Section:
    """Probabilities that one method is better, practically equal, worse on a further data set of the kind."""
    title = f"Bayesian signed-rank test by {part.measure.key}{part.where}"
    columns = ("method", "against", "P(better)", "P(equal)", "P(worse)")
    rows, cells, largest = [], [], 0.0
    for method, rival, ours, theirs in _opponents(part):
        better, worse = (ours, theirs) if part.measure.higher_is_better else (theirs, ours)
        found = signed_rank_test(better, worse, part.settings.region, part.settings.seed)
        facts = {name: None if value != value else value for name, value in found._asdict().items()}
        rows.append(part.row("signedrank", method=method, against=rival, region=part.settings.region, **facts))
        cells.append([method, rival, *("-" if value != value else f"{value:.4f}" for value in found[:3])])
        largest = max(largest, facts["error"] or 0.0)
    note = (
        f"equal: differences up to {part.settings.region:g} in {part.measure.key} (--region); "
        f"standard error of the draws {largest:.2g} at most; a prior data set without difference"
    )
    return Section(title, rows, columns, cells, notes=[note])


def _opponents(part: _Part) -> Iterator[tuple[str, str, list[float], list[float]]]:
    methods, baseline = part.table.methods, part.settings.baseline
    for first, method in enumerate(methods):
        if part.baseline is not None and baseline is not None:
            if method != baseline:
                yield method, baseline, part.column(first), part.baseline
            continue
        for second in range(first + 1, len(methods)):
            yield method, methods[second], part.column(first), part.column(second)


def _w_scores(part: _Part) -> Section:
    """W-scores against the baseline by case, and their distribution."""
    if not part.measure.is_score:
        raise StageError(f"W-scores are of scores, not of {part.measure.key!r}")
    if part.baseline is None:
        raise StageError("W-scores are relative to a baseline: give --baseline, the method without a bound")
    title = f"W-scores by {part.measure.key}{part.where} in per cent of {part.settings.baseline}, lower is better"
    methods = [m for m in part.table.methods if m != part.settings.baseline]
    shares = {
        method: [
            w_score(base, value)
            for base, value in zip(part.baseline, part.column(part.table.methods.index(method)), strict=True)
        ]
        for method in methods
    }
    rows = [
        part.row("wscores", data=case, method=method, w_score=shares[method][place])
        for place, case in enumerate(part.table.cases)
        for method in methods
    ]
    cells = [
        [case, *(_percent(shares[method][place]) for method in methods)]
        for place, case in enumerate(part.table.cases)
    ]
    # Missing values are no part of a distribution.
    known = {method: sorted(share for share in shares[method] if not math.isnan(share)) for method in methods}
    for name, summary in _SUMMARIES.items():
        cells.append([name, *(_percent(summary(known[method])) if known[method] else "-" for method in methods)])
    return Section(title, rows, ("data", *methods), cells)


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.4f}"


def _quartile(number: int) -> Callable[[list[float]], float]:
    # `quantiles` needs two values.
    return lambda v: statistics.quantiles(v if len(v) > 1 else v * 2, n=4, method="inclusive")[number - 1]


_SUMMARIES: dict[str, Callable[[list[float]], float]] = {
    "(least)": min,
    "(quartile 1)": _quartile(1),
    "(median)": _quartile(2),
    "(quartile 3)": _quartile(3),
    "(most)": max,
    "(mean)": statistics.fmean,
}

SECTIONS: dict[str, Callable[[_Part], Section]] = {
    "values": _values,
    "ranks": _ranks,
    "pairs": _pairs,
    "signedrank": _signed_ranks,
    "wscores": _w_scores,
}
"""The tables by name."""


def figure_text(value: float) -> str:
    """A value with digits suited to its size; ``-`` for NaN."""
    if math.isnan(value):
        return "-"
    if value == int(value):
        return whole(value)
    return f"{value:,.2f}" if abs(value) >= 1000 else f"{value:,.4f}"
