"""`bnsl.screen`: data or entropies to a screening forest."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack, overload

from ..files.inputs import read_entropies_and_rows
from ..files.recording import record_command
from ..options.data import InterventionOptions, PairsOfColumns, Reading
from ..options.option import Argument, Given, Option, Source
from ..options.shared import Jobs
from ..options.values import Number, Whole
from ..results import Forest
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function

if TYPE_CHECKING:
    import numpy as np

_Option = partial(Option, section="Threshold")


class ScreenOptions(PairsOfColumns, InterventionOptions, MessageOptions, total=False):
    """Options of `screen` but `curve`, which decides the result; one of `eps`, `roots` and `curve` is given."""

    eps: Annotated[float | None, _Option("Give X the parent Y if H(X|Y) is at most E nats.", Number(0), "E")]
    roots: Annotated[
        float | None,
        _Option(
            "Use the smallest threshold that leaves at most this share of the variables as roots.",
            Number(0, 1),
            "SHARE",
        ),
    ]
    relative: Annotated[bool, _Option("Apply the threshold to H(X|Y)/H(X), which is from 0 to 1, instead of H(X|Y).")]
    max_parents: Annotated[
        int,
        _Option(
            "Let up to K variables together determine another one; needs --eps. The result is then a deterministic "
            "DAG instead of a forest.",
            Whole(1),
            "K",
            default=1,
        ),
    ]
    jobs: Jobs


Curve = Annotated[bool, _Option("Write the number of roots at each threshold instead of a forest.")]


class RootCurve(list[dict[str, float]]):
    """Thresholds in nats, ascending, and the number of roots at each, among `n_variables`."""

    def __init__(self, thresholds: "np.ndarray", roots: "np.ndarray", n_variables: int):
        points = zip(thresholds.tolist(), roots.tolist(), strict=True)
        super().__init__({"eps": threshold, "roots": count} for threshold, count in points)
        self.n_variables = n_variables


@overload
def screen(source: Source = None, *, curve: Literal[False] = False, **options: Unpack[ScreenOptions]) -> Forest: ...


@overload
def screen(
    source: Source = None, *, curve: Literal[True], **options: Unpack[ScreenOptions]
) -> list[dict[str, float]]: ...


@overload
def screen(
    source: Source = None, *, curve: bool, **options: Unpack[ScreenOptions]
) -> Forest | list[dict[str, float]]: ...


@function
def screen(
    run: Run,
    source: Annotated[
        Source, Argument("DATA|ENTROPIES", is_standard_input=True), "A table, or the result of 'bnsl entropy'."
    ] = None,
    *,
    curve: Curve = False,
    **options: Unpack[ScreenOptions],
) -> Any:
    """Find variables that another variable nearly determines.

    Returns
    -------
    Forest or list of dict
        The screening forest. With `curve`, the number of roots at each threshold instead.

    Examples
    --------
    >>> forest = bnsl.screen({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [1, 0, 1, 0]}, eps=0.1, quiet=True)
    >>> forest.to_arrow().to_pylist()
    [{'parent': 'c', 'child': 'a'}]
    """
    from stages.screening.determining_sets import with_determining_sets
    from stages.screening.forests import root_curve, screen_forest

    given = Given(**options)
    if curve + (given.eps is not None) + (given.roots is not None) != 1:
        raise UsageError("give one of --eps E, --roots SHARE and --curve.")
    if given.max_parents > 1 and given.eps is None:
        raise UsageError("--max-parents needs --eps: --roots and --curve make forests, of one parent each.")
    entropies, rows = read_entropies_and_rows(source, Reading(**options), given.jobs, run)
    if curve:
        return RootCurve(*root_curve(entropies, given.relative), len(entropies.variables))
    rule: dict[str, Any] = {"eps": given.eps, "roots": given.roots, "relative": given.relative}
    forest = screen_forest(entropies, **rule)
    if given.max_parents > 1:
        if rows is None or rows.is_hidden is not None:
            held = "entropies of pairs" if rows is None else "missing cells"
            raise UsageError(
                f"--max-parents counts sets in complete rows, and here are {held}: give DATA with --missing drop."
            )
        if rows.interventions is not None:
            raise UsageError("--max-parents above 1 cannot be combined with --interventions: leave out one of them.")
        rule["max_parents"] = given.max_parents
        forest = with_determining_sets(forest, rows, entropies, given.max_parents, given.jobs, run.reporter)
    return Forest(replace(forest, header=record_command(forest.header, "screen", rule)))
