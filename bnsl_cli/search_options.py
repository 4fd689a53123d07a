"""The options of ``bnsl optimize``: some for searches among listed sets, some for searches on data, some for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .options import option, packed
from .parameter_types import INPUT_PATH, Finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stages.optimize import MethodSpec

LIST_ONLY = ("sets", "init", "iterations", "partial")
SETS_ONLY = ("save_sets",)
DATA_ONLY = ("score", "ess", "max_parents", "tabu", "perturb", "alpha")
"""Options (and the argument) that belong to one kind of search; given to another they are refused."""


@dataclass(frozen=True)
class ListSearchOptions:
    """How orders are found and how many are tried."""

    treewidth: int | None
    init: str
    iterations: int
    restarts: int | None
    partial: bool


list_search_options = packed(
    "search",
    ListSearchOptions,
    option(
        "--tw",
        "--treewidth",
        "treewidth",
        type=click.IntRange(min=1),
        metavar="K",
        section="Search among listed sets",
        help="Bound the treewidth of the network's moral graph by K; with --data in method pricing.",
    ),
    option(
        "--init",
        type=click.Choice(["random", "dfs", "fas", "entropy", "ascent"]),
        default="random",
        show_default=True,
        section="Search among listed sets",
        help="Where orders start: at random, depth first along the best parents, by a small feedback arc set "
        "(Perez Urcia and Mauá 2015), by entropy, or as dual ascent on the upper bound places the variables.",
    ),
    option(
        "--iterations",
        type=click.IntRange(min=0),
        default=100,
        show_default=True,
        metavar="N",
        section="Search among listed sets",
        help="Greedy steps per restart (obs).",
    ),
    option(
        "--restarts",
        type=click.IntRange(min=1),
        metavar="N",
        section="Budget",
        help="Number of starting orders (1000 if no budget is given at all); on data, of climbs after the first "
        "(none if not given).",
    ),
    option(
        "--partial",
        is_flag=True,
        section="Search among listed sets",
        help="Accept a stream that ended early: variables that did not arrive get no parents.",
    ),
)


@dataclass(frozen=True)
class DataSearchOptions:
    """What a search on data may do."""

    data: str | None
    start: str | None
    max_parents: int | None
    tabu: int
    perturb: int | None
    alpha: float
    save_sets: str | None


data_search_options = packed(
    "climb",
    DataSearchOptions,
    option(
        "--data",
        type=INPUT_PATH,
        metavar="DATA",
        section="Search on data",
        help="Search on this table and score families on demand; SETS are then optional and extended.",
    ),
    option(
        "--start",
        type=INPUT_PATH,
        metavar="NETWORK",
        section="Method",
        help="Start from this network: on data instead of the empty one, among listed sets with its order, under "
        "--tw K with its elimination order if that fits.",
    ),
    option(
        "--max-parents",
        type=click.IntRange(min=0),
        metavar="K",
        section="Search on data",
        help="Largest number of parents; no limit if not given.",
    ),
    option(
        "--tabu",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        section="Search on data",
        help="Length of the tabu list (hc, mmhc).",
    ),
    option(
        "--perturb",
        type=click.IntRange(min=1),
        metavar="N",
        section="Search on data",
        help="Random changes before every restart; a tenth of the variables if not given.",
    ),
    option(
        "--alpha",
        type=Finite(0, 1),
        default=0.05,
        show_default=True,
        metavar="LEVEL",
        section="Search on data",
        help="Level of the independence tests (mmhc).",
    ),
    option(
        "--save-sets",
        type=click.Path(dir_okay=False, allow_dash=False),
        metavar="FILE",
        section="Search on data",
        help="Write the candidate sets that the search ends with (pricing).",
    ),
)


def resolve_method(ctx: click.Context, methods: Mapping[str, MethodSpec], method: str | None) -> str:
    """The method to run, the best one for the task if none is named; refuses options that do not go with it.

    Raises
    ------
    click.UsageError
    """
    from stages.optimize import default_method

    has_data = ctx.params["data"] is not None
    name = method or default_method(ctx.params["treewidth"], has_data)
    spec = methods[name]
    if spec.needs_data and not has_data:
        raise click.UsageError(f"method {name} searches on data: give --data DATA.")
    if has_data and not spec.needs_data:
        able = ", ".join(other for other, its in methods.items() if its.needs_data)
        raise click.UsageError(f"method {name} takes SETS, not --data; methods on data are {able}.")
    refused = list(LIST_ONLY if spec.needs_data else DATA_ONLY + SETS_ONLY)
    if spec.needs_data:
        refused = [p for p in refused if p != "sets"] if spec.grows_sets else refused + list(SETS_ONLY)
    for parameter in refused:
        if ctx.get_parameter_source(parameter) == click.core.ParameterSource.COMMANDLINE:
            kind = "searches on data" if spec.needs_data else "takes its scores and sets from SETS"
            raise click.UsageError(
                f"{_spelled(ctx, parameter)} does not go with method {name}, which {kind}."
            )
    if ctx.params["start"] is not None and not spec.takes_start:
        raise click.UsageError(f"method {name} has no order to start from: --start does not go with it.")
    _check_bound(methods, name, ctx.params["treewidth"])
    return name


def _spelled(ctx: click.Context, parameter: str) -> str:
    found = next(given for given in ctx.command.params if given.name == parameter)
    return found.make_metavar(ctx) if isinstance(found, click.Argument) else found.opts[0]


def _check_bound(methods: Mapping[str, MethodSpec], name: str, treewidth: int | None) -> None:
    if treewidth is None and not methods[name].unbounded:
        raise click.UsageError(f"method {name} searches under a treewidth bound: give --tw K.")
    if treewidth is not None and not methods[name].bounded:
        alike = methods[name].needs_data
        able = ", ".join(o for o, spec in methods.items() if spec.bounded and spec.needs_data == alike)
        raise click.UsageError(
            f"method {name} knows no treewidth bound; {able} {'do' if ',' in able else 'does'}."
        )
