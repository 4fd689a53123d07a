"""Conversions of candidate parent sets and of data tables, and the table to read of any kind of input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from formats import (
    arc_probabilities_or_lines,
    open_forest,
    open_parent_set_stream,
    open_table_writer,
    write_parent_sets,
)
from formats.detection import detect_lines
from formats.graph_records import ArcProbabilities, directions_of
from formats.kinds import Kind
from formats.records import ParentSetRecord
from formats.wording import plural
from stages.evaluate.subgraphs import cut_network

from ..tables.networks import show_network
from ..tables.stage_results import show_arc_probabilities, show_forest, show_parent_sets
from .networks import kept_variables, named_header, open_chosen, with_shown_directions
from .task import Conversion

PLAIN_LISTS = ("jkl", "pss")
"""Formats of parent sets that hold sets and scores only."""


def write_sets(task: Conversion) -> None:
    """Write candidate parent sets, record by record."""
    header, records = open_parent_set_stream(task.source, warn=task.reporter.warn)
    if task.format in PLAIN_LISTS:
        records = _warn_of_constraints(records, task)
    count = write_parent_sets(task.output, named_header(header, task.names), records, format=task.format)
    task.reporter.summary(f"parent sets of {plural(count, 'variable')}")


def _warn_of_constraints(records: Iterable[ParentSetRecord], task: Conversion) -> Iterator[ParentSetRecord]:
    """The records; a warning at the end counts the constraints that the target format cannot hold."""
    n_fixed = n_required = 0
    for record in records:
        n_fixed += record.fixed
        n_required += bool(record.required) and not record.fixed
        yield record
    if n_fixed or n_required:
        task.reporter.warn(
            f"{task.format} files cannot hold constraints: {plural(n_fixed, 'variable')} with a fixed "
            f"parent set and {n_required} with required parents list only sets that keep to them, not the empty set"
        )


def write_data(task: Conversion) -> None:
    """Write a data table."""
    dataset = task.data_options.open(task.source, task.reporter)
    with open_table_writer(task.output, dataset.variables, task.format) as writer:
        writer.write(dataset.plain_codes)
    task.reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")


def write_readable(task: Conversion) -> None:
    """Write a table to read, by the kind of the input."""
    lines = arc_probabilities_or_lines(task.source)
    of_networks = task.part.given() or task.choice.given()
    if isinstance(lines, ArcProbabilities):
        of_networks = of_networks or ("--names" if task.names else None)
        if of_networks:
            raise click.UsageError(f"{of_networks} needs a network; --to table shows all arc probabilities.")
        show_arc_probabilities(task.output, lines, None)
        return
    kind = detect_lines(lines).kind
    if of_networks and kind in (Kind.FOREST, Kind.PARENT_SETS):
        raise click.UsageError(f"{of_networks} needs a network, and {lines.source} is none.")
    if kind is Kind.FOREST:
        if task.names:
            raise click.UsageError("--names is for files that number their variables; a forest names them.")
        show_forest(task.output, open_forest(lines), None)
    elif kind is Kind.PARENT_SETS:
        header, records = open_parent_set_stream(lines, warn=task.reporter.warn)
        show_parent_sets(task.output, named_header(header, task.names).variables, records, None)
    else:
        network = open_chosen(task, lines).structure
        kept = kept_variables(task.part, network, lines.source)
        network = with_shown_directions(network, task.part.cpdag)
        network = network if kept is None else cut_network(network, kept)
        show_network(task.output, network, None, directions_of(network))
