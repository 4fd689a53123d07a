"""Plans: what they refuse, and that makefiles and scripts run as they stand, again only what is missing."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.processes import run_here, run_shell

from bnsl_cli.plans.jobs import PlanError, plan_jobs
from bnsl_cli.plans.scripts import SCRIPTS, slurm_script

LISTS = ("parentsets", "d.csv", "--indep", "--evaluations", "100", "-o", "out/lists.sets.jsonl")
RUN = ("optimize", "s.jsonl", "--tw", "{tw}", "--seed", "{seed}", "-o", "{tw}.{seed}.net.jsonl")
AXES = {"seed": ("1", "2", "3"), "tw": ("3", "5")}


@pytest.mark.parametrize(
    ("words", "axes", "parts", "complaint"),
    [
        (("parentsets", "d.csv"), {}, 2, "needs -o FILE, once"),
        (("parentsets", "d.csv", "-o"), {}, 2, "needs -o FILE, once"),
        ((*LISTS, "-o", "x"), {}, 2, "needs -o FILE, once"),
        (LISTS, {}, None, "that is one run"),
        (LISTS, {"seed": ("1",)}, None, "the runs would all write out/lists.sets.jsonl: put {seed} into its name"),
        (RUN, {"seed": ("1",)}, None, "there is no --each tw="),
        (RUN, AXES, 2, "--parts and --each do not go together"),
        (("optimize", "s.jsonl", "-o", "x.jsonl"), {}, 2, "--parts are of parentsets"),
        (("optimize", "--bootstrap", "5", "-o", "x"), {}, 2, "cannot be shared evenly"),
        (("optimize", "--bootstrap", "4", "--seed", "1", "-o", "x"), {}, 2, "leave out --seed"),
        (("parentsets", "$HOME/d.csv", "-o", "x"), {}, 2, "cannot be written into a script"),
        (("parentsets", "a\rb", "-o", "x"), {}, 2, "cannot be written into a script"),
    ],
)
def test_what_cannot_be_planned_is_reported(words, axes, parts, complaint):
    with pytest.raises(PlanError) as caught:
        plan_jobs(words, axes, parts)
    assert complaint in str(caught.value)


def test_parts_of_lists_go_on_where_they_were_and_are_merged():
    jobs = plan_jobs(LISTS, {}, 3)
    assert jobs.n_runs == 3 and jobs.name == "lists"
    command = jobs.command({"part": "2"}.__getitem__)
    file = "out/lists.2.sets.jsonl"
    assert command == (f"bnsl parentsets d.csv --indep --evaluations 100 --shard 2/3 --resume {file} -o {file}")
    assert jobs.collecting("a b", "c") == "bnsl merge a b -o c"


def test_parts_of_a_bootstrap_share_its_replicates():
    jobs = plan_jobs(("optimize", "--data", "d.csv", "--bootstrap", "20", "-o", "b.jsonl"), {}, 4)
    command = jobs.command({"part": "3"}.__getitem__)
    assert command == "bnsl optimize --data d.csv --bootstrap 5 --seed 3 -o b.3.jsonl"
    assert jobs.collecting("a b", "c") == "cat a b > c"


def test_a_search_goes_on_from_its_unfinished_network():
    jobs = plan_jobs((*RUN[:-1], "out/{tw}.{seed}.net.jsonl"), AXES, None)
    values = {"tw": "3", "seed": "2"}
    early = "out/unfinished.3.2.net.jsonl"
    expected = f"bnsl optimize s.jsonl --tw 3 --seed 2 --resume {early} -o {early} && mv {early} out/3.2.net.jsonl"
    assert jobs.command(values.__getitem__) == expected
    for more in (("--missing=em",), ("--bootstrap", "5"), ("--resume", "x")):
        assert plan_jobs((*RUN[:-2], *more, *RUN[-2:]), AXES, None).unfinished == ""
    assert plan_jobs((*RUN[:-1], "{tw}.{seed}.dot"), AXES, None).unfinished == ""
    sampled = plan_jobs(("posterior", "{tw}.jsonl", "--sampled", "-o", "{tw}.csv"), {"tw": ("3", "5")}, None)
    assert sampled.command({"tw": "3"}.__getitem__) == "bnsl posterior 3.jsonl --sampled --resume 3.csv -o 3.csv"
    exact = plan_jobs(("posterior", "{tw}.jsonl", "-o", "{tw}.csv"), {"tw": ("3", "5")}, None)
    assert "--resume" not in exact.command({"tw": "3"}.__getitem__)


@pytest.mark.parametrize("form", ["slurm", "parallel"])
def test_a_finished_search_is_left_alone(form):
    text = SCRIPTS[form](plan_jobs(RUN, {"seed": ("1",), "tw": ("3", "5")}, None))
    assert re.search(r"\[ -e \S+ \] \|\| \( bnsl optimize .* && mv \S+ \S+ \)", text)


def test_words_with_blanks_are_quoted():
    jobs = plan_jobs(("evaluate", "my file", "--data", "it's.csv", "-o", "{seed}.json"), {"seed": ("1", "2")}, None)
    assert "'my file'" in jobs.command("{}".format) and "'it'\"'\"'s.csv'" in jobs.command("{}".format)


def test_an_array_numbers_all_combinations():
    """The lines between the header and the command, run by bash for every number."""
    jobs = plan_jobs(RUN, AXES, None)
    lines = slurm_script(jobs).split("\n#SBATCH")[-1].splitlines()[1:]
    decoding = "\n".join(lines[: next(i for i, line in enumerate(lines) if line.startswith("["))])
    found = []
    for number in range(1, 7):
        result = subprocess.run(
            ["bash", "-c", f"SLURM_ARRAY_TASK_ID={number}\n{decoding}\necho $seed $tw"],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(tuple(result.stdout.split()))
    assert found == [(c["seed"], c["tw"]) for c in jobs.combinations()]


@pytest.mark.parametrize("form", SCRIPTS)
def test_limits_of_a_run_are_reported_where_there_is_someone_to_hear_them(form):
    from dataclasses import replace

    limits = {"seconds": 119.0, "memory_bytes": 300 << 20, "threads": 4}
    text = SCRIPTS[form](replace(plan_jobs(LISTS, {}, 3), **limits))
    expected = {
        "slurm": ("--time=2\n", "--mem=300M", "--cpus-per-task=4"),
        "snakemake": ("runtime=2", "mem_mb=300", "threads: 4"),
    }.get(form, ())
    assert all(words in text for words in expected)
    assert text.count("\n") <= 25 and text.endswith("\n")


@pytest.mark.slow
def test_the_command_refuses_what_the_planned_one_would(tmp_path: Path):
    for words, complaint in (
        (("--make", "--parts", 2, "parentsets", "--indeq", "d.csv", "-o", "x"), b"in the command: No such option"),
        (("--make", "--parts", 2, "parentset", "d.csv", "-o", "x"), b"--parts are of parentsets"),
        (("--make", "--each", "x=1,2", "optimise", "d.csv", "-o", "{x}"), b"no such command: 'optimise'"),
        (("--parts", 2, "parentsets", "d.csv", "-o", "x"), b"--slurm, --make, --snakemake, --parallel"),
        (("--make", "--each", "x=", "fit", "-o", "{x}"), b"has no values"),
        (("--make", "--each", "x=2..1", "fit", "-o", "{x}"), b"an empty value, one twice, or none"),
        (("--make", "--each", "x=1", "--each", "x=2", "fit", "-o", "{x}"), b"twice for one name"),
    ):
        result = run_here("plan", *words, cwd=tmp_path)
        assert result.returncode == 2 and complaint in result.stderr, result.stderr.decode()
    result = run_here("plan", "--make", "--parts", 2, "parentsets", "none.csv", "-o", "x", cwd=tmp_path)
    assert result.returncode == 1 and b"the command cannot be run" in result.stderr


@pytest.mark.parametrize(("options", "cores"), [((), 1), (("-j", 3), 3), (("-j", 0), 1)])
def test_a_run_has_the_cores_that_it_uses(tmp_path: Path, options: tuple, cores: int):
    words = ("optimize", "x.sets.jsonl", *options, "--seed", "{seed}", "-o", "{seed}.net.jsonl")
    result = run_here("plan", "--slurm", "--each", "seed=1,2", *words, cwd=tmp_path)
    assert f"--cpus-per-task={cores} ".encode() in result.stdout, result.stderr.decode()


@pytest.fixture
def place(tmp_path: Path, bundled: Path) -> Path:
    """A folder with a table of ten variables."""
    run = run_here("sample", "--random", 10, "--rows", 300, "--seed", 1, "-o", tmp_path / "d.csv")
    assert run.returncode == 0, run.stderr.decode()
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_makefile_runs_as_it_stands(place: Path):
    planned = "bnsl plan --make --parts 3 -o Makefile parentsets d.csv --indep --evaluations 100 -o all.jsonl"
    result = run_shell(f"{planned}; make -j2", place)
    assert result.returncode == 0, result.stderr.decode()
    whole = run_shell("bnsl parentsets --seed 0 d.csv --indep --evaluations 100 -o one.jsonl", place)
    assert whole.returncode == 0
    records = (place / "all.jsonl").read_bytes().splitlines()[1:]
    assert records == (place / "one.jsonl").read_bytes().splitlines()[1:]
    (place / "all.2.jsonl").unlink()
    again = run_shell("make -n | grep -v ^#", place)
    assert again.stdout.count(b"bnsl parentsets") == 1 and again.stdout.count(b"bnsl merge") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "run"),
    [("make", "make -f plan"), ("parallel", "./plan -j2"), ("snakemake", "snakemake -s plan -j2 --quiet all")],
)
def test_a_grid_runs_as_it_stands(place: Path, form: str, run: str):
    if shutil.which(form) is None:
        pytest.skip(f"{form} is not installed")
    grid = "--each seed=1..2 --each score=bic,bdeu"
    command = "optimize --data d.csv --hc --score {score} --seed {seed} -o {score}.{seed}.net.jsonl"
    result = run_shell(f"bnsl plan --{form} {grid} -o plan {command}; {run}", place)
    assert result.returncode == 0, result.stderr.decode()
    made = sorted(path.name for path in place.glob("*.net.jsonl"))
    assert made == [f"{score}.{seed}.net.jsonl" for score in ("bdeu", "bic") for seed in (1, 2)]


@pytest.mark.slow
def test_a_killed_search_goes_on(place: Path):
    """As an unfinished network of another run would: it is refused, so it was taken up."""
    command = "optimize --data d.csv --seed {seed} --evaluations 2000 -o {seed}.net.jsonl"
    planned = run_shell(f"bnsl plan --parallel --each seed=1,2 -o plan {command}; cat plan", place).stdout.decode()
    run = re.search(r"parallel \"\$@\" '(.*)' :::", planned).group(1).replace("{1}", "1")
    first = run_shell(run, place)
    assert first.returncode == 0 and b"nothing of an earlier run" in first.stderr, first.stderr.decode()
    text = (place / "1.net.jsonl").read_text()
    assert not list(place.glob("unfinished*"))
    (place / "unfinished.1.net.jsonl").write_text(text.replace('"total":', '"interrupted":true,"total":', 1))
    kept = run_shell(run, place)
    assert kept.returncode == 0 and not kept.stderr
    (place / "1.net.jsonl").unlink()
    again = run_shell(run, place)
    assert again.returncode == 0 and b"nothing of an earlier run" not in again.stderr, again.stderr.decode()
    assert (place / "1.net.jsonl").exists() and not list(place.glob("unfinished*"))


@pytest.mark.slow
def test_memory_of_a_search_is_forecast_where_its_inputs_are_there(place: Path):
    words = ("optimize", "--data", "d.csv", "--tw", "{tw}", "--time", "40s", "-o", "{tw}.net.jsonl")
    result = run_here("plan", "--slurm", "--each", "tw=2,3", *words, cwd=place)
    assert result.returncode == 0 and re.search(r"--mem=\d+M", result.stdout.decode()), result.stderr.decode()
    result = run_here("plan", "--slurm", "--each", "tw=2,3", "optimize", "none.jsonl", *words[3:], cwd=place)
    assert result.returncode == 0 and b"no forecast of memory, give --memory" in result.stderr
    assert b"--mem=" not in result.stdout and b"--time=3" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("form", "limit"), [("slurm", "--time=3\n"), ("snakemake", "runtime=3")])
def test_a_time_limit_and_the_forecast_are_the_limits_of_a_run(place: Path, form: str, limit: str):
    """Half as much again as the 40 seconds, and two minutes more; memory by a dry run, which is quick."""
    words = ("parentsets", "d.csv", "--indep", "--time", "40s", "-o", "all.jsonl")
    result = run_here("plan", f"--{form}", "--parts", 2, *words, cwd=place)
    assert result.returncode == 0, result.stderr.decode()
    assert limit in result.stdout.decode()
    assert re.search(r"--mem=\d+M|mem_mb=\d+", result.stdout.decode())
