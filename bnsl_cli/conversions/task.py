"""What a conversion is asked to do: its input, its target, the part of a network, the choice among networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..options.parameter_types import COLUMNS, INPUT_PATH, Count, Finite
from ..running.option_records import option_field

if TYPE_CHECKING:
    from formats.data_records import Dataset

    from bnsl.options.data import DataOptions
    from bnsl.running.reporter import Reporter


@dataclass(frozen=True)
class PartOptions:
    """The part of a network that is converted."""

    cpdag: bool | None = option_field(
        "Write the essential graph, under the knowledge that the network was learnt with, or all arcs as they stand. "
        "Pictures of learnt networks show no heads where nothing decides the direction, unless --dag is given.",
        names=("--cpdag/--dag",),
        default=None,
        show_default=False,
    )
    markov_blanket: tuple[str, ...] | None = option_field(
        "Keep only these variables, their parents, children and the children's parents. Names or patterns.", COLUMNS
    )
    neighbourhood: tuple[str, ...] | None = option_field(
        "Keep only these variables and those within --radius arcs. Names or patterns.", COLUMNS
    )
    radius: int | None = option_field(
        "Distance from --neighbourhood in arcs of either direction; 1 by default.", Count(min=1), "N"
    )

    def __post_init__(self) -> None:
        if self.radius is not None and self.neighbourhood is None:
            raise click.UsageError("--radius goes with --neighbourhood.")

    def given(self) -> str | None:
        """The first given option that selects a part; None if there is none."""
        if self.cpdag is not None:
            return "--cpdag" if self.cpdag else "--dag"
        names = ("markov_blanket", "neighbourhood")
        return next((f"--{name.replace('_', '-')}" for name in names if getattr(self, name)), None)


class Index(click.ParamType):
    """A position in a stream of networks, from 1; ``best`` is 0."""

    name = "K|best"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return 0 if value == "best" else Count(min=1).convert(value, param, ctx)


@dataclass(frozen=True)
class ChoiceOptions:
    """Which network is converted, and the strengths of its arcs."""

    index: int | None = option_field(
        "Take the K-th network of a stream (from 1), or the one of the best score.", Index()
    )
    strengths: str | None = option_field("Show the arc strengths or probabilities of this table.", INPUT_PATH, "ARCS")
    threshold: float | None = option_field(
        "Join only pairs above P of a table of arc probabilities. [default: the significance threshold]",
        Finite(0, 1, max_open=True),
        "P",
    )

    def given(self) -> str | None:
        """The first given option; None if there is none."""
        return next((f"--{name}" for name, value in vars(self).items() if value is not None), None)


class Conversion(NamedTuple):
    """One conversion."""

    source: str
    format: str
    written: str
    """`format`, `written`: the target format, and that of the file: a list of arcs (``arcs``) may be written as
    Parquet."""
    output: str
    names: Dataset | None
    """Table that names the variables."""
    part: PartOptions
    choice: ChoiceOptions
    data_options: DataOptions
    reporter: Reporter
