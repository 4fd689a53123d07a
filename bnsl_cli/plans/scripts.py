"""Plans as scripts for Slurm, make, snakemake and GNU parallel; repeated, a script does only what is missing."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable

from .jobs import FILE_NAME, PLACEHOLDER, Jobs, PlanError

MIB = 1 << 20


def _about(jobs: Jobs) -> str:
    each = ", ".join(f"{len(values)} {name}s" if name == "part" else name for name, values in jobs.axes.items())
    return f"{jobs.n_runs} runs ({each}) of: {jobs.command(lambda name: f'{{{name}}}')}"


def _limits(jobs: Jobs, time: str, memory: str) -> list[str]:
    """The known limits of a run, in minutes and MiB, in the words of a kind of script."""
    known = ((time, jobs.seconds, 60), (memory, jobs.memory_bytes, MIB))
    return [words.format(math.ceil(limit / unit)) for words, limit, unit in known if limit is not None]


def _is_count(values: tuple[str, ...]) -> bool:
    """Whether the values are 1, 2, ..., as the numbers of an array."""
    return values == tuple(map(str, range(1, len(values) + 1)))


def _all_files(jobs: Jobs) -> str:
    """All outputs for bash, as a brace expansion where there are several values."""

    def braces(name: str) -> str:
        values = jobs.axes[name]
        if len(values) == 1:
            return values[0]
        return f"{{1..{len(values)}}}" if _is_count(values) else f"{{{','.join(values)}}}"

    return jobs.file(braces)


def _unless_there(jobs: Jobs, value_of: Callable[[str], str]) -> str:
    """The command of a run, skipped if its output exists, unless it sees itself that nothing is left to do."""
    command = jobs.command(value_of)
    if jobs.takes_over:
        return command
    return f"[ -e {jobs.file(value_of)} ] || {f'( {command} )' if jobs.unfinished else command}"


def slurm_script(jobs: Jobs) -> str:
    """A bash script that submits an array of jobs, and a job that collects their results."""
    log = f"{jobs.name}.%A.%a.log"
    limits = "".join(_limits(jobs, "#SBATCH --time={}\n", "#SBATCH --mem={}M\n"))
    run = _unless_there(jobs, lambda name: f"${{{name}}}")
    script = f"""#!/bin/bash
# {_about(jobs)}
# Run this where sbatch is. Run it again when jobs have failed: only what is missing is done.
set -eu
array=$(sbatch --parsable <<'JOB'
#!/bin/bash
#SBATCH --job-name={jobs.name} --array=1-{jobs.n_runs} --cpus-per-task={jobs.threads} --output={log}
{limits}{_decoded_values(jobs)}{run}
JOB
)
echo "{jobs.n_runs} jobs: ${{array%%;*}}"
"""
    if jobs.collect:
        script += f"""last=$(sbatch --parsable --dependency="afterok:${{array%%;*}}" --kill-on-invalid-dep=yes <<'JOB'
#!/bin/bash
#SBATCH --job-name={jobs.name}-all --output={jobs.name}.all.%A.log
{jobs.collecting(_all_files(jobs), shlex.quote(jobs.whole))}
JOB
)
echo {shlex.quote(jobs.whole)} "when all have succeeded: ${{last%%;*}}"
"""
    return script


def _decoded_values(jobs: Jobs) -> str:
    """Bash lines that set a variable for every axis from the number of the array task."""
    if len(jobs.axes) == 1:
        ((name, values),) = jobs.axes.items()
        if _is_count(values):
            return f"{name}=$SLURM_ARRAY_TASK_ID\n"
    lines, rest = "", "$((SLURM_ARRAY_TASK_ID - 1))"
    for number, (name, values) in enumerate(reversed(jobs.axes.items()), start=1):
        place = "REST" if number == len(jobs.axes) else f"REST % {len(values)}"
        lines += f"VALUES=({' '.join(values)}) REST={rest}\n{name}=${{VALUES[{place}]}}\n"
        rest = f"$((REST / {len(values)}))"
    return lines


def parallel_script(jobs: Jobs) -> str:
    """A script for bash that runs all in GNU parallel."""
    numbers = {name: f"{{{number}}}" for number, name in enumerate(jobs.axes, start=1)}
    values = " ".join(f"::: {' '.join(values)}" for values in jobs.axes.values())
    script = f"""#!/bin/bash
# {_about(jobs)}
# Run again after failures: only what is missing is done. Options of parallel (-j 8, --sshlogin ...) can be given.
set -eu
parallel "$@" {shlex.quote(_unless_there(jobs, numbers.__getitem__))} {values}
"""
    if jobs.collect:
        script += jobs.collecting(_all_files(jobs), shlex.quote(jobs.whole)) + "\n"
    return script


def makefile(jobs: Jobs) -> str:
    """A makefile with a rule for every run.

    Raises `PlanError`: make cannot have a target of that name.
    """
    for path in filter(None, (jobs.output, jobs.whole)):
        if not FILE_NAME.fullmatch(PLACEHOLDER.sub("", path) or "-"):
            raise PlanError(f"make takes no target called {path!r}: use letters, digits and @+,./-_ in it.")
    file = jobs.file(lambda name: f"$({name})")
    command = jobs.command(lambda name: f"$({name})", "$$@")
    everything, rules = file, "$(eval $(RULE))"
    for name in reversed(jobs.axes):
        everything = f"$(foreach {name},$({name}s),{everything})"
        rules = f"$(foreach {name},$({name}s),{rules})"
    lists = "\n".join(f"{name}s := {' '.join(values)}" for name, values in jobs.axes.items())
    collect = ""
    if jobs.collect:
        collect = f"{jobs.whole}: $(FILES)\n\t{jobs.collecting('$^', '$@')}\n\n"
    return f"""# {_about(jobs)}
# make -f THIS -j 8; again after failures, it makes what is missing.
{lists}
FILES := {everything}

.DELETE_ON_ERROR:
all: {jobs.whole or "$(FILES)"}

{collect}define RULE
{file}: {" ".join(jobs.inputs)}
\t{command}

endef
{rules}
"""


def snakefile(jobs: Jobs) -> str:
    """A workflow of snakemake."""
    values = ", ".join(f"{name}={list(values)}" for name, values in jobs.axes.items())
    files = f"expand({jobs.output!r}, {values})"
    limits = _limits(jobs, "runtime={}", "mem_mb={}")
    resources = f"    resources: {', '.join(limits)}\n" if limits else ""
    threads = f"    threads: {jobs.threads}\n" if jobs.threads > 1 else ""
    inputs = f"    input: {', '.join(map(repr, jobs.inputs))}\n" if jobs.inputs else ""
    command = jobs.command(lambda name: f"{{wildcards.{name}}}", "{output:q}")
    text = f"""# {_about(jobs)}
# snakemake -s THIS -j 8; again after failures, it makes what is missing.
rule all:
    input: {repr(jobs.whole) if jobs.collect else files}

rule run:
{inputs}    output: {jobs.output!r}
{threads}{resources}    shell: {command!r}
"""
    if jobs.collect:
        text += f"""
rule collect:
    input: {files}
    output: {jobs.whole!r}
    shell: {jobs.collecting("{input:q}", "{output:q}")!r}
"""
    return text


SCRIPTS: dict[str, Callable[[Jobs], str]] = {
    "slurm": slurm_script,
    "make": makefile,
    "snakemake": snakefile,
    "parallel": parallel_script,
}
