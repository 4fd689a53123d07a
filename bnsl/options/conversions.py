"""Options of a conversion: the part of a network, the choice among networks."""

from __future__ import annotations

from dataclasses import dataclass

from ..running.errors import UsageError
from .declared import option
from .values import COLUMNS, FLAG, INPUT, Choice, Number, Parsed, Whole

ALL, COUNT = "all", "count"
"""Words of ``--class``."""


def _members(text: str) -> str | int:
    """A word, or the number of networks to write, at least 1."""
    if text in (ALL, COUNT):
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text!r} is not {ALL}, {COUNT} or a number of networks from 1")
    return int(text)


@dataclass(frozen=True)
class PartOptions:
    """The part of a network that is converted, or the networks of its class."""

    cpdag: bool | None = option(
        "Write the essential graph, under the knowledge that the network was learnt with, or all arcs as they stand; "
        "--dag makes a network of an essential graph. "
        "Pictures of learnt networks show no heads where nothing decides the direction, unless --dag is given.",
        FLAG,
        names=("--cpdag/--dag",),
        default=None,
        show_default=False,
    )
    markov_blanket: tuple[str, ...] | None = option(
        "Keep only these variables, their parents, children and the children's parents. Names or patterns.", COLUMNS
    )
    neighbourhood: tuple[str, ...] | None = option(
        "Keep only these variables and those within --radius arcs. Names or patterns.", COLUMNS
    )
    radius: int | None = option(
        "Distance from --neighbourhood in arcs of either direction; 1 by default.", Whole(1), "N"
    )

    class_members: str | int | None = option(
        "Write the networks of the equivalence class, under the knowledge and the interventions that the network was "
        "learnt with: all, N drawn at random, each as probable, or their number (count).",
        Parsed("all|count|N", _members, (ALL, COUNT), "str | int", str),
        names=("--class", "--class-members"),
    )
    boxes: str | None = option(
        "What the boxes of a picture show below the name: nothing, bars of the probabilities of the states, or the "
        "tables of parameters; html with names has no probabilities at all. [default: names; html: bars for networks "
        "with parameters, up to 40 variables, probabilities beside the picture for more]",
        Choice(("names", "bars", "tables")),
        "WORD",
    )
    seed: int | None = option("Seed of the networks that --class N draws.", Whole(0), "N")

    def __post_init__(self) -> None:
        if self.seed is not None and self.class_members in (None, ALL, COUNT):
            raise UsageError("--seed needs --class N.")
        other = self.given()
        if self.class_members is not None and other != "--class":
            raise UsageError(f"--class cannot be combined with {other}.")
        if self.radius is not None and self.neighbourhood is None:
            raise UsageError("--radius needs --neighbourhood.")

    def given(self) -> str | None:
        """The first given option that selects a part; None if there is none."""
        if self.cpdag is not None:
            return "--cpdag" if self.cpdag else "--dag"
        names = ("markov_blanket", "neighbourhood")
        part = next((f"--{name.replace('_', '-')}" for name in names if getattr(self, name)), None)
        return part or (None if self.class_members is None else "--class")


def _index(text: str) -> int:
    """A position in a stream of networks, from 1; ``best`` is 0."""
    if text == "best":
        return 0
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a valid integer range") from None
    if number < 1:
        raise ValueError(f"{text} is not in the range x>=1")
    return number


@dataclass(frozen=True)
class ChoiceOptions:
    """Which network is converted, and the strengths of its arcs."""

    index: int | None = option(
        "Take the K-th network of a stream (from 1), or the one of the best score.",
        Parsed("K|best", _index, annotation="int | str", adapt=str),
    )
    strengths: str | None = option("Show the arc strengths or probabilities of this table.", INPUT, "ARCS")
    threshold: float | None = option(
        "Join only pairs above P of a table of arc probabilities. [default: the significance threshold]",
        Number(0, 1, open_most=True),
        "P",
    )

    def given(self) -> str | None:
        """The first given option; None if there is none."""
        return next((f"--{name}" for name, value in vars(self).items() if value is not None), None)
