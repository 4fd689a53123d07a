"""Scripts of all kinds hand every word to the program as it was typed, whatever characters it has."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.processes import environment

from bnsl_cli.plans.jobs import Jobs, PlanError, plan_jobs
from bnsl_cli.plans.scripts import SCRIPTS

NASTY = ("it's; a\\\"b.csv", "--na", "`touch PWNED`", "--na", "", "--drop", "#x y*,~", "--near", "&|<>(){seed} :%=")
"""Words that shells, make and snakemake read otherwise unless they are quoted."""

OUTPUTS = ("a;touch PWNED;.net.jsonl", "a 'b' \"c\".net.jsonl", "a:b%=#.net.jsonl", "plain.net.jsonl")

RECORDER = """#!{python}
import json, os, sys
words = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(words) + "\\n")
open(words[words.index("-o") + 1], "w").close()
"""

SBATCH = """#!/bin/sh
cat > job.$$
n=$(sed -n 's/.*--array=1-\\([0-9]*\\).*/\\1/p' job.$$)
for i in $(seq ${n:-1}); do SLURM_ARRAY_TASK_ID=$i bash job.$$ >&2; done
echo 1
"""

PARALLEL = """#!{python}
import itertools, shlex, subprocess, sys
command, _, *rest = sys.argv[1:]
axes = [[]]
for word in rest:
    axes.append([]) if word == ":::" else axes[-1].append(word)
for values in itertools.product(*axes):
    line = command
    for number, value in enumerate(values, 1):
        line = line.replace("{{%d}}" % number, shlex.quote(value))
    subprocess.run(["bash", "-c", line], check=True)
"""
"""GNU parallel for scripts of ours: its placeholders, which it quotes, and one shell for each line."""


def install(folder: Path, name: str, text: str) -> None:
    target = folder / "bin" / name
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    target.chmod(0o755)


def filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def expected(jobs: Jobs) -> list[list[str]]:
    """The words of all runs, and of the one that collects."""
    runs = [[filled(word, values) for word in (*jobs.words, "-o", jobs.output)] for values in jobs.combinations()]
    return runs + ([["merge", *(run[-1] for run in runs), "-o", jobs.whole]] if jobs.collect else [])


def planned(output: str, parts: int | None) -> Jobs:
    if parts is None:
        stem, _, ending = output.rpartition(".net")
        axes = {"seed": ("1", "2"), "tw": ("3", "5")}
        return plan_jobs(("evaluate", *NASTY, "-o", f"{stem}{{seed}}_{{tw}}.net{ending}"), axes, None)
    words = [word.replace("{seed}", "") for word in NASTY]
    return plan_jobs(("parentsets", *words, "-o", output), {}, parts)


def run_script(form: str, jobs: Jobs, folder: Path) -> list[list[str]]:
    """The words of all commands that a script runs."""
    log = folder / "log"
    python = sys.executable
    install(folder, "bnsl", RECORDER.format(python=python, log=str(log)))
    install(folder, "sbatch", SBATCH)
    install(folder, "parallel", PARALLEL.format(python=python))
    (folder / "plan").write_text(SCRIPTS[form](jobs))
    run = ["make", "-f", "plan"] if form == "make" else ["bash", "plan"]
    path = f"{folder / 'bin'}:{environment()['PATH']}"
    done = subprocess.run(run, cwd=folder, env=environment(PATH=path), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [ast.literal_eval(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("parts", [2, None])
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("form", ["slurm", "parallel", "make"])
def test_scripts_run_the_words_as_typed(form: str, output: str, parts: int | None, tmp_path: Path):
    jobs = planned(output, parts)
    if form == "make" and not output.startswith("plain"):
        with pytest.raises(PlanError, match="make takes no target called"):
            SCRIPTS[form](jobs)
        return
    if shutil.which("make") is None and form == "make":
        pytest.skip("make is not installed")
    assert sorted(run_script(form, jobs, tmp_path)) == sorted(expected(jobs))
    assert not (tmp_path / "PWNED").exists()


class Files(list):
    """Files in a command of snakemake, which quotes them by ``:q``."""

    def __format__(self, spec: str) -> str:
        assert spec == "q"
        return " ".join(map(shlex.quote, self))


@pytest.mark.parametrize("parts", [2, None])
@pytest.mark.parametrize("output", OUTPUTS)
def test_commands_of_snakemake_are_the_words_as_typed(output: str, parts: int | None):
    jobs = planned(output, parts)
    text = SCRIPTS["snakemake"](jobs)
    outputs = [ast.literal_eval(found) for found in re.findall(r"^    output: (.*)$", text, re.M)]
    commands = [ast.literal_eval(found) for found in re.findall(r"^    shell: (.*)$", text, re.M)]
    runs = [
        commands[0].format(wildcards=SimpleNamespace(**values), output=Files([outputs[0].format_map(values)]))
        for values in jobs.combinations()
    ]
    files = Files(jobs.output.format_map(values) for values in jobs.combinations())
    runs += [commands[1].format(input=files, output=Files([outputs[1]]))] if jobs.collect else []
    assert [shlex.split(run)[1:] for run in runs] == expected(jobs)
