"""What answers say about the variables that ``--do`` sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..files.answers import Answers
from ..files.rows import Rows

if TYPE_CHECKING:
    from formats.graph_records import BayesianNetwork


def note_interventions(found: Answers | Rows, model: BayesianNetwork, fixed: Mapping[int, int]) -> None:
    """Name the variables that are set, by index and code, in the closing line and in the figures of the run."""
    if fixed:
        spelled = {model.variables[v].name: model.variables[v].known_states[state] for v, state in fixed.items()}
        found.closing = f"do({', '.join(map('='.join, spelled.items()))}); {found.closing}"
        found.figures["do"] = spelled
