"""``bnsl fit``: parameters of a network from data."""

from typing import Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_stats
from bnsl.functions.fit import fit
from bnsl.options.shared import OutputOptions, StatsOptions, Target

from ..running.stage_command import Call, stage_command


class FitOutput(OutputOptions, StatsOptions, total=False):
    """Destination of the result."""


@stage_command("--smoothing --discretize --missing --restarts --iterations --seed --memory --jobs --output", fit)
def command(call: Call, **options: Unpack[FitOutput]) -> None:
    """Estimate the parameters of a network from data.

    Reads a network (of 'bnsl optimize', or in any format of 'bnsl formats') and a table with its variables.
    Writes the network with probability tables, as BIF or in the format of the output's name.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o n.net.jsonl
      bnsl fit n.net.jsonl random80.csv.gz --smoothing 1 -o random80.fitted.bif
      bnsl fit n.net.jsonl random80.csv.gz | bnsl sample --rows 3 --seed 1

    See also: bnsl query, bnsl sample, bnsl evaluate.
    """
    from bnsl.facts import fit_facts
    from formats import write_network

    target = Target(**options)
    target_format = output_format("fit", target.output)
    found = call()
    call.reporter.pause()
    write_network(target.output, found.record, target_format, call.reporter.warn)
    call.reporter.summary(fit_facts(found.record, found.figures, call.run.exit_code != 0))
    write_stats(target.stats, found.figures)
