"""``bnsl plan``: a script that runs a command in parts or for many settings."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import click

from bnsl.options.declared import option, record
from bnsl.options.shared import output_option
from bnsl.options.values import DURATION, SIZE, Parsed, Whole
from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

from ..running.option_records import packed
from ..running.pages import option as click_option
from ..running.stage_command import stage_command

FORMS = ("slurm", "make", "snakemake", "parallel")

WITH_LIMITS = ("slurm", "snakemake")
"""Forms that set limits on time and memory of a run."""

MOST_RUNS = 100_000


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    """``NAME=A,B,...`` or ``NAME=1..10``."""
    match = re.fullmatch(r"([a-z]\w*)=([\w.,+-]+)", text)
    if match is None:
        raise ValueError(f"{text!r} has no values; write seed=1..10 or method=ils,asobs")
    name, listed = match.groups()
    bounds = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", listed)
    if bounds is None:
        values = tuple(listed.split(","))
    else:
        first, last = map(int, bounds.groups())
        values = tuple(map(str, range(first, min(last, first + MOST_RUNS) + 1)))
    if "" in values or len(set(values)) < len(values) or not values:
        raise ValueError(f"{text!r} has an empty value, one twice, or none")
    return name, values


@dataclass(frozen=True)
class RunsOptions:
    """The runs of the script and their limits."""

    parts: int | None = option(
        "Split one run into N parts: shards of parentsets, or replicates of optimize --bootstrap. Shards are merged "
        "and checked at the end; replicates have the seeds 1 to N.",
        Whole(2),
        "N",
    )
    each: tuple[tuple[str, tuple[str, ...]], ...] = option(
        "One run for each value of {NAME} in COMMAND: seed=1..10, method=ils,asobs. Repeatable, for each "
        "combination.",
        Parsed("name=values", _axis),
        is_several=True,
    )
    time: float | None = option(
        "Time limit of one run, for --slurm and --snakemake. By default from the forecast of parentsets or COMMAND's "
        "own --time.",
        DURATION,
        "TIME",
    )
    memory: int | None = option(
        "Memory limit of one run, likewise. By default from the forecast of parentsets, optimize or posterior.", SIZE
    )


@stage_command("--slurm --make --snakemake --parallel --parts --each --time --memory --output")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND [ARGUMENT]...")
@click_option("--slurm", "form", flag_value="slurm", help="Write a script that submits an array of jobs.")
@click_option("--make", "form", flag_value="make", help="Write a makefile.")
@click_option("--snakemake", "form", flag_value="snakemake", help="Write a workflow of snakemake.")
@click_option("--parallel", "form", flag_value="parallel", help="Write a script that calls GNU parallel.")
@packed("runs", record(RunsOptions, "Runs"))
@packed("output", output_option())
def command(words: tuple[str, ...], form: str | None, runs: RunsOptions, output: str, reporter: Reporter) -> None:
    """Write a script that runs a command in parts or for many settings.

    The script is for Slurm, make, snakemake or GNU parallel. COMMAND is a bnsl command as typed, with -o FILE;
    {NAME} in it stands for the values of --each. Run again, the script makes what is missing.

    \b
    Examples:
      bnsl plan --slurm --parts 8 -o lists.sh \\
        parentsets random80.csv.gz --indep --time 40s -o lists.sets.jsonl
      bnsl plan --parallel --each tw=3,5 \\
        optimize random80.sets.jsonl --tw '{tw}' --time 1s -o '{tw}.net.jsonl'
      bnsl plan --make --each seed=1,2 optimize --data random80.csv.gz --hc \\
        --seed '{seed}' -o '{seed}.net.jsonl' | make -f -

    See also: bnsl help cluster, bnsl parentsets --workers, bnsl merge.
    """
    from formats.streams import open_output

    from ..plans.jobs import limits_of, plan_jobs, with_threads
    from ..plans.scripts import SCRIPTS

    if form is None:
        raise UsageError(f"give what to write: {', '.join(f'--{name}' for name in FORMS)}.")
    if form not in WITH_LIMITS and (runs.time is not None or runs.memory is not None):
        given = "--memory" if runs.time is None else "--time"
        raise UsageError(f"--{form} sets no limits on runs; {given} is for --slurm and --snakemake.")
    axes = dict(runs.each)
    if len(axes) < len(runs.each):
        raise UsageError("--each is given twice for one name.")
    jobs = plan_jobs(words[1:] if words[0] == "bnsl" else words, axes, runs.parts)
    if jobs.n_runs > MOST_RUNS:
        raise UsageError(f"{jobs.n_runs:,} runs are too many: at most {MOST_RUNS:,}.")
    jobs = limits_of(with_threads(jobs), runs.time, runs.memory, reporter if form in WITH_LIMITS else None)
    text = SCRIPTS[form](jobs)
    with open_output(output) as stream:
        stream.write(text.encode())
    if output != "-" and form in ("slurm", "parallel"):
        os.chmod(output, os.stat(output).st_mode | 0o111)
    reporter.summary(f"{jobs.n_runs:,} runs planned for {form}")


command.allow_interspersed_args = False
