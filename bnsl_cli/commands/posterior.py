"""``bnsl posterior``: candidate parent sets to probabilities of arcs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_stats
from bnsl.functions.posterior import FoundProbabilities, posterior
from bnsl.options.declared import parameter
from bnsl.options.shared import SAVE_EVERY, OutputOptions, output_options, save_every_option
from bnsl.options.values import OUTPUT_FILE, TEXT
from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

from ..running.option_records import packed
from ..running.stage_command import Call, stage_command

if TYPE_CHECKING:
    from formats.chain_records import SavedChains
    from stages.posterior.patterns import PatternProbability

FORMATS = output_options(
    ("arrow", "feather", "parquet", "csv", "table"),
    "Arrow IPC stream (default in a pipe), Arrow file, Parquet, CSV, or a table to read; by default that of the "
    "output's name.",
    without=["as_json"],
)
ANSWERS = parameter(
    "Write the probabilities of the patterns, with standard errors, to this file (CSV).",
    OUTPUT_FILE,
    "FILE",
    section="Output",
)
SAVING = (
    "While chains run, FILE.part beside -o FILE holds their state and their networks so far, rewritten whole this "
    "often; 5m if not given (sampled). --resume goes on from it."
)
RESUME = parameter(
    "Go on with the chains of an earlier run that was to write FILE, from FILE.part (sampled).",
    TEXT,
    "FILE",
    section="Output",
)


@stage_command(
    "--method --prior --features --samples --time --require --forbid --seed --jobs --format --output", posterior
)
@packed("answers", ANSWERS)
@packed("save_every", save_every_option(SAVING))
@packed("resume", RESUME)
@packed("target", FORMATS)
def command(
    call: Call, answers: str | None, save_every: float | None, resume: str | None, target: OutputOptions
) -> None:
    """Compute probabilities of arcs, given candidate parent sets.

    Reads parent sets with scores and writes, for each pair of variables, the posterior probability of the arc:
    exact for few variables, sampled by Markov chains for more. Networks consist of listed sets only, so the
    lists should be made with --keep-mass.

    \b
    Examples:
      bnsl parentsets --keep-mass 1e-3 random80.csv.gz -o kept.sets.jsonl
      bnsl posterior kept.sets.jsonl --samples 400 --seed 1 -o arcs.csv
      bnsl parentsets --columns 'mean*' --discretize median --keep-mass 1e-3 \\
        wdbc.csv | bnsl posterior --prior orders --format table

    See also: bnsl parentsets, bnsl average, bnsl help limits.
    """
    from formats import write_arc_probabilities
    from formats.streams import is_written_in_place
    from formats.wording import option_value

    from ..tables.stage_results import show_arc_probabilities, show_run_forecast

    asked = None if target.format_name == "arrow" else target.format_name
    target_format = None if target.is_table else output_format("posterior", target.output, asked)
    if (call.values["patterns"] is None) != (answers is None):
        raise UsageError("--patterns and --answers need each other.")
    output_format("answers", answers or "-", option="--answers")
    part = None if target.is_table or target.output == "-" or is_written_in_place(target.output) else target.output
    if part is None and (save_every is not None or resume is not None):
        raise UsageError("--save-every and --resume go with -o FILE, and not with --format table.")
    if call.values["dry_run"] and resume is not None:
        raise UsageError("--dry-run forecasts a run from its beginning: leave out --resume.")
    if part is not None and not call.values["dry_run"]:
        part = f"{part}.part"
        call.run.save_every = save_every or SAVE_EVERY
        call.run.save = lambda chains: write_part(part, chains, call.reporter)
        call.run.resume = None if resume is None else read_part(resume, call.reporter)
        if resume is None and os.path.exists(part):
            call.reporter.warn(
                f"starting over: {part} of an unfinished run is overwritten (--resume {option_value(target.output)} "
                "goes on with it)"
            )
    found = call()
    if not isinstance(found, FoundProbabilities):
        show_run_forecast(target, found, call)
        return
    call.reporter.pause()
    if target_format is None:
        show_arc_probabilities(target.output, found.table, target.rows_shown)
    else:
        write_arc_probabilities(target.output, found.table, target_format)
    if answers is not None:
        write_patterns(answers, found.patterns)
    if part is not None and found.is_finished and os.path.exists(part):
        os.unlink(part)
    write_stats(target.stats, found.figures)


def write_part(part: str, chains: SavedChains, reporter: Reporter) -> None:
    """Write the chains so far; a file that cannot be written now does not end the run."""
    from formats.saved_chains import write_chains

    try:
        write_chains(part, chains)
    except OSError as error:
        reporter.warn(f"the chains so far were not written to {part}: {error.strerror}")
    else:
        reporter.saved(part, "the chains")


def read_part(target: str, reporter: Reporter) -> SavedChains | None:
    """The chains of a run that was to write `target`; None if there are none."""
    from formats.saved_chains import open_chains

    if os.path.exists(f"{target}.part"):
        return open_chains(f"{target}.part")
    reporter.warn(f"there is nothing of an earlier run at {target}.part: starting from the beginning")
    return None


def write_patterns(target: str, patterns: Sequence[PatternProbability]) -> None:
    """Write the probabilities of patterns as CSV."""
    from formats.tables.results.result_tables import FIGURE, TEXT, open_result_writer

    columns = {"pattern": TEXT, "probability": FIGURE, "standard_error": FIGURE}
    with open_result_writer(target, columns, "csv") as write:
        write(list(zip(*patterns)))
