"""Writing what functions return: rows of data, tables of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsl.files.answers import Answers
from bnsl.files.recording import json_text
from bnsl.files.rows import Rows

if TYPE_CHECKING:
    from bnsl.options.shared import OutputOptions
    from bnsl.running.reporter import Reporter


def write_rows(target: str, rows: Rows, format: str) -> None:
    """Write rows as they come."""
    from formats import open_table_writer

    with open_table_writer(target, rows.variables, format) as writer:
        for batch in rows.batches:
            writer.write(batch)


def write_answers(target: OutputOptions, answers: Answers, format: str, reporter: Reporter) -> None:
    """Write a table of answers, to read or for programs, and its closing line."""
    from formats.tables.results.result_tables import METADATA_KEY, open_result_writer

    from .tables.stage_results import show_results

    if target.is_table:
        values = answers.values
        reporter.pause()
        look = target.rows_shown, answers.closing, answers.titles, answers.spare
        show_results(target.output, answers.columns, values, *look)
        return
    metadata = {METADATA_KEY: json_text(answers.header).encode()} if answers.header else None
    with open_result_writer(target.output, answers.columns, format, metadata) as write:
        for batch in answers.batches:
            write(batch)
    reporter.pause()
    reporter.summary(answers.closing)
