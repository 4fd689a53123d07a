"""Writing what functions return: rows of data, tables of answers, networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsl.files.recording import json_text

if TYPE_CHECKING:
    from bnsl.files.answers import Answers
    from bnsl.files.rows import Rows
    from bnsl.options.shared import Target
    from bnsl.running.reporter import LineReporter
    from formats.records import NetworkRecord


def write_rows(target: str, rows: Rows, format: str) -> None:
    """Write rows as they come."""
    from formats import open_table_writer

    with open_table_writer(target, rows.variables, format) as writer:
        for batch in rows.batches:
            writer.write(batch)


def write_answers(target: Target, answers: Answers, format: str, reporter: LineReporter) -> None:
    """Write a table of answers, to read, for programs or as a picture, and its closing line."""
    from bnsl.plots import PICTURES, write_plots
    from formats.tables.results.result_tables import METADATA_KEY, open_result_writer

    if target.is_table:
        from .tables.stage_results import show_results

        values = answers.values
        reporter.pause()
        look = target.rows_shown, answers.closing, answers.titles, answers.spare
        show_results(target.output, answers.columns, values, *look)
        return
    if format in PICTURES:
        write_plots(target.output, format, [[answers.for_python().to_arrow()]])
        reporter.pause()
        reporter.summary(answers.closing)
        return
    metadata = {METADATA_KEY: json_text(answers.header).encode()} if answers.header else None
    with open_result_writer(target.output, answers.columns, format, metadata) as write:
        for batch in answers.batches:
            write(batch)
    reporter.pause()
    reporter.summary(answers.closing)


def known_directions(network: NetworkRecord) -> dict[tuple[int, int], str]:
    """What decides the direction of each arc of a new network; empty if its header has a digest of the knowledge."""
    from formats.errors import Inconsistent
    from stages.graphs.orientation import network_directions

    try:
        return network_directions(network)
    except Inconsistent:
        return {}


def deliver_network(target: Target, network: NetworkRecord, file_format: str) -> bool:
    """Show a newly learnt network as a table if requested, else write it; returns whether it is to be summarised."""
    from formats import write_network

    if target.is_sheet:
        from .tables.network_tables import show_network

        show_network(target, network, known_directions(network))
    else:
        write_network(target.output, network, file_format)
    return not target.is_table
