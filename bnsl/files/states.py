"""The states of variables by another file, or by a value of ``--states``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tables import as_table

if TYPE_CHECKING:
    from formats.data_records import Variable

    from ..running.reporter import LineReporter


def levels_of(states: Any, reporter: LineReporter) -> dict[str, tuple[str, ...]]:
    """The states of columns by the value of ``--states``: by column, or the name of a file."""
    from formats.tables.declared_states import read_levels

    if not isinstance(states, str):
        return states
    found = read_levels(states)
    if found is not None:
        return found
    return {variable.name: variable.known_states for variable in variables_of(states, reporter, "--states")}


def variables_of(source: Any, reporter: LineReporter, option: str) -> tuple[Variable, ...]:
    """Names and states of the variables of a table, a network or parent sets, the value of an `option`."""
    if not isinstance(source, str):
        return source.record.header.variables if hasattr(source, "record") else table_variables(source, reporter)
    from formats import open_network, open_parent_set_stream
    from formats.detection import detect_lines
    from formats.errors import UnsuitableData
    from formats.kinds import STRUCTURES, Kind
    from formats.textlines import Lines

    lines = Lines(source)
    kind = detect_lines(lines).kind
    if kind in STRUCTURES:
        variables = open_network(lines).header.variables
    elif kind in (Kind.PARENT_SETS, Kind.FOREST):
        variables = open_parent_set_stream(lines)[0].variables
    else:
        return table_variables(source, reporter)
    unknown = [variable.name for variable in variables if variable.states is None]
    if unknown:
        raise UnsuitableData(
            f"the states of {len(unknown)} of {len(variables)} variables are not known",
            source=source,
            column=unknown[0],
            remedy=f"give {option} a table, or a network that was learnt from data",
        )
    return variables


def table_variables(source: Any, reporter: LineReporter) -> tuple[Variable, ...]:
    """Names and states of the variables of a table."""
    from formats import open_dataset

    return open_dataset(as_table(source), warn=reporter.warn).variables
