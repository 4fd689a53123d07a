"""Resources of a planned run: threads from its command line, time and memory from a dry run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import click

from ..options.parameter_types import DURATION
from .jobs import Jobs

MARGIN = 1.5
"""Factor on the forecast of a run."""

EXTRA_SECONDS = 120.0
"""Allowance for compiling kernels and for writing."""


def _first_words(jobs: Jobs) -> list[str]:
    values = jobs.combinations()[0]
    return [word.format_map(values) for word in jobs.words]


def with_threads(jobs: Jobs) -> Jobs:
    """The jobs with the threads of the first run's command line, which is parsed; a usage error if it is wrong."""
    from ..main import COMMANDS, cli

    name, *rest = _first_words(jobs)
    if name not in COMMANDS:
        raise click.UsageError(f"no such command: {name!r}.")
    found = cli.get_command(click.get_current_context(), name)
    assert found is not None
    try:
        with found.make_context(f"bnsl {name}", [*rest, "-o", "result"], resilient_parsing=False) as context:
            # All cores (0) are those that the run is given.
            return replace(jobs, threads=context.params.get("jobs") or 1)
    except click.UsageError as error:
        raise click.UsageError(f"in the command: {error.format_message()}", error.ctx) from None


def limits_of(jobs: Jobs, seconds: float | None, memory: int | None) -> Jobs:
    """The jobs with the time and memory of one run, given or from a dry run; `StageError` if that fails."""
    words = _first_words(jobs)
    if seconds is None and "--time" in words:
        seconds = MARGIN * DURATION.convert(words[words.index("--time") + 1], None, None) + EXTRA_SECONDS
    if words[0] == "parentsets" and (seconds is None or memory is None):
        forecast = _dry_run(words)
        if seconds is None:
            seconds = MARGIN * forecast["seconds"] + EXTRA_SECONDS
        if memory is None:
            memory = int(MARGIN * forecast["memory_bytes"])
    return replace(jobs, seconds=seconds, memory_bytes=memory)


def _dry_run(words: list[str]) -> dict[str, float]:
    """The forecast of parentsets, from a separate process, whose peak memory is part of it."""
    import orjson

    from stages.runtime.errors import StageError

    place = words.index("--resume")
    words = words[:place] + words[place + 2 :]
    done = subprocess.run(
        [sys.executable, "-m", "bnsl_cli", *words, "--dry-run", "--json", "-q"], capture_output=True, check=False
    )
    if done.returncode:
        raise StageError(f"the command cannot be run: {done.stderr.decode(errors='replace').strip()}")
    return orjson.loads(done.stdout)
