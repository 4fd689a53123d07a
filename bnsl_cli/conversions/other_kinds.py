"""Conversions of candidate parent sets and of data tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import click

import formats
from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.records import Header, ParentSetRecord
from formats.wording import plural

from .task import Conversion

PLAIN_LISTS = ("jkl", "pss")
"""Formats of parent sets that hold sets and scores only."""


def named_header(header: Header, names: Dataset | None) -> Header:
    """The header with the variables of a table, if one was given."""
    if names is None:
        return header
    if names.n_variables != header.n_variables:
        raise click.UsageError(
            f"--names has {names.n_variables} columns, but the file has {header.n_variables} variables."
        )
    return replace(header, variables=names.variables)


def write_sets(task: Conversion) -> None:
    """Write candidate parent sets, record by record."""
    header, records = formats.open_parent_set_stream(task.source, warn=task.reporter.warn)
    if task.format in PLAIN_LISTS:
        records = _warn_of_constraints(records, task)
    else:
        records = _with_least_sets(records, header, task)
    count = formats.write_parent_sets(task.output, named_header(header, task.names), records, format=task.format)
    task.reporter.summary(f"parent sets of {plural(count, 'variable')}")


def _with_least_sets(
    records: Iterable[ParentSetRecord], header: Header, task: Conversion
) -> Iterator[ParentSetRecord]:
    """The records; an `Inconsistent` for one without the empty set, or a set that replaces it."""
    for record in records:
        if not record.fixed and record.parents.sizes.min() > len(record.required):
            raise Inconsistent(
                f"no empty parent set is listed for {header.names[record.child]!r}, which {task.format} files need",
                remedy="bnsl optimize searches such lists as they are",
            )
        yield record


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
    with formats.open_table_writer(task.output, dataset.variables, task.format) as writer:
        writer.write(dataset.plain_codes)
    task.reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")
