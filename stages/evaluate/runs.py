"""Runs of an experiment, identified by the names of their files, such as ``DATA.METHOD.SEED...``."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from formats.wording import listed
from stages.runtime.errors import StageError

DATA, METHOD, SEED, IGNORED = "data", "method", "seed", "-"
"""Reserved parts of names; any other part divides the runs into groups."""

_ENDING = re.compile(r"(\.(net|stats))?\.(jsonl?|bif|net|xdsl|xmlbif|uai|dot|graphml|csv|txt)(\.gz)?$")

DIGITS = 12
"""Significant digits of a measure; sums of local scores in different orders agree in some fifteen."""

LARGEST = 1e300
"""Largest size of a measure; sums of many are finite."""

FORMER_NAMES = {
    "brier_sum": "brier",
    "drawn_true_positives": "true_positives",
    "drawn_false_positives": "false_positives",
    "drawn_false_negatives": "false_negatives",
}
"""Today's names of measures and their names in records of version 0.1; a search by either name finds the values of
both.
"""

_RENAMED = FORMER_NAMES | {former: name for name, former in FORMER_NAMES.items()}

_N_FINGERPRINT = 8
"""Number of digits of a fingerprint that identify its data."""


class NamePattern:
    """Meaning of the parts, separated by points, of a run's name.

    `text` is such as ``data.method.seed``. Parts of the same name are joined: ``data.data.method`` takes name and
    size, say, for the case. Raises `ValueError` if no part is the data or the method.
    """

    def __init__(self, text: str):
        self.text = text
        self.parts = tuple(text.split("."))
        if not all(self.parts) or not {DATA, METHOD} <= set(self.parts):
            raise ValueError(f"{text!r} must name '{DATA}' and '{METHOD}', with points between the parts")
        self.groups = tuple(dict.fromkeys(p for p in self.parts if p not in (DATA, METHOD, SEED, IGNORED)))

    def __str__(self) -> str:
        return self.text

    def match(self, path: str) -> dict[str, str]:
        """The meaning of each part of a file's name.

        Raises `StageError` if the name has too few parts.
        """
        words = PurePath(path).name.split(".")
        if len(words) < len(self.parts):
            raise StageError(
                f"the name of run {path!r} has too few parts for {self.text!r}; give their meaning by --names"
            )
        meaning: dict[str, list[str]] = {}
        for part, word in zip(self.parts, words):
            meaning.setdefault(part, []).append(word)
        meaning.pop(IGNORED, None)
        return {part: ".".join(found) for part, found in meaning.items()}


USUAL_NAMES = NamePattern("data.method.seed")
"""The default meaning of names."""


@dataclass(frozen=True)
class Run:
    """One run, and all its records."""

    # `data`, `method`, `seed`: `seed` is empty if names have none.
    data: str
    method: str
    seed: str
    group: tuple[str, ...]  # values of the pattern's other parts
    records: list[Mapping[str, Any]]

    def value(self, measure: str) -> float | None:
        """A measure by its key, or a product or quotient of keys such as ``bic/arcs``, evaluated from the left.

        Points in a key lead into nested objects. None if a measure is unknown or null, or a divisor is 0. Rounded to
        `DIGITS`, so that networks of equal score tie whatever the order of summation. Raises `StageError` if two
        records have different values, or a value is no number or larger than `LARGEST`.
        """
        # The operators are captured, so they are returned between the keys.
        first, *further = re.split(r"([*/])", measure)
        value = self._find(first)
        for operator, key in zip(further[::2], further[1::2]):
            other = self._find(key)
            if value is None or other is None or (operator == "/" and other == 0.0):
                return None
            value = value * other if operator == "*" else value / other
        if value is None:
            return None
        if not abs(value) <= LARGEST:
            raise StageError(f"{measure!r} of run {self._place} is larger than {LARGEST:g}: compare its parts")
        return float(f"{value:.{DIGITS}g}")

    @property
    def _place(self) -> str:
        return ".".join((*self.group, self.data, self.method, self.seed))

    def _find(self, measure: str) -> float | None:
        """The value of one key, present or former; all records that have it must agree."""
        keys = [measure, *([_RENAMED[measure]] if measure in _RENAMED else [])]
        values = (_look_up(record, key) for record in self.records for key in keys)
        found = {value for value in values if value is not None}
        if len(found) > 1:
            raise StageError(
                f"records of run {self._place} have different values of {measure!r}: {sorted(found)}\n"
                f"  name the files of different runs differently: {str(USUAL_NAMES).upper()}"
            )
        return next(iter(found), None)


def _look_up(record: Mapping[str, Any], measure: str) -> float | None:
    value: Any = record
    for key in [measure] if measure in record else measure.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise StageError(f"{measure!r} of run {record.get('network')!r} is no number")
    return float(value)


def gather_runs(records: Iterable[Mapping[str, Any]], pattern: NamePattern | None = None) -> list[Run]:
    """One run per name, in order of first appearance, with all its records.

    Without a pattern the names mean `USUAL_NAMES`, their endings left out; if one has fewer parts, all runs are
    identified by the method, seed and data of their records. The networks of a stream, which have an ``index``, count
    as seeds.
    """
    records = list(records)
    if not all("network" in record for record in records):
        raise StageError("each run needs the key 'network': its name, as in records of bnsl evaluate")
    groups = () if pattern is None else pattern.groups
    found = [pattern.match(str(record["network"])) for record in records] if pattern else _meanings(records)
    runs: dict[tuple, Run] = {}
    for record, meaning in zip(records, found):
        group = tuple(meaning[name] for name in groups)
        place = f"#{record['index']}" if "index" in record else ""
        key = (meaning[DATA], meaning[METHOD], meaning.get(SEED, "") + place, group)
        runs.setdefault(key, Run(*key, [])).records.append(record)
    return list(runs.values())


def _meanings(records: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Data, method and seed of each record, from its name or from its own keys."""
    stems = [_ENDING.sub("", PurePath(str(record["network"])).name) for record in records]
    short = [stem for stem in stems if stem.count(".") < len(USUAL_NAMES.parts) - 1]
    if not short:
        return [USUAL_NAMES.match(stem) for stem in stems]
    if not all(isinstance(record.get(key), str) for record in records for key in (DATA, METHOD)):
        raise StageError(
            f"the name of run {short[0]!r} has too few parts for {str(USUAL_NAMES)!r}, and not all runs say their "
            "method and data themselves, as networks of bnsl optimize do; give the meaning of the parts by --names"
        )
    return _stated_meanings(records, stems)


def _stated_meanings(records: Sequence[Mapping[str, Any]], stems: Sequence[str]) -> list[dict[str, str]]:
    """Data are named by the common parts of their runs' names, without method and seed; else by fingerprint."""
    rests: dict[str, set[str]] = {}
    for record, stem in zip(records, stems):
        stated = (record[METHOD], str(record.get(SEED, "")))
        rests.setdefault(record[DATA], set()).add(".".join(word for word in stem.split(".") if word not in stated))
    called = {data: next(iter(rest)) if len(rest) == 1 else "" for data, rest in rests.items()}
    names = list(called.values())
    called = {
        data: name if name and names.count(name) == 1 else data.removeprefix("sha256:")[:_N_FINGERPRINT]
        for data, name in called.items()
    }
    return [{DATA: called[r[DATA]], METHOD: r[METHOD], SEED: str(r.get(SEED, ""))} for r in records]


def group_runs(runs: Sequence[Run]) -> dict[tuple[str, ...], list[Run]]:
    """Runs by group, in order of first appearance."""
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(run.group, []).append(run)
    return groups


AVERAGES: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "deviation": lambda values: statistics.stdev(values) if len(values) > 1 else math.nan,
}
"""What is said of a method's runs with several seeds on the same data. The deviation is the standard deviation of a
sample (divisor: runs less one), NaN for one run."""


class MeasureTable(NamedTuple):
    """One measure of all methods on all cases."""

    # `methods`, `cases`: in order of first appearance.
    methods: tuple[str, ...]
    cases: tuple[str, ...]
    values: np.ndarray  # float64, shape (n_cases, n_methods): NaN where a method failed
    left_out: tuple[str, ...] = ()  # runs without a value although others of the case have one, in words


def tabulate_measure(
    runs: Iterable[Run], measure: str, average: str = "mean", allow_missing: bool = False
) -> MeasureTable:
    """Values of a measure by case (data set) and method, averaged over seeds; `average` is a key of `AVERAGES`.

    Raises `StageError` if a run has no value, or a method no run for a case. With `allow_missing` such runs are left
    out of the average; without any value it is NaN, which ranks last.
    """
    found: dict[tuple[str, str], list[float | None]] = {}
    for run in runs:
        found.setdefault((run.data, run.method), []).append(run.value(measure))
    cases = tuple(dict.fromkeys(case for case, _ in found))
    methods = tuple(dict.fromkeys(method for _, method in found))
    table = np.full((len(cases), len(methods)), np.nan)
    left_out = []
    for row, case in enumerate(cases):
        for column, method in enumerate(methods):
            every = found.get((case, method), [])
            values = [value for value in every if value is not None]
            n_missing = len(every) - len(values)
            missing = f"{n_missing} of {len(every)} runs of {method!r} on {case!r} have no {measure!r}"
            if not allow_missing and (n_missing or not every):
                wanting = missing if values else f"method {method!r} has no {measure!r} on {case!r}"
                raise StageError(f"{wanting}\n  --allow-missing leaves out runs without a value")
            if values:
                table[row, column] = AVERAGES[average](values)
                left_out += [missing] if n_missing else []
    return MeasureTable(methods, cases, table, tuple(left_out))


def dependent_cases(runs: Iterable[Run], pattern: NamePattern | None) -> str | None:
    """The warning that some cases are runs on the same data, so a test would treat dependent cases as independent;
    None if there are none.

    Headers of networks identify the data. Without such headers, cases whose names begin alike are suspected if the
    pattern joins parts to a case.
    """
    by_data: dict[str, dict[str, None]] = {}
    by_name: dict[str, dict[str, None]] = {}
    is_joined = pattern is not None and pattern.parts.count(DATA) > 1
    for run in runs:
        stated = {record["data"] for record in run.records if isinstance(record.get("data"), str)}
        for data in stated:
            by_data.setdefault(data, {})[run.data] = None
        if is_joined and not stated:
            by_name.setdefault(run.data.partition(".")[0], {})[run.data] = None
    for groups, known in ((by_data, "were learnt from the same rows"), (by_name, "begin alike")):
        cases = next((list(group) for group in groups.values() if len(group) > 1), None)
        if cases:
            unless = "" if groups is by_data else ", unless each has rows of its own"
            return (
                f"the cases {listed(map(repr, cases))} {known}{unless}: seeds of one data set are no independent "
                "cases of a test; --names data.method.seed averages over them"
            )
    return None
