"""`bnsl.compare`: measures of many runs to tables and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from formats.wording import plural

from ..options.declared import argument, option, record
from ..options.shared import check_sources
from ..options.values import FLAG, SEED, Choice, Number, Parsed
from ..running.errors import UsageError
from ..running.function import Run, function
from ..tables import as_file

if TYPE_CHECKING:
    from stages.evaluate.comparison_tables import Measure, Section
    from stages.evaluate.runs import NamePattern
    from stages.evaluate.runs import Run as OneRun

SECTIONS = ("values", "ranks", "pairs", "signedrank", "wscores")


def _measure(text: str) -> Measure:
    """A measure and, if given, its direction: KEY, KEY:min or KEY:max."""
    from stages.evaluate.comparison_tables import LESS_IS_BETTER, Measure

    key, colon, direction = text.rpartition(":")
    if colon and direction not in ("min", "max"):
        raise ValueError(f"{text!r} must end in :min or :max, or name a measure alone")
    key = key if colon else text
    return Measure(key, direction == "max" if colon else key not in LESS_IS_BETTER)


def _name_pattern(text: str) -> NamePattern:
    """Meaning of the parts of the runs' names."""
    from stages.evaluate.runs import NamePattern

    return NamePattern(text)


@dataclass(frozen=True)
class ComparisonOptions:
    """Subject and manner of a comparison."""

    names: NamePattern | None = option(
        "Meaning of the parts of file names, separated by points. Seeds are averaged; parts of the same name are "
        "joined, as in 'data.data.method' for name and size of the data; '-' is ignored; any other word splits the "
        "runs into separate tables. [default: data.method.seed; where names have fewer parts, the headers of "
        "networks say it]",
        Parsed("pattern", _name_pattern),
        section="Input",
    )
    measures: tuple[Measure, ...] = option(
        "Measure to compare: a key of the records, or a product or quotient such as bic/parameters. A point "
        "in a key leads into an object. Repeatable. [default: the first of bic, total and the other scores that all "
        "runs have]",
        Parsed("key[:min|:max]", _measure),
        names=("--measure",),
        is_several=True,
    )
    sections: tuple[str, ...] = option(
        "Tables to write: values by data and method, average ranks (Friedman, Holm, Nemenyi), pairs (sign test, "
        "classes of differences), signedrank (Bayesian signed-rank test: probabilities that one method is better), "
        "W-scores. The W-score (G - T) / |G| of a score T against the baseline's G is 0 where T is as good and above "
        "0 where it is worse. Repeatable.  [default: values, ranks, pairs]",
        Choice(SECTIONS),
        names=("--show",),
        is_several=True,
        default=SECTIONS[:3],
        show_default=False,
    )
    baseline: str | None = option(
        "Compare pairs and W-scores with this method only. PART=VALUE: with the best of all runs whose name has "
        "this value in this part.",
        metavar="METHOD",
    )
    averages: tuple[str, ...] = option(
        "Average over seeds; deviation is the standard deviation over them. Repeatable: a table of values for each, "
        "all other tables of the first.  [default: mean]",
        Choice(("mean", "median", "deviation")),
        names=("--average",),
        is_several=True,
        default=("mean",),
        show_default=False,
    )
    level: float = option("Significance level of the rank tests.", Number(0, 1, is_open=True), "ALPHA", default=0.05)
    region: float = option(
        "Differences up to this size are practically none for the signed-rank test, in the unit of the measure.",
        Number(0),
        "SIZE",
        default=0.0,
    )
    seed: int = option("Seed of the draws of the signed-rank test.", SEED, "N", default=0)
    allow_missing: bool = option(
        "Leave out runs without a value, and rank a method last on data where no run has one, instead of failing.",
        kind=FLAG,
    )


class Comparison(NamedTuple):
    """Tables of a comparison, and the closing line."""

    sections: list[Section]
    closing: str


def _finish(found: Comparison) -> list[dict[str, Any]]:
    return [dict(row) for section in found.sections for row in section.rows]


@function(finish=_finish)
def compare(
    files: tuple[Any, ...] = argument("RUNS", is_several=True),
    given: ComparisonOptions = record(ComparisonOptions, "Comparison"),
    *,
    run: Run,
) -> Comparison:
    """Compare methods over many runs: values, ranks, tests.

    `files` are files, or the dictionaries of `evaluate`.

    Returns
    -------
    list of dict
        The rows of all tables.

    Examples
    --------
    >>> runs = [{"network": f"d{d}.{m}.{s}", "bic": -d - (m == "b")} for d in (1, 2) for m in "ab" for s in (1, 2)]
    >>> [row["value"] for row in bnsl.compare(runs, show="values", quiet=True)][:2]
    [-1.0, -2.0]
    """
    from stages.evaluate.comparison_tables import Settings, compare_runs
    from stages.evaluate.runs import dependent_cases, gather_runs

    if "signedrank" not in given.sections:
        run.refuse(("region", "seed"), "goes with --show signedrank.")
    sources = files or (run.source(None, "RUNS"),)
    check_sources(*sources)
    runs = gather_runs((each for source in sources for each in measures_of(source)), given.names)
    settings = Settings(
        given.measures or (_default_measure(runs),),
        tuple(dict.fromkeys(given.sections)),
        given.names.groups if given.names else (),
        given.baseline,
        tuple(dict.fromkeys(given.averages)),
        given.level,
        given.allow_missing,
        given.region,
        given.seed,
    )
    closing = f"{plural(len(runs), 'run')} of {plural(len({each.method for each in runs}), 'method')}"
    sections = list(compare_runs(runs, settings, run.reporter.warn))
    dependent = dependent_cases(runs, given.names) if {"ranks", "pairs"} & set(given.sections) else None
    if dependent:
        run.reporter.warn(dependent)
    return Comparison(sections, closing)


def measures_of(source: Any) -> list[Any]:
    """The records of measures in a file, or the ones that `evaluate` returned."""
    from formats.json_lines.run_measures import open_measures

    return [source] if isinstance(source, dict) else open_measures(as_file(source, "list of measures"))


def _default_measure(runs: list[OneRun]) -> Measure:
    from stages.evaluate.comparison_tables import TOTAL, Measure
    from stages.scoring.scores import SCORES

    keys = dict.fromkeys(["bic", TOTAL, *SCORES])
    for key in keys:
        if all(each.value(key) is not None for each in runs):
            return Measure(key, True)
    raise UsageError(f"no measure is known for all runs ({', '.join(keys)}): give --measure.")
