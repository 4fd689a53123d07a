"""The runs of a plan: one command for every combination of values, and the command that collects their results.

A command is a list of words in which ``{name}`` is a placeholder for a value. `quoted` writes a word for a shell: its
literal parts are quoted, and each placeholder becomes the variable that this kind of script uses for it. Threads of a
run come from its command line, time and memory from a dry run.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import click

from bnsl.files.output_formats import output_format
from bnsl.options.values import DURATION
from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

PLACEHOLDER = re.compile(r"\{(\w+)\}")

FILE_NAME = re.compile(r"[\w@+,./-]+")
"""File names that makefiles can hold; shells and snakemake accept all others, too."""

OUTPUT_OPTIONS = ("-o", "--output")

WITHOUT_RESUME = frozenset(("--bootstrap", "--missing", "--format", "--proof", "--dry-run", "--resume"))
"""Options with which a run of optimize is not continued."""

MARGIN = 1.5
"""Factor on the forecast of a run."""

MEMORY_STEP = 64 << 20
"""Memory is rounded up to a multiple of this: measured peaks of the same run differ by some MiB."""

EXTRA_SECONDS = 120.0
"""Allowance for compiling kernels and for writing."""


class PlanError(UsageError):
    """The command cannot be planned; the message names the change that is needed."""


def quoted(word: str, value_of: Callable[[str], str]) -> str:
    """A word for a shell; each placeholder becomes its name by `value_of`, unquoted."""
    parts = enumerate(PLACEHOLDER.split(word))
    text = "".join(value_of(part) if number % 2 else part and shlex.quote(part) for number, part in parts)
    return text or "''"


@dataclass(frozen=True)
class Jobs:
    """Runs of one command."""

    words: tuple[str, ...]
    """The command without ``bnsl`` and without its output."""
    output: str
    """The output file of one run, with every placeholder."""
    axes: dict[str, tuple[str, ...]]
    """Values of every placeholder: plain words. There is a run for each combination."""
    collect: tuple[str, ...] = ()
    """Words of the command that merges all outputs, its arguments; empty if outputs are not merged."""
    whole: str = ""
    """The merged file."""
    seconds: float | None = None
    memory_bytes: int | None = None
    """`seconds`, `memory_bytes`: upper limits of one run; None if unknown."""
    threads: int = 1
    """Of one run."""
    unfinished: str = ""
    """The file, with every placeholder, that a run writes and resumes until it ends; empty for the output itself."""

    @property
    def name(self) -> str:
        """Name of jobs and logs: the name of the result without folder, placeholders and suffixes."""
        stem = os.path.basename(PLACEHOLDER.sub("", self.whole or self.output)).split(".")[0]
        return re.sub(r"[^\w-]+", "-", stem).strip("-_") or "bnsl"

    @property
    def n_runs(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    @property
    def inputs(self) -> list[str]:
        """Files among the words that exist now."""
        return [word for word in self.words[1:] if FILE_NAME.fullmatch(word) and os.path.isfile(word)]

    def command(self, value_of: Callable[[str], str], target: str | None = None) -> str:
        """The command of a run for a shell; `target` is its output as the shell reads it."""
        words = [quoted(word, value_of) for word in ("bnsl", *self.words)]
        target = self.file(value_of) if target is None else target
        if not self.unfinished:
            return " ".join([*words, "-o", target])
        early = quoted(self.unfinished, value_of)
        return " ".join([*words, "--resume", early, "-o", early, "&&", "mv", early, target])

    @property
    def takes_over(self) -> bool:
        """Whether a run whose output is complete has nothing left to do."""
        return self.words[0] == "parentsets"

    def file(self, value_of: Callable[[str], str]) -> str:
        """The output of a run for a shell."""
        return quoted(self.output, value_of)

    def collecting(self, files: str, target: str) -> str:
        """The command that merges files; both arguments as the shell reads them."""
        arrow = ">" if self.collect[0] == "cat" else "-o"
        return f"{' '.join(self.collect)} {files} {arrow} {target}"

    def combinations(self) -> list[dict[str, str]]:
        """The values of every run, the last axis fastest."""
        return [dict(zip(self.axes, values)) for values in itertools.product(*self.axes.values())]


def plan_jobs(words: Sequence[str], axes: dict[str, tuple[str, ...]], parts: int | None) -> Jobs:
    """The runs of a command.

    - `words`: the command as typed, without ``bnsl``.
    - `axes`: values of every placeholder.
    - `parts`: number of parts of a run of parent sets, or of replicates.
    Raises `PlanError`.
    """
    rest, output = _split_output(words)
    for word in (*rest, output):
        _check_word(word, axes)
    missing = [name for name in axes if f"{{{name}}}" not in output]
    if missing:
        raise PlanError(f"the runs would all write {output}: put {{{missing[0]}}} into its name.")
    jobs = Jobs(rest, output, axes)
    if parts is not None:
        jobs = _in_parts(jobs, parts)
    if not jobs.axes:
        raise PlanError("that is one run: give --parts N, or --each NAME=A,B,... and {NAME} in the command.")
    return _resumed(jobs)


def _resumed(jobs: Jobs) -> Jobs:
    """The jobs such that a run that was killed goes on when it is run again, where its command can do so."""
    name, *options = jobs.words
    if "--resume" in options:
        return jobs
    if name == "parentsets" or (name == "posterior" and "sampled" in {word.lstrip("-") for word in options}):
        return replace(jobs, words=(*jobs.words, "--resume", jobs.output))
    is_kept = not WITHOUT_RESUME & {word.split("=")[0] for word in options}
    if name == "optimize" and is_kept and output_format("optimize", jobs.output) == "network":
        folder, file = os.path.split(jobs.output)
        return replace(jobs, unfinished=os.path.join(folder, f"unfinished.{file}"))
    return jobs


def _in_parts(jobs: Jobs, parts: int) -> Jobs:
    numbers = tuple(map(str, range(1, parts + 1)))
    if jobs.axes:
        raise PlanError("--parts and --each do not go together: plan the runs of one setting after the other.")
    folder, name = os.path.split(jobs.output)
    stem, dot, ending = name.partition(".")
    output = os.path.join(folder, f"{stem}.{{part}}{dot}{ending}")
    if jobs.words[0] == "parentsets":
        words = (*jobs.words, "--shard", f"{{part}}/{parts}")
        return Jobs(words, output, {"part": numbers}, ("bnsl", "merge"), jobs.output)
    if jobs.words[0] == "optimize" and "--bootstrap" in jobs.words:
        place = jobs.words.index("--bootstrap") + 1
        replicates = jobs.words[place] if place < len(jobs.words) else ""
        if not replicates.isdigit() or int(replicates) % parts:
            raise PlanError(f"--bootstrap {replicates} cannot be shared evenly by {parts} parts.")
        if "--seed" in jobs.words:
            raise PlanError("leave out --seed: the parts of a bootstrap have the seeds 1, 2, ..., one each.")
        share = str(int(replicates) // parts)
        words = (*jobs.words[:place], share, *jobs.words[place + 1 :], "--seed", "{part}")
        return Jobs(words, output, {"part": numbers}, ("cat",), jobs.output)
    raise PlanError(
        "--parts are of parentsets, or of the replicates of optimize --bootstrap; for others give --each."
    )


def _split_output(words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    places = [place for place, word in enumerate(words) if word in OUTPUT_OPTIONS]
    if len(places) != 1 or places[0] + 1 == len(words):
        raise PlanError("the command needs -o FILE, once: runs elsewhere have no standard output to write to.")
    (place,) = places
    return (*words[:place], *words[place + 2 :]), words[place + 1]


def _check_word(word: str, axes: dict[str, tuple[str, ...]]) -> None:
    """Refuse unknown placeholders, and characters that some kind of script cannot quote."""
    for name in PLACEHOLDER.findall(word):
        if name not in axes:
            raise PlanError(f"{word!r}: there is no --each {name}=....")
    bare = PLACEHOLDER.sub("", word)
    if set(bare) & set("${}") or not bare.isprintable():
        raise PlanError(f"{word!r} cannot be written into a script: leave out $, braces and control characters.")


def _first_words(jobs: Jobs) -> list[str]:
    values = jobs.combinations()[0]
    return [word.format_map(values) for word in jobs.words]


def with_threads(jobs: Jobs) -> Jobs:
    """The jobs with the number of threads in the command line of the first run; a usage error if that command line is
    wrong.
    """
    from ..main import COMMANDS, cli

    name, *rest = _first_words(jobs)
    if name not in COMMANDS:
        raise UsageError(f"no such command: {name!r}.")
    found = cli.get_command(click.get_current_context(), name)
    assert found is not None
    try:
        with found.make_context(f"bnsl {name}", [*rest, "-o", "result"], resilient_parsing=False) as context:
            # All cores (0) means the cores that the run is given.
            return replace(jobs, threads=context.params.get("jobs") or 1)
    except (click.UsageError, UsageError) as error:
        raise UsageError(
            f"in the command: {error.format_message() if isinstance(error, click.UsageError) else error}"
        ) from None


def limits_of(jobs: Jobs, seconds: float | None, memory: int | None, reporter: Reporter | None = None) -> Jobs:
    """The jobs with the time and memory of one run, given or from a dry run.

    A `reporter` is given if the script sets limits: then a search, too, is tried for a forecast of its memory, and
    the reporter hears why there is none, as before its inputs are made. Raises `StageError` if the dry run of
    parentsets fails.
    """
    from stages.runtime.errors import StageError

    words = _first_words(jobs)
    if seconds is None and "--time" in words:
        seconds = MARGIN * DURATION.take(words[words.index("--time") + 1]) + EXTRA_SECONDS
    if words[0] == "parentsets" and (seconds is None or memory is None):
        forecast = _dry_run(words)
        if seconds is None:
            seconds = MARGIN * forecast["seconds"] + EXTRA_SECONDS
        if memory is None:
            memory = _limit_of_memory(forecast)
    elif words[0] in ("optimize", "posterior") and memory is None and reporter is not None:
        try:
            memory = _limit_of_memory(_dry_run(words))
        except StageError as error:
            reporter.warn(f"no forecast of memory, give --memory: {error}")
    return replace(jobs, seconds=seconds, memory_bytes=memory)


def _limit_of_memory(forecast: dict[str, float]) -> int:
    """The memory that a run may take by its forecast, in bytes."""
    return math.ceil(MARGIN * forecast["memory_bytes"] / MEMORY_STEP) * MEMORY_STEP


def _dry_run(words: list[str]) -> dict[str, float]:
    """The forecast of a command, from a separate process whose peak memory is part of it; of one replicate."""
    import orjson

    from stages.runtime.errors import StageError

    for name in ("--resume", "--bootstrap"):
        if name in words:
            place = words.index(name)
            words = words[:place] + words[place + 2 :]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bnsl_cli", *words, "--dry-run", "--json", "-q"],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise StageError(f"the command cannot be run: {done.stderr.decode(errors='replace').strip()}")
    return orjson.loads(done.stdout)
