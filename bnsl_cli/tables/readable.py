"""Records as tables to read, by their kind."""

from __future__ import annotations

from typing import Any

from .network_tables import show_network
from .stage_results import show_arc_probabilities, show_forest, show_parent_sets


def show_record(output: str, record: Any) -> None:
    """A network, arc probabilities, a forest, or the variables and records of parent sets."""
    from bnsl.options.shared import Target
    from formats.graph_records import ArcProbabilityTable, directions_of
    from formats.records import NetworkRecord, ScreeningForest

    target = Target(output=output, format="table")
    match record:
        case ArcProbabilityTable():
            show_arc_probabilities(output, record, None)
        case ScreeningForest():
            show_forest(target, record)
        case NetworkRecord():
            show_network(target, record, directions_of(record))
        case (variables, records):
            show_parent_sets(target, variables, records)
