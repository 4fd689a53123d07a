"""The options of ``bnsl parentsets`` that no other command has: what is searched, limits, parts of a run; and the
check that they go with the method.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import click

from stages.parentsets import DEFAULT_METHOD, METHODS, ParentSetOptions

from .method_options import method_options, own_method_options, refuse_unused, with_takers
from .options import max_parents_option
from .parameter_types import DURATION, INPUT_PATH, OUTPUT_FILE, Finite, InputPath, Size
from .stage_command import option, packed


class Shard(click.ParamType):
    """One of N parts: 2/8."""

    name = "i/N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value.strip())
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"{value!r} is no shard; write 1/8, 2/8, ... 8/8.", param, ctx)
        return int(match[1]), int(match[2])


def takers_text(name: str) -> str:
    """The methods that take an option, for sentences."""
    return ", ".join(method for method, spec in METHODS.items() if name in spec.options)


TRACERS = ", ".join(name for name, spec in METHODS.items() if spec.traces)
"""The methods that tell what they explore."""

trace_option = option(
    "--trace",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help=with_takers(
        "Write every scored set in the order of the search to this file: JSON lines, or by its name an Arrow or "
        "Parquet table; 'bnsl formats trace' lists the columns. Each set of the variables at work takes some 50 "
        "bytes of memory.",
        TRACERS,
    ),
)

method_flags = method_options(
    {name: spec.about for name, spec in METHODS.items()},
    f"Search method; --NAME is the same as --method NAME. Default: {DEFAULT_METHOD}.",
)
own_search_options = own_method_options("own", ParentSetOptions, takers_text, lambda _: "Method")


def check_options(ctx: click.Context, method: str) -> None:
    """Refuse options that the method does not take.

    Raises
    ------
    click.UsageError
    """
    governed = {name for spec in METHODS.values() for name in spec.options}
    refuse_unused(ctx, governed, METHODS[method].options, method, takers_text)
    if ctx.params["trace"] is not None:
        if not METHODS[method].traces:
            raise click.UsageError(f"--trace does not go with method {method}; {TRACERS} take it.")
        if ctx.params["dry_run"]:
            raise click.UsageError("--trace goes with a search, not with --dry-run.")


@dataclass(frozen=True)
class SearchOptions:
    """What is searched and how long per variable."""

    max_parents: int | None
    keep_mass: float | None
    time_per_variable: float | None
    memory: int | None
    dry_run: bool


search_options = packed(
    "search",
    SearchOptions,
    max_parents_option("Method"),
    option(
        "--keep-mass",
        type=Finite(min=0, max=1, max_open=True),
        metavar="EPS",
        section="Method",
        help="List sets that a subset dominates, too, unless it scores more by ln(1/EPS) nats: what 'bnsl posterior' "
        "needs. 0 lists all sets that were scored.",
    ),
    option(
        "--time-per-variable",
        type=DURATION,
        metavar="TIME",
        section="Budget",
        help="Stop the search for each variable after this time.",
    ),
    option(
        "--memory",
        type=Size(),
        metavar="SIZE",
        section="Budget",
        help="Memory that the whole process may take, such as 4G: searches whose sets no longer fit end early.",
    ),
    option(
        "--dry-run",
        is_flag=True,
        section="Budget",
        help="Search a few variables only and forecast time, memory and sets of the run.",
    ),
)


@dataclass(frozen=True)
class InputOptions:
    """What the search is guided by, besides the data."""

    screen: str | None
    near: str | None
    extend: str | None


guide_options = packed(
    "guides",
    InputOptions,
    option(
        "--screen",
        type=INPUT_PATH,
        metavar="FOREST",
        section="Input",
        help="Screening forest: its variables keep their one parent, the others choose among its roots.",
    ),
    option(
        "--near",
        type=INPUT_PATH,
        metavar="NETWORK",
        section="Input",
        help=with_takers("Network around whose order sets are grown.", takers_text("near")),
    ),
    option(
        "--extend",
        type=INPUT_PATH,
        metavar="SETS",
        section="Input",
        help="Parent sets of the same data and score, which are listed along with what is found.",
    ),
)


@dataclass(frozen=True)
class PartOptions:
    """Which part of a run this is."""

    shard: tuple[int, int] | None
    resume: str | None


part_options = packed(
    "parts",
    PartOptions,
    option(
        "--shard",
        type=Shard(),
        section="Parts of a run",
        help="Search only the i-th of N parts of the variables, of about equal cost; the seed is 0 unless "
        "given, so that parts fit. 'bnsl merge' puts them together.",
    ),
    option(
        "--resume",
        type=InputPath(dir_okay=False),
        metavar="FILE",
        section="Parts of a run",
        help="Take over the finished variables of an earlier run that was to write FILE (from FILE or "
        "FILE.part) and search the rest.",
    ),
)
