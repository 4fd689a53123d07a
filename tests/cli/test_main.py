"""The command table, help, completion, and what ends a process."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from helpers.processes import environment, run_bnsl

import bnsl
from bnsl_cli.main import COMMANDS, STAGES, cli
from stages.kernels.native import MACHINE_CODE

HEAVY = ("numpy", "numba", "pyarrow", "orjson", "rich")

TELL_MODULES = """
import os, sys
def leave(code, end=os._exit):
    print(*[m for m in {modules} if m in sys.modules], file=sys.stderr, flush=True)
    end(code)
os._exit = leave
{statements}
os._exit(0)
"""
COMMAND_LINE = """
from bnsl_cli.__main__ import start
sys.argv = ["bnsl", *{words}]
start()
"""


def loaded_by(statements: str, modules: tuple[str, ...], **settings: Any) -> tuple[str, list[str]]:
    """Output of statements in a process of their own, and which of the modules they loaded."""
    result = subprocess.run(
        [sys.executable, "-P", "-c", TELL_MODULES.format(modules=modules, statements=statements)],
        capture_output=True,
        text=True,
        check=False,
        **{"env": environment(), **settings},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout, result.stderr.split()


def test_loaded_modules_are_told():
    statements = COMMAND_LINE.format(words=["formats"]) + "raise AssertionError"
    assert loaded_by(statements, ("click", "numpy"))[1] == ["click"]


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["optimize", "--help-all"], *([name, "--help"] for name in COMMANDS)],
    ids=" ".join,
)
def test_help_loads_nothing_heavy(arguments: list[str]):
    output, loaded = loaded_by(COMMAND_LINE.format(words=arguments), HEAVY)
    assert "bnsl" in output
    assert loaded == []


IDLE = ("ssl", "urllib.request", "multiprocessing.connection", "rich", "pandas", "highspy", "pyarrow.parquet")
NO_KERNEL = ("numba", "scipy", "email")  # numba loads the others; machine code made in advance loads none
IDLE_KERNELS = ("stages.kernels.bounds", "stages.kernels.ktrees", "stages.kernels.orders.subset_dp")
"""Slow to load where they are installed, and of no use in a short run."""


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        ("optimize --data d.csv --hc", IDLE_KERNELS),
        ("optimize sets.jsonl", ("pyarrow",)),
        ("optimize sets.jkl --asobs --restarts 2", ("pyarrow",)),
        ("parentsets d.csv", ()),
        ("entropy d.csv", NO_KERNEL),
        ("evaluate net.bif --data d.csv", NO_KERNEL),
        ("evaluate net.bif net.bif", ("pyarrow", *NO_KERNEL)),
        ("fit net.bif d.csv --smoothing 1", NO_KERNEL),
        ("convert net.bif --to net", ("pyarrow", *NO_KERNEL)),
        ("convert learnt.jsonl --to dot", ("pyarrow", *NO_KERNEL)),
        ("convert learnt.jsonl --to svg", ("pyarrow", *NO_KERNEL)),
        ("sample net.bif --rows 9", ("pyarrow", *NO_KERNEL)),
        ("query net.bif a=x --variables b", ("pyarrow",)),
        ("bnsl.learn('d.csv', quiet=True)", ()),
        ("bnsl.optimize(data='d.csv', method='hc', quiet=True).arcs", ()),
        ("bnsl.query('net.bif', variables=['b'], quiet=True).to_pylist()", ()),
    ],
)
def test_a_short_run_loads_what_it_uses(words: str, idle: tuple[str, ...], tmp_path: Path):
    if MACHINE_CODE is not None:
        idle = (*idle, *NO_KERNEL)
    absent = [name for name in (*IDLE, *idle) if find_spec(name) is None]
    assert absent == []  # what is not installed would not be loaded
    (tmp_path / "d.csv").write_text("a,b\n" + "x,y\nx,z\nw,z\n" * 9)
    (tmp_path / "sets.jkl").write_text("2\n0 1\n-2 0\n1 2\n-1 1 0\n-2 0\n")
    (tmp_path / "net.bif").write_text(
        "network n {\n}\nvariable a {\n  type discrete [ 2 ] { x, w };\n}\n"
        "variable b {\n  type discrete [ 2 ] { y, z };\n}\n"
        "probability ( a ) {\n  table 0.5, 0.5;\n}\nprobability ( b ) {\n  table 0.5, 0.5;\n}\n"
    )
    (tmp_path / "sets.jsonl").write_text(
        '{"format":"bnsl.parentsets","version":1,"variables":[{"name":"a"},{"name":"b"}]}\n'
        '{"child":0,"parents":[[1],[]],"scores":[-1,-2]}\n{"child":1,"parents":[[]],"scores":[-2]}\n'
    )
    (tmp_path / "learnt.jsonl").write_text(
        '{"format":"bnsl.network","version":1,"variables":[{"name":"a"}],'
        '"total":-1.0,"gap":0.0,"bound":-1.0,"bound_relative_to":"networks of the listed sets"}\n'
        '{"child":0,"parents":[[]],"scores":[-1.0]}\n'
    )
    is_command = not words.startswith("bnsl.")
    statements = (
        COMMAND_LINE.format(words=[*words.split(), "-q", "-o", "out"]) if is_command else f"import bnsl; {words}"
    )
    assert loaded_by(statements, (*IDLE, *idle), cwd=tmp_path)[1] == []


COUNT_THREADS = """
import os
from bnsl_cli import __main__, main
main.run = lambda: None
__main__.start()
import numpy
print(os.environ["OMP_NUM_THREADS"], len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1)
"""


@pytest.mark.parametrize("asked", [{}, {"OMP_NUM_THREADS": "2"}], ids=["unasked", "asked"])
def test_jobs_alone_make_threads_unless_the_environment_asks(asked: dict[str, str]):
    env = {name: value for name, value in environment(**asked).items() if name in asked or "_NUM_THREADS" not in name}
    result = subprocess.run(
        [sys.executable, "-c", COUNT_THREADS], capture_output=True, env=env, text=True, check=True
    )
    allowed, n_threads = result.stdout.split()
    assert allowed == asked.get("OMP_NUM_THREADS", "1")
    # How many are started where more are asked for depends on the library and on the cores.
    assert asked or n_threads == "1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bnsl par", "parentsets"),
        ("bnsl optimize --as", "--asobs"),
        ("bnsl optimize --method o", "obs"),
        ("bnsl parentsets --discretize q", "quantile:4"),
    ],
)
def test_completion_loads_nothing_heavy(words: str, expected: str):
    count = str(len(words.split()) - 1)
    env = {"_BNSL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    output, loaded = loaded_by(COMMAND_LINE.format(words=[]), HEAVY, env=environment(**env))
    assert expected in output
    assert loaded == []


def test_overview_lists_stages_in_pipeline_order_and_helpers_below():
    text = CliRunner().invoke(cli, ["--help"]).output
    places = [text.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)
    assert text.index("Stages") < places[0] < text.index("Helpers") < places[len(STAGES)]


@pytest.mark.parametrize("name", COMMANDS)
def test_overview_and_help_page_begin_alike(name: str):
    command = cli.get_command(click.Context(cli), name)
    assert command.help.startswith(COMMANDS[name])


def test_version():
    assert CliRunner().invoke(cli, ["--version"]).output == f"bnsl {bnsl.__version__}\n"


def test_without_arguments_the_overview_goes_to_stderr():
    result = CliRunner().invoke(cli, [])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "parentsets" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["optimise"], "no such command 'optimise'. Did you mean 'optimize'?"),
        (["optimize", "--tw", "0", "x"], "0 is not in the range x>=1"),
        (["optimize", "--jobs", "x", "y"], "'-j' / '--jobs': 'x' is not a whole number; write one, at least 0."),
        (["optimize", "--alpha", "x", "y"], "'--alpha': 'x' is not a number; write one, above 0 and below 1."),
        (["optimize", "--method", "magic", "x"], "'magic' is not one of"),
        (["parentsets", "--magic", "x"], "No such option '--magic'."),
        (["parentsets", "--max-parent", "3", "x"], "No such option '--max-parent'. Did you mean --max-parents?"),
        (["fit", "x", "--data", "y"], "No such option '--data'. DATA is an argument: cli fit NETWORK DATA"),
        (
            ["parentsets", "--discretize", "magic", "x"],
            "unknown discretization 'magic': use median, quantile:K, width:K, hartemink:K or cuts:A,B",
        ),
        (["parentsets", "--time", "5 parsecs", "x"], "'5 parsecs' is not a time; write it like 30s, 10m, 2h"),
        (["parentsets", "--time", "0s", "x"], "a time limit must be positive"),
        (["parentsets", "--evaluations", "0", "x"], "0 is not in the range"),
        (["parentsets", "--screen", "-", "-"], "standard input ('-') can be read only once"),
        (["parentsets", "--delimiter", "ab", "x"], "'ab' cannot be a delimiter"),
        (["screen", "x"], "give one of --eps E, --roots SHARE and --curve"),
        (["screen", "--eps", "1", "--roots", "0.5", "x"], "give one of --eps E, --roots SHARE and --curve"),
        (["sample", "--inverted-tree", "2", "--rows", "1"], "--inverted-tree needs --random N"),
        (["sample", "x.bif", "--random", "3", "--rows", "1"], "give NETWORK or --random, not both"),
        (["sample", "--random", "3", "--states", "4-2", "--rows", "1"], "'4-2' is not a range"),
        (["sample", "--random", "3", "--states", "0-2", "--rows", "1"], "'0-2' must lie within 1 to 256"),
        (["sample", "--random", "3", "--rows", "1", "--seed", "-1"], "'-1' is not a whole number from 0"),
        (["sample", "--random", "3", "--rows", "1", "--seed", str(2**63)], "is not a whole number from 0"),
        (["screen", "--eps", "nan", "x"], "'nan' is not a finite number"),
        (["optimize", "--kg", "x"], "method kg searches under a treewidth bound: give --tw K"),
        (["optimize", "--obs", "--tw", "2", "x"], "method obs takes no treewidth bound"),
        (["optimize", "--kg", "--tw", "2", "--information", "y", "x"], "--information does not apply to method kg"),
        (["optimize", "--s2", "--tw", "2", "--na", "-", "x"], "--na does not apply to method s2"),
        (["optimize", "--hc", "x"], "method hc searches on data: give --data DATA"),
        (["optimize", "--asobs", "--data", "x"], "method asobs takes SETS, not --data; methods on data are"),
        (["optimize", "x", "--hc", "--data", "d"], "[SETS] does not apply to method hc; pricing takes it"),
        (
            ["optimize", "x", "--score", "k2"],
            "--score does not apply to method ils or exact; pricing, hc, tan, kdb, cll, chc, chc-star, ichc, "
            "2ichc, fastchc, mmhc take it.",
        ),
        (["optimize", "x", "--missing", "drop"], "--missing does not apply to method ils or exact; pricing, hc"),
        (
            ["optimize", "--ils", "--tw", "2", "--init", "dfs", "x"],
            "--init does not apply to method ils under --tw; asobs, kg, kastar take it.",
        ),
        (
            ["optimize", "--exact", "--restarts", "2", "x"],
            "--restarts does not apply to method exact; ils, obs, asobs, winasobs take it.",
        ),
        (
            ["optimize", "--iterations", "5", "x"],
            "--iterations does not apply to method ils or exact; obs, asobs take it",
        ),
        (["optimize", "--tw", "1", "--start", "n", "x"], "--start does not apply to method forest; ils, exact, s2"),
        (
            ["optimize", "--chc", "--tabu", "5", "--data", "x"],
            "--tabu does not apply to method chc; hc, mmhc take it",
        ),
        (["optimize", "--hc", "--perturb", "5", "--data", "x"], "--perturb needs --restarts"),
        (
            ["optimize", "--hc", "--ess", "5", "--data", "x"],
            "--ess does not apply to score bic; bdeu and bds take it.",
        ),
        (
            ["evaluate", "x", "--score", "bic", "--score", "k2", "--ess", "5"],
            "--ess does not apply to score bic or k2",
        ),
        (["parentsets", "--ess", "5", "x"], "--ess does not apply to score bic; bdeu and bds take it."),
        (["parentsets", "--indep", "--orders", "5", "x"], "--orders does not apply to method indep; grow takes it."),
        (["parentsets", "--greedy", "--near", "n", "x"], "--near does not apply to method greedy; grow takes it."),
        (["optimize", "--hc", "--data", "d", "--tw", "2"], "method hc takes no treewidth bound; pricing does"),
        (["optimize", "--data", "-", "--start", "-"], "standard input ('-') can be read only once"),
        (["discretize", "x"], "give either --discretize median|quantile:K|width:K|hartemink:K or --like FILE"),
        (["convert", "x", "-o", "y.csv"], "give the format to write: --to"),
        (["formats", "parquet"], "'parquet' is none of our own formats"),
        (["fit", "-", "-"], "standard input ('-') can be read only once"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str):
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stderr.startswith("bnsl")
    assert result.stdout == ""


def test_another_package_of_our_name_is_reported(tmp_path):
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats" / "__init__.py").write_text("")
    result = run_bnsl("formats", is_fresh=True, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert result.returncode == 70
    message = result.stderr.decode()
    assert "another package named 'formats' hides ours" in message
    assert str(tmp_path / "formats") in message


def test_a_bug_of_ours_is_70_and_shows_its_traceback_only_with_debug(monkeypatch):
    from bnsl_cli.tables import layout

    def fail(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(layout, "write_text", fail)
    result = CliRunner().invoke(cli, ["formats"])
    assert result.exit_code == 70
    assert "this is a bug of bnsl" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in CliRunner().invoke(cli, ["--debug", "formats"]).stderr
    assert "Traceback" in CliRunner().invoke(cli, ["formats", "--debug"]).stderr
    monkeypatch.setenv("BNSL_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(cli, ["formats"]).stderr


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("10m", 600), ("2h", 7200), ("1h30m", 5400), ("500ms", 0.5), ("7", 7), ("1.5m", 90), (".5s", 0.5)],
)
def test_durations(text: str, seconds: float):
    from bnsl.options.values import DURATION

    assert DURATION.take(text) == seconds
