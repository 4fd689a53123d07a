"""``bnsl plan``: a command to a script that runs it many times elsewhere."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from ..options import message_options, output_option
from ..parameter_types import DURATION, Count, Size
from ..reporter import Reporter
from ..stage_command import option, stage_command

FORMS = ("slurm", "make", "snakemake", "parallel")

MOST_RUNS = 100_000


class Axis(click.ParamType):
    """``NAME=A,B,...`` or ``NAME=1..10``."""

    name = "name=values"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[str, ...]]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([a-z]\w*)=([\w.,+-]+)", value)
        if match is None:
            self.fail(f"{value!r} names no values; write seed=1..10 or method=ils,asobs.", param, ctx)
        name, text = match.groups()
        bounds = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", text)
        if bounds is None:
            values = tuple(text.split(","))
        else:
            first, last = map(int, bounds.groups())
            values = tuple(map(str, range(first, min(last, first + MOST_RUNS) + 1)))
        if "" in values or len(set(values)) < len(values) or not values:
            self.fail(f"{value!r} has an empty value, one twice, or none.", param, ctx)
        return name, values


@stage_command
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND [ARGUMENT]...")
@option("--slurm", "form", flag_value="slurm", help="A script that submits an array of jobs.")
@option("--make", "form", flag_value="make", help="A makefile.")
@option("--snakemake", "form", flag_value="snakemake", help="A workflow of snakemake.")
@option("--parallel", "form", flag_value="parallel", help="A script that calls GNU parallel.")
@option(
    "--parts",
    type=Count(min=2),
    metavar="N",
    section="Runs",
    help="One run in N parts: of parentsets shards, which are merged and checked at the end, of optimize --bootstrap "
    "replicates, with the seeds 1 to N.",
)
@option(
    "--each",
    type=Axis(),
    multiple=True,
    section="Runs",
    help="A run for each of these values, which stand for {NAME} in COMMAND: seed=1..10, method=ils,asobs. "
    "Repeatable, then for each combination.",
)
@option(
    "--time",
    type=DURATION,
    metavar="TIME",
    section="Runs",
    help="What one run takes at most; by the forecast of parentsets, or by COMMAND's own --time, if not given.",
)
@option(
    "--memory",
    type=Size(),
    section="Runs",
    help="Memory of one run at most; by the forecast of parentsets if not given.",
)
@output_option
@message_options
def command(
    words: tuple[str, ...],
    form: str | None,
    parts: int | None,
    each: tuple[tuple[str, tuple[str, ...]], ...],
    time: float | None,
    memory: int | None,
    output: str,
    reporter: Reporter,
) -> None:
    """Write a script that runs a command in parts or for many settings.

    The script is for a cluster (Slurm), for all cores of this machine (make, GNU parallel), or for both (snakemake).
    COMMAND is a command of bnsl as it would be typed, with -o FILE. The script is short and readable and runs as it
    stands, where the files of COMMAND are; run again, it does what is missing. Parts of parentsets are merged at the
    end, which says what is missing if something is.

    Time and memory of parts of parentsets come from its forecast (--dry-run), which runs now and takes some seconds:
    half as much again for time and memory, and two minutes for a start with nothing compiled. The cores of a run are
    those of COMMAND's -j.

    \b
    Examples:
      bnsl plan --slurm --parts 8 -o lists.sh parentsets random80.csv.gz --indep --time 40s -o lists.sets.jsonl
      bnsl plan --make --parts 4 optimize --data random80.csv.gz --hc --bootstrap 20 -o hc.net.jsonl
      bnsl plan --parallel --each tw=3,5 optimize random80.sets.jsonl --tw '{tw}' --time 1s -o '{tw}.net.jsonl'
      bnsl plan --make --each seed=1,2 optimize --data random80.csv.gz --hc --seed '{seed}' -o '{seed}.net.jsonl' |
        make -f -

    \b
    Exit status: 0 written, 1 cannot write or COMMAND cannot run so, 2 wrong usage.
    See also: bnsl help cluster, bnsl parentsets --workers, bnsl merge.
    """
    from formats.streams import open_output

    from ..plans.jobs import PlanError, plan_jobs
    from ..plans.scripts import SCRIPTS
    from ..plans.trial import limits_of, with_threads

    if form is None:
        raise click.UsageError(f"say what is to be written: {', '.join(f'--{name}' for name in FORMS)}.")
    axes = dict(each)
    if len(axes) < len(each):
        raise click.UsageError("--each gives the values of one name twice.")
    try:
        jobs = plan_jobs(words[1:] if words[0] == "bnsl" else words, axes, parts)
    except PlanError as error:
        raise click.UsageError(f"{error}.") from None
    if jobs.n_runs > MOST_RUNS:
        raise click.UsageError(f"{jobs.n_runs:,} runs are too many: at most {MOST_RUNS:,}.")
    jobs = limits_of(with_threads(jobs), time, memory)
    with open_output(output) as stream:
        stream.write(SCRIPTS[form](jobs).encode())
    if output != "-" and form in ("slurm", "parallel"):
        os.chmod(output, os.stat(output).st_mode | 0o111)
    reporter.summary(f"{jobs.n_runs:,} runs planned for {form}")


command.allow_interspersed_args = False
