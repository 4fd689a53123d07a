"""`bnsl.screen`: data or entropies to a screening forest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files.inputs import read_entropies_and_rows
from ..files.recording import record_command
from ..options.data import DataOptions, data_options_with
from ..options.declared import argument, option, record
from ..options.shared import jobs_option
from ..options.values import FLAG, Number, Whole
from ..running.errors import UsageError
from ..running.function import Run, function

if TYPE_CHECKING:
    from formats.records import Forest


@dataclass(frozen=True)
class ThresholdOptions:
    """Threshold of the conditional entropy; one of `eps`, `roots` and `curve` is given."""

    eps: float | None = option("Give X the parent Y if H(X|Y) is at most E nats.", Number(0), "E")
    roots: float | None = option(
        "Use the smallest threshold that leaves at most this share of the variables as roots.", Number(0, 1), "SHARE"
    )
    relative: bool = option("Threshold H(X|Y)/H(X), from 0 to 1, instead of H(X|Y).", FLAG)
    max_parents: int = option(
        "With --eps, let up to K variables together determine another one: a deterministic DAG in place of a forest.",
        Whole(1),
        "K",
        default=1,
    )
    curve: bool = option("Write the number of roots as a function of the threshold instead of a forest.", FLAG)


class RootCurve(NamedTuple):
    """Thresholds in nats, ascending, and the number of roots at each."""

    points: list[tuple[float, int]]
    n_variables: int

    @property
    def rows(self) -> list[dict[str, float]]:
        """A dictionary for each point."""
        return [{"eps": threshold, "roots": count} for threshold, count in self.points]


def _finish(found: Forest | RootCurve) -> Any:
    from ..results import Forest

    return found.rows if isinstance(found, RootCurve) else Forest(found)


@function(finish=_finish)
def screen(
    source: Any = argument("DATA|ENTROPIES", is_standard_input=True),
    data_options: DataOptions = data_options_with("pairs", is_alone=True, counts_families=True),
    given: ThresholdOptions = record(ThresholdOptions, "Threshold"),
    jobs: int = jobs_option(),
    *,
    run: Run,
) -> Forest | RootCurve:
    """Find variables that another one nearly determines.

    Returns
    -------
    Forest or list of dict
        With `curve`, the number of roots at each threshold.

    Examples
    --------
    >>> forest = bnsl.screen({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [1, 0, 1, 0]}, eps=0.1, quiet=True)
    >>> forest.to_arrow().to_pylist()
    [{'parent': 'c', 'child': 'a'}]
    """
    from stages.screening.determining_sets import with_determining_sets
    from stages.screening.forests import root_curve, screen_forest

    if given.curve + (given.eps is not None) + (given.roots is not None) != 1:
        raise UsageError("give one of --eps E, --roots SHARE and --curve.")
    if given.max_parents > 1 and given.eps is None:
        raise UsageError("--max-parents goes with --eps: --roots and --curve are about forests.")
    entropies, rows = read_entropies_and_rows(source, data_options, jobs, run)
    if given.curve:
        points = zip(*(values.tolist() for values in root_curve(entropies, given.relative)), strict=True)
        return RootCurve(list(points), len(entropies.variables))
    rule: dict[str, Any] = {"eps": given.eps, "roots": given.roots, "relative": given.relative}
    forest = screen_forest(entropies, **rule)
    if given.max_parents > 1:
        if rows is None or rows.is_hidden is not None:
            held = "entropies of pairs" if rows is None else "missing cells"
            raise UsageError(
                f"--max-parents counts sets in complete rows; here are {held}: give DATA, --missing drop."
            )
        if rows.interventions is not None:
            raise UsageError("--max-parents above 1 does not go with --interventions: leave out one of them.")
        rule["max_parents"] = given.max_parents
        forest = with_determining_sets(forest, rows, entropies, given.max_parents, jobs, run.reporter)
    return replace(forest, header=record_command(forest.header, "screen", rule))
