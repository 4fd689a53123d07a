"""The options of ``bnsl parentsets`` that no other command has: what is searched, limits, parts of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import click

from .options import option, packed
from .parameter_types import DURATION, INPUT_PATH


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


class Size(click.ParamType):
    """Memory with units: 800M, 4G, 1.5GiB; a bare number means bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b)?", value.strip().lower())
        if not match:
            self.fail(f"{value!r} is no size; write it like 800M, 4G or 1.5GiB.", param, ctx)
        return int(float(match[1]) * 1024 ** ("kmgt".index(match[2]) + 1 if match[2] else 0))


@dataclass(frozen=True)
class SearchOptions:
    """What is searched and how long per variable."""

    max_parents: int | None
    orders: int
    time_per_variable: float | None
    memory: int | None
    dry_run: bool


search_options = packed(
    "search",
    SearchOptions,
    option(
        "--max-parents",
        type=click.IntRange(min=0),
        metavar="K",
        section="Method",
        help="Largest parent set; no limit if not given.",
    ),
    option(
        "--orders",
        type=click.IntRange(min=1),
        default=100,
        show_default=True,
        metavar="N",
        section="Method",
        help="Orders within which each variable's sets are grown (grow).",
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
        help="Network around whose order sets are grown (grow).",
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
        type=click.Path(dir_okay=False),
        metavar="FILE",
        section="Parts of a run",
        help="Take over the finished variables of an earlier run that was to write FILE (from FILE or "
        "FILE.part) and search the rest.",
    ),
)
