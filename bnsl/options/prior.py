"""A prior of arcs: ``--prior``, the same in every stage that scores families."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from ..running.errors import UsageError
from .option import Given, Option, Source
from .values import INPUT, Input, Number

if TYPE_CHECKING:
    from formats.arc_priors import ArcPrior
    from formats.data_records import Dataset

WITHOUT_PRIOR = {
    "indep": "it chooses sets by estimates from the data alone",
    "greedy": "its rules close sets by bounds on the data alone",
    "tan": "its tree follows from the data alone",
    "kdb": "its rule follows from the data alone",
    "cll": "it compares networks by what they predict",
    "mmhc": "its tests of independence choose the candidates before any score",
}
"""Methods that cannot honour a prior of arcs, with the reason."""

PriorLeast = Annotated[
    float | None,
    Option(
        "Raise probabilities of --prior below P to P, and lower those above 1-P to 1-P, so that data can change "
        "them. Without this option, 0 and 1 are refused.",
        Number(0.0, 0.5, is_open=True),
        "P",
        section="Constraints",
    ),
]
"""``--prior-least``."""


@dataclass(eq=False, repr=False)
class PriorOfNetworks(Input):
    """A uniform prior by its word, or a file of probabilities of arcs."""

    words: tuple[str, ...] = ()

    def paths(self, value: Any) -> list[str]:
        """The file, unless the value is a word."""
        return [path for path in super().paths(value) if path not in self.words]


class PriorOptions(TypedDict, total=False):
    """Probabilities of arcs."""

    prior: Annotated[
        Source,
        Option(
            "A table of prior probabilities of arcs, which the scores then contain. Its columns are from, to and "
            "probability, as in the result of 'bnsl posterior' and in the arc strengths of 'bnsl average'. A row of "
            "type undirected gives the probability of an arc in either direction. An arc adds ln(p/(1-p)) to the "
            "score of its child. Pairs without a row add nothing.",
            INPUT,
            "FILE",
            section="Constraints",
        ),
    ]
    prior_least: PriorLeast


class Prior(Given):
    """The given prior of arcs."""

    @property
    def sources(self) -> tuple[Any, ...]:
        """The file to read, possibly standard input."""
        return () if self.prior is None else (self.prior,)

    def recorded(self) -> dict[str, Any]:
        """The entry of headers about the command; the probabilities are in a key of their own."""
        return {} if self.prior is None else {"arc_prior": True, "prior_least": self.prior_least}

    def read(self, names: Sequence[str]) -> "ArcPrior | None":
        """The prior on the variables with these names; None if no prior was given."""
        if self.prior is None:
            if self.prior_least is not None:
                raise UsageError("--prior-least needs --prior FILE.")
            return None
        return read_prior(self.prior, names, self.prior_least)

    def attached(self, rows: "Dataset") -> "Dataset":
        """The data with the prior that their scores contain."""
        prior = self.read(rows.names)
        return rows if prior is None else replace(rows, prior=prior)

    def check(self, method: str, screen: Any) -> None:
        """Refuse a method that cannot honour the prior, and arcs that were chosen without it."""
        if self.prior is None:
            return
        if method in WITHOUT_PRIOR:
            raise UsageError(f"--prior does not apply to method {method}: {WITHOUT_PRIOR[method]}.")
        if screen is not None:
            raise UsageError("--prior cannot be combined with --screen: the forest's arcs were chosen without it.")


def read_prior(source: Any, names: Sequence[str], least: float | None) -> "ArcPrior":
    """Read probabilities of arcs from a file, a result or a table in memory."""
    from formats.graphs.arc_prior_tables import read_arc_prior

    from ..tables import as_table

    if hasattr(source, "to_arrow"):
        source = source.to_arrow()
    is_file = isinstance(source, str) or hasattr(source, "readable") or hasattr(source, "beginning")
    return read_arc_prior(source if is_file else as_table(source), names, least)
