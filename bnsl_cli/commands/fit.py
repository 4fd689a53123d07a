"""``bnsl fit``: parameters of a network from data."""

from __future__ import annotations

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_stats
from bnsl.functions.fit import fit
from bnsl.options import shared
from bnsl.options.data import KEPT
from bnsl.running.errors import UsageError

from ..running.option_records import packed
from ..running.stage_command import Call, stage_command


@stage_command("--smoothing --discretize --missing --restarts --iterations --seed --memory --jobs --output", fit)
@packed("output", shared.output_option())
@packed("stats", shared.stats_option())
def command(call: Call, output: str, stats: str | None) -> None:
    """Estimate the parameters of a network from data.

    Reads a network (of 'bnsl optimize', or any format of 'bnsl formats') and a table with its variables, and
    writes the network with probability tables as BIF, or in the format that the name of the output gives.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o n.net.jsonl
      bnsl fit n.net.jsonl random80.csv.gz --smoothing 1 -o random80.fitted.bif
      bnsl fit n.net.jsonl random80.csv.gz | bnsl sample --rows 3 --seed 1

    See also: bnsl query, bnsl sample, bnsl evaluate.
    """
    from formats import write_network

    target_format = output_format("fit", output)
    if stats is not None and call.values["missing"] not in KEPT:
        raise UsageError("--stats needs --missing em.")
    found = call()
    call.reporter.pause()
    write_network(output, found.model, target_format, call.reporter.warn)
    call.reporter.summary(found.closing)
    if found.figures is not None:
        write_stats(stats, found.figures)
