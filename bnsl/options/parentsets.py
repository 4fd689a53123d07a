"""The options of ``bnsl parentsets`` only: limits, guiding inputs, parts of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.parentsets import DEFAULT_METHOD, MAIN_METHODS, METHODS, ParentSetOptions

from ..running.errors import UsageError
from .declared import option, parameter
from .methods import method_option, own_options_of, refuse_incomplete, refuse_unused, with_takers
from .shared import max_parents_field
from .values import DURATION, FLAG, INPUT, OUTPUT_FILE, SIZE, Number, Parsed

if TYPE_CHECKING:
    from ..running.function import Run


def _shard(text: str) -> tuple[int, int]:
    """One of N parts: 2/8."""
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is no shard; write 1/8, 2/8, ... 8/8")
    return int(match[1]), int(match[2])


def takers_text(name: str) -> str:
    """The methods that take an option, separated by commas."""
    return ", ".join(method for method, spec in METHODS.items() if name in spec.options)


TRACERS = ", ".join(name for name, spec in METHODS.items() if spec.traces)
"""The methods that can write a trace."""

TRACE = parameter(
    with_takers(
        "Write every scored set in the order of the search to this file: JSON lines, or by its name an Arrow or "
        "Parquet table; 'bnsl formats trace' lists the columns. Each set of the variables at work takes some 50 "
        "bytes of memory.",
        TRACERS,
    ),
    OUTPUT_FILE,
    section="Output",
)

METHOD = method_option(METHODS, f"Default: {DEFAULT_METHOD}.", main=MAIN_METHODS)
OWN_OPTIONS = own_options_of(ParentSetOptions, takers_text, lambda _: "Method")


def check_options(run: Run, method: str, trace: str | None, dry_run: bool) -> None:
    """Refuse options that the method does not take."""
    governed = {name for spec in METHODS.values() for name in spec.options}
    refuse_unused(run, governed, METHODS[method].options, method, takers_text)
    refuse_incomplete(run, ParentSetOptions, METHODS, method)
    if trace is not None:
        if not METHODS[method].traces:
            raise UsageError(f"--trace does not apply to method {method}; {TRACERS} take it.")
        if dry_run:
            raise UsageError("--trace records a search, and --dry-run makes none: leave one out.")


@dataclass(frozen=True)
class SearchOptions:
    """Limits of the search of each variable."""

    max_parents: int | None = max_parents_field(section="Method")
    keep_mass: float | None = option(
        "List sets that a subset dominates, too, unless it scores more by ln(1/EPS) nats: what 'bnsl posterior' "
        "needs. 0 lists all sets that were scored. Constant columns change no score: no set with one is listed, and "
        "'left_out' and 'listed_share' count them as left out. Drop such columns.",
        Number(0, 1, open_most=True),
        "EPS",
        section="Method",
    )
    time_per_variable: float | None = option("Stop the search for each variable after this time.", DURATION)
    memory: int | None = option(
        "Memory that the whole process may take, such as 4G: searches whose sets no longer fit end early.", SIZE
    )
    dry_run: bool = option("Search a few variables only and forecast time, memory and sets of the run.", kind=FLAG)


@dataclass(frozen=True)
class InputOptions:
    """Inputs that guide the search, besides the data."""

    screen: str | None = option(
        "Screening forest: its variables keep their one parent, the others choose among its roots.", INPUT, "FOREST"
    )
    near: str | None = option(
        with_takers("Network around whose order sets are grown.", takers_text("near")), INPUT, "NETWORK"
    )
    extend: str | None = option(
        "Parent sets of the same data and score, which are listed along with what is found.", INPUT, "SETS"
    )


@dataclass(frozen=True)
class PartOptions:
    """The part of a run to do."""

    shard: tuple[int, int] | None = option(
        "Search only the i-th of N parts of the variables, of about equal cost; the seed is 0 unless "
        "given, so that parts fit: 'cat' makes one list of them.",
        Parsed("i/N", _shard),
    )
