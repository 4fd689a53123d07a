"""Options of a conversion that choose a network of the input, and a part of it."""

from functools import partial
from typing import Annotated, Literal, TypedDict

from ..files import targets
from ..options.data import Columns
from ..options.option import Given, Option, Source, group_options
from ..options.values import INPUT, Number, Parsed, Whole
from ..running.errors import UsageError

ALL, COUNT = "all", "count"
"""Words of ``--class``."""


def _members(text: str) -> str | int:
    """A word, or the number of networks to write, at least 1."""
    if text in (ALL, COUNT):
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text!r} is not {ALL}, {COUNT} or a number of networks from 1")
    return int(text)


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


_Input = partial(Option, section="Input")
_Part = partial(Option, section="Part")


class ChoiceOptions(TypedDict, total=False):
    """Which network is converted, and the strengths of its arcs."""

    index: Annotated[
        int | str | None,
        _Input(
            "Take the K-th network of a stream (from 1), or the network of the best score (best).",
            Parsed("K|best", _index, adapt=str),
        ),
    ]
    strengths: Annotated[Source, _Input("Show the arc strengths or probabilities of this table.", INPUT, "ARCS")]
    compare: Annotated[
        Source,
        _Input(
            "Draw the differences from this network: arcs in both, only here, only there, and reversed, each with "
            "its colour and line.",
            INPUT,
            "NETWORK",
        ),
    ]
    threshold: Annotated[
        float | None,
        _Input(
            "Join only pairs above P in a table of arc probabilities. [default: the significance threshold]",
            Number(0, 1, open_most=True),
            "P",
        ),
    ]


class PartOptions(TypedDict, total=False):
    """The part of a network that is converted, or the networks of its class."""

    cpdag: Annotated[
        bool | None,
        _Part(
            "Write the essential graph (--cpdag), or all arcs as they stand (--dag). Knowledge that the network was "
            "learnt with directs edges of the essential graph, too. --dag makes a network of an essential graph. A "
            "picture of a learnt network shows no arrowhead where nothing decides the direction, unless --dag is "
            "given.",
            names=("--cpdag/--dag",),
            show_default=False,
        ),
    ]
    markov_blanket: Annotated[
        Columns,
        "Keep only these variables (names or patterns), their parents, their children, and the other parents of the "
        "children.",
        {"section": "Part"},
    ]
    neighbourhood: Annotated[
        Columns,
        "Keep only these variables (names or patterns) and the variables within --radius arcs.",
        {"section": "Part"},
    ]
    radius: Annotated[
        int | None,
        _Part("Largest distance from --neighbourhood, in arcs of either direction; 1 by default.", Whole(1), "N"),
    ]
    class_members: Annotated[
        str | int | None,
        _Part(
            "Write networks of the equivalence class: all of them (all), N drawn at random, or only their number "
            "(count). Each network is drawn with the same probability. The knowledge and the interventions that the "
            "network was learnt with limit the class.",
            Parsed("all|count|N", _members, (ALL, COUNT), str),
            names=("--class", "--class-members"),
        ),
    ]
    boxes: Annotated[
        Literal["names", "bars", "tables"] | None,
        _Part(
            "What the boxes of a picture show below the name: nothing (names), bars of the probabilities of the "
            "states (bars), or the tables of parameters (tables). An html page with names has no probabilities at "
            "all. [default: names; html with parameters: bars for up to 40 variables, probabilities beside the "
            "picture for more]",
            metavar="WORD",
        ),
    ]
    seed: Annotated[int | None, _Part("Seed of the networks that --class N draws.", Whole(0), "N")]


class Selection(Given):
    """The given choice among networks, and the part of one."""

    @property
    def part(self) -> str | None:
        """The first given option that selects a part; None if there is none."""
        if self.cpdag is not None:
            return "--cpdag" if self.cpdag else "--dag"
        names = ("markov_blanket", "neighbourhood")
        part = next((f"--{name.replace('_', '-')}" for name in names if getattr(self, name)), None)
        return part or (None if self.class_members is None else "--class")

    @property
    def of_networks(self) -> str | None:
        """The first given option that only networks have; None if there is none."""
        choices = (f"--{name}" for name in group_options(ChoiceOptions) if getattr(self, name) is not None)
        return self.part or next(choices, None)

    def check(self) -> None:
        """Refuse options of a part that do not go together."""
        if self.seed is not None and self.class_members in (None, ALL, COUNT):
            raise UsageError("--seed needs --class N.")
        if self.class_members is not None and self.part != "--class":
            raise UsageError(f"--class cannot be combined with {self.part}.")
        if self.radius is not None and self.neighbourhood is None:
            raise UsageError("--radius needs --neighbourhood.")
        if self.class_members is not None and self.boxes is not None:
            raise UsageError("--boxes needs a picture, and --class writes networks: leave one out.")

    def _check_comparison(self, target_format: str) -> None:
        """Refuse what the picture of two networks does not show."""
        if target_format not in targets.PICTURES:
            raise UsageError(f"--compare draws a picture ({', '.join(targets.PICTURES)}), not {target_format}.")
        if self.strengths is not None or self.boxes not in (None, "names"):
            other = "--strengths" if self.strengths is not None else f"--boxes {self.boxes}"
            raise UsageError(f"{other} cannot be combined with --compare, whose picture shows arcs alone.")

    def check_target(self, target_format: str) -> None:
        """Refuse options for networks with other formats, and options that a format of networks cannot hold."""
        if self.of_networks and target_format not in targets.STRUCTURE_TARGETS:
            raise UsageError(f"{self.of_networks} needs a network, and {target_format} holds none.")
        if self.compare is not None:
            self._check_comparison(target_format)
        if self.boxes is not None and target_format not in targets.PICTURES:
            fitting = ", ".join(targets.PICTURES)
            raise UsageError(f"--boxes needs a picture that shows probabilities ({fitting}), not {target_format}.")
        if self.boxes == "tables" and target_format == "html":
            raise UsageError("leave --boxes out: html shows the table of a variable when you click on the variable.")
        for is_given, name, what, able in (
            (self.cpdag, "--cpdag", "undirected edges beside arcs", targets.ESSENTIAL),
            (self.strengths is not None, "--strengths", "strengths of arcs", targets.WITH_STRENGTHS),
        ):
            if is_given and target_format not in able:
                raise UsageError(f"{name}: {target_format} cannot hold {what}; these can: {', '.join(able)}.")
