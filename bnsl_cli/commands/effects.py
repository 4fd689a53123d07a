"""``bnsl effects``: effects of setting variables, with the uncertainty about structure and parameters."""

from typing import Annotated, Unpack

from bnsl.files.recording import write_stats
from bnsl.functions.effects import effects
from bnsl.options.shared import Format, StatsOptions, TableOptions, Target, formats_of

from ..files import write_answers
from ..running.stage_command import Call, stage_command
from .query import written_format


class EffectsOutput(TableOptions, StatsOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(
            ("arrow", "feather", "parquet", "csv", "jsonl", "table"),
            "Arrow IPC stream (default in a pipe), Arrow file, Parquet, CSV, JSON lines or a table to read. A file "
            "has the format of its name by default; .svg, .pdf or .png draws the intervals.",
        ),
    ]


@stage_command("--data --cause --effect --measure --level --require --forbid --seed --format --output", effects)
def command(call: Call, **options: Unpack[EffectsOutput]) -> None:
    """Estimate the effects of setting variables, with credible intervals.

    Reads rows of data and a structure: networks (one, or a stream of replicates), an essential graph, or lists of
    parent sets. Lists stand for the posterior over all their networks. Writes for all pairs P(effect | do(cause)),
    its credible interval, the probability that the cause is an ancestor of the effect, and the share of the
    variance that is due to the structure. The effects hold if no two variables have a hidden common cause.

    \b
    Examples:
      bnsl sample asia.bif --rows 2000 --seed 1 -o asia.csv
      bnsl effects asia.bif --data asia.csv --cause smoke --effect dysp
      bnsl parentsets --score bdeu --keep-mass 1e-6 asia.csv |
        bnsl effects - --data asia.csv --measure strength --seed 1

    See also: bnsl posterior, bnsl query (--do, --effect), bnsl help effects.
    """
    target = Target(**options)
    format_name = written_format(target, False, "effects")
    found = call()
    write_answers(target, found, format_name, call.reporter)
    write_stats(target.stats, found.figures)
