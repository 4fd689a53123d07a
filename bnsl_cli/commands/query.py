"""``bnsl query``: exact inference in a network with parameters."""

from typing import Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_stats
from bnsl.functions.query import query
from bnsl.options.shared import AnswerOutput, Target
from bnsl.running.errors import UsageError

from ..files import write_answers, write_rows
from ..running.stage_command import Call, stage_command


@stage_command(
    "--do --variables --mpe --separated --effect --evidence --predict --fill --data --format --output", query
)
def command(call: Call, **options: Unpack[AnswerOutput]) -> None:
    """Query a network given evidence: distributions, most probable states, samples.

    Reads a network and evidence as NAME=STATE, and writes the distribution of every variable given the evidence.
    A network without parameters needs --data, to which they are fitted. Answers are exact, except with
    --approximate. Questions about the graph (--separated, --effect) need no parameters.

    \b
    Examples:
      bnsl query random80.bif --variables X1,X2 X0=1
      bnsl query random80.bif X0=1 --mpe
      bnsl query random80.bif --do X1=1 X0=1
      bnsl sample random80.bif --rows 5 --seed 1 |
        bnsl query random80.bif --evidence - --predict X3

    See also: bnsl fit, bnsl sample, bnsl evaluate.
    """
    target = Target(**options)
    is_data = call.values["samples"] is not None or call.values["fill"] is not None
    format_name = written_format(target, is_data)
    found = call()
    if is_data:
        write_rows(target.output, found, format_name)
        call.reporter.summary(found.closing)
    else:
        write_answers(target, found, format_name, call.reporter)
    write_stats(target.stats, found.figures)


def written_format(target: Target, is_data: bool, command: str = "query") -> str:
    """The format of a command's answers; a usage error if the question has no answers of that format."""
    if is_data:
        if target.json or target.format in ("jsonl", "table"):
            raise UsageError("rows of data are written as csv, arrow, feather or parquet.")
        return output_format("sample", target.output, target.format)
    if target.is_table:
        return "table"
    return output_format(command, target.output, "jsonl" if target.json else target.format)
