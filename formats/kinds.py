"""Kinds of files, and the record of a format; `registry` has one record per format. Standard library only."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(enum.StrEnum):
    """Content of a file, in the words of ``bnsl formats``."""

    PARENT_SETS = "parent sets"
    NETWORK = "network"
    FOREST = "screening forest"
    ENTROPIES = "entropies"
    TRACE = "explored sets"
    PROOF = "proof"
    ARC_PROBABILITIES = "arc probabilities"
    DATA = "data"
    PARAMETERS = "network with parameters"
    PICTURE = "picture"
    UNKNOWN = "nothing that is read"


STRUCTURES = (Kind.NETWORK, Kind.PARAMETERS)
"""Kinds that are written from a network."""


@dataclass(frozen=True)
class Format:
    """One format."""

    name: str
    """Name for users; names of this program's formats begin with ``bnsl.``."""
    kind: Kind
    called: str
    """Noun phrase of messages: "this looks like a Graphviz graph"."""
    help: str = ""
    """Its line in ``bnsl formats``."""
    suffix: str = ""
    """Usual endings of file names, separated by blanks; the format of an input never depends on its name."""
    magic: tuple[bytes, ...] = ()
    """Possible first bytes of a binary file."""
    pattern: bytes = b""
    """Regular expression that matches the beginning of every sound file behind blank lines and comments, and no data
    table; see `detection`. Line ends are ``\\n``, and the last one of the text may be missing."""
    opening: bytes = b""
    """The same for the first line only. It may match tables, too. It is tried only where no table is expected, so
    that a damaged file is reported by the reader of its format.
    """
    reader: str = ""
    writer: str = ""
    """``module:function``, like the reader; empty if the format is not read, or not written."""
    has_edges: bool = False
    """Whether it has undirected edges beside arcs. Then its writer also takes an `EssentialGraph`, and its reader
    takes a list and adds undirected edges to it instead of refusing them.
    """
    remedy: str = ""
    """What converts it, for messages, if it is not read."""
    takes: tuple[str, ...] = ()
    """Names of further formats that its reader reads as its own kind."""

    @property
    def target(self) -> str:
        """The name as the target of a conversion."""
        return self.name.removeprefix("bnsl.")

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names, each with its dot."""
        return tuple(ending for ending in self.suffix.split() if ending.startswith("."))
