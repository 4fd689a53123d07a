"""Functions do what commands do: the same bytes, checks and messages; no trace is left in the calling program."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_bnsl, run_here, run_shell
from pyarrow import csv

import bnsl
from bnsl.running.exit_codes import ExitCode

SMALL = ROOT / "tests" / "cases" / "data" / "small.csv"


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    return csv.read_csv(SMALL)


@pytest.fixture
def place(tmp_path: Path, bundled: Path, monkeypatch) -> Path:
    """A folder with inputs of all commands; headers have a fixed time."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    (tmp_path / "w.csv").write_bytes((bundled / "wdbc.csv").read_bytes())
    (tmp_path / "r.csv").write_bytes(gzip.decompress((bundled / "random80.csv.gz").read_bytes()))
    (tmp_path / "r.bif").write_bytes((bundled / "random80.bif").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


WDBC = {"discretize": "median", "columns": ["mean*", "diagnosis"]}
LINES = {
    "entropy": "w.csv --discretize median --columns mean*,diagnosis",
    "screen": "w.csv --discretize median --columns mean*,diagnosis --roots 0.5",
    "parentsets": "w.csv --discretize median --columns mean*,diagnosis --seed 1 --evaluations 50 --keep-mass 0.01",
    "optimize": "s --seed 1 --require diagnosis,mean_area --forbid *->mean_texture --evaluations 100",
    "posterior": "s --features ancestors",
    "fit": "n w.csv --smoothing 1",
    "average": "n n2 --seed 1 --dag",
    "effects": "n --data w.csv --cause diagnosis --seed 1",
    "explain": "n --data w.csv --format arrow",
    "query": "f diagnosis=malignant --variables mean_area,mean_radius --format arrow",
    "sample": "f --rows 20 --seed 3 --format arrow",
    "evaluate": "n --data w.csv --score bic --score bdeu --no-treewidth",
    "convert": "n --to graphml",
}


@pytest.mark.slow
def test_the_pipeline_writes_the_same_bytes(place: Path):
    made: dict[str, bytes] = {}

    def shell(name: str, line: str, output: str) -> bytes:
        line = line.replace("*->mean_texture", "'*->mean_texture'").replace("mean*", "'mean*'")
        result = run_shell(f"bnsl {name} {line} > {output}", place, SOURCE_DATE_EPOCH="0")
        assert result.returncode == 0, result.stderr.decode()
        return (place / output).read_bytes()

    for name, output in [("entropy", "e"), ("screen", "r"), ("parentsets", "s"), ("optimize", "n")]:
        made[name] = shell(name, LINES[name], output)
    shell("optimize", "--data w.csv --hc --seed 2 --discretize median --columns mean*,diagnosis", "n2")
    for name, output in [
        ("posterior", "p"),
        ("fit", "f"),
        ("average", "a"),
        ("query", "q"),
        ("sample", "d"),
        ("effects", "i"),
        ("explain", "x"),
    ]:
        made[name] = shell(name, LINES[name], output)
    made["convert"] = shell("convert", LINES["convert"], "x.graphml")

    columns = csv.read_csv("w.csv")
    entropies = bnsl.entropy(columns, **WDBC)
    forest = bnsl.screen(columns, roots=0.5, **WDBC)
    sets = bnsl.parentsets(columns, seed=1, evaluations=50, keep_mass=0.01, **WDBC)
    network = bnsl.optimize(
        sets, seed=1, require=[("diagnosis", "mean_area")], forbid="*->mean_texture", evaluations=100
    )
    second = bnsl.optimize(data=columns, method="hc", seed=2, **WDBC)
    fitted = bnsl.fit(network, columns, smoothing=1)
    results = {
        "screen": (forest, "ours.jsonl"),
        "parentsets": (sets, "ours.sets.jsonl"),
        "optimize": (network, "ours.net.jsonl"),
        "posterior": (bnsl.posterior(sets, features=["ancestors"]), "ours.arrows"),
        "average": (bnsl.average([network, second], seed=1, cpdag=False), "ours.net.jsonl"),
        "fit": (fitted, "ours.bif"),
        "convert": (network, "ours.graphml"),
    }
    for name, (result, output) in results.items():
        result.save(output)
        assert Path(output).read_bytes() == made[name], name
    assert bnsl.convert(network, to="graphml").encode() == made["convert"]
    answers = bnsl.query(fitted, {"diagnosis": "malignant"}, variables=["mean_area", "mean_radius"])
    rows = bnsl.sample(fitted, rows=20, seed=3)
    effects = bnsl.effects(network, data="w.csv", cause="diagnosis", seed=1)
    explained = bnsl.explain(network, data="w.csv")
    tables = {"entropy": entropies, "query": answers, "sample": rows, "effects": effects, "explain": explained}
    for name, table in tables.items():
        with pyarrow.ipc.open_stream(made[name]) as theirs:
            assert table.to_pylist() == theirs.read_all().to_pylist(), name
    measures = bnsl.evaluate(network, data=columns, score=["bic", "bdeu"], no_treewidth=True)
    reported = bnsl.evaluate("n", data="w.csv", score=["bic", "bdeu"], no_treewidth=True)
    assert [{**record, "network": ""} for record in measures] == [{**record, "network": ""} for record in reported]


@pytest.mark.slow
def test_saving_writes_what_the_command_writes(table: pyarrow.Table, place: Path):
    result = run_bnsl(
        "optimize", "--data", SMALL, "--seed", 1, "-o", "theirs.net.jsonl", env={"SOURCE_DATE_EPOCH": "0"}
    )
    assert result.returncode == 0, result.stderr
    network = bnsl.optimize(data=table, seed=1, quiet=True)
    network.save("ours.net.jsonl")
    network.save(place / "ours.dot")
    assert Path("ours.net.jsonl").read_bytes() == Path("theirs.net.jsonl").read_bytes()
    assert Path("ours.dot").read_text() == bnsl.convert("theirs.net.jsonl", to="dot", quiet=True)


@pytest.mark.parametrize(
    ("name", "options", "line", "kind", "said"),
    [
        ("optimize", {"data": SMALL, "ess": 2}, ["--data", SMALL, "--ess", "2"], bnsl.UsageError,
         "ess does not apply to score bic; bdeu and bds take it."),
        ("optimize", {"data": SMALL, "ils": True}, ["--data", SMALL, "--ilss"], bnsl.UsageError,
         "optimize() has no option 'ils'. Did you mean method=\"ils\"?"),
        ("entropy", {"data": "absent.csv"}, ["absent.csv"], bnsl.DataError, None),
        ("fit", {"network": SMALL, "data": SMALL}, [SMALL, SMALL], bnsl.DataError, None),
        ("sample", {"random": 3, "rows": 2, "network": "n.bif"}, ["n.bif", "--random", 3, "--rows", "2"],
         bnsl.UsageError, "give network or random, not both."),
        ("convert", {"source": SMALL, "to": "csv", "output": "no/place.csv"},
         [SMALL, "--to", "csv", "-o", "no/place.csv"], bnsl.RunError, None),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_command(name, options, line, kind, said, tmp_path, monkeypatch):
    """In the words of Python where they name options."""
    monkeypatch.chdir(tmp_path)
    result = run_here(name, *line, cwd=tmp_path)
    with pytest.raises(kind) as raised:
        getattr(bnsl, name)(**options)
    if said is None:
        assert result.stderr.decode() == f"bnsl {name}: error: {raised.value}\n"
    else:
        assert str(raised.value) == said
    assert isinstance(raised.value, bnsl.BnslError)
    codes = {bnsl.UsageError: ExitCode.USAGE, bnsl.DataError: ExitCode.BAD_DATA, bnsl.RunError: ExitCode.FAILURE}
    assert result.returncode == codes[kind] == kind.code


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("optimize", {"treewidht": 3}, "optimize() has no option 'treewidht'. Did you mean treewidth?"),
        (
            "optimize",
            {"data": SMALL, "time": "soon"},
            "time='soon' is not a time; write it like 30s, 10m, 2h or 1h30m",
        ),
        ("optimize", {"data": SMALL, "treewidth": 0}, "treewidth=0: at least 1"),
        ("optimize", {"data": SMALL, "method": "best"}, "method='best': one of "),
        ("entropy", {"data": SMALL, "jobs": 1.5}, "jobs=1.5: a whole number"),
        ("entropy", {"data": SMALL, "no_header": "yes"}, "no_header='yes': True or False"),
        ("fit", {}, "fit(): missing a required argument: 'network'"),
        ("sample", {"random": 3}, "sample(): missing a required argument: 'rows'"),
    ],
)
def test_keywords_and_values_are_checked(name, options, said):
    with pytest.raises(bnsl.UsageError) as raised:
        getattr(bnsl, name)(**options)
    assert str(raised.value).startswith(said)
    assert raised.value.parameter in {None, *options}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("average", {"dag": True}, r"average\(\) has no option 'dag'. Did you mean cpdag"),
        ("convert", {"dag": True}, r"convert\(\) has no option 'dag'. Did you mean cpdag"),
        ("optimize", {"hc": True}, r"optimize\(\) has no option 'hc'"),
        ("optimize", {"tw": 2}, r"optimize\(\) has no option 'tw'"),
        ("learn", {"tw": 2}, r"learn\(\) has no option 'tw'"),
        ("optimize", {"debug": True}, r"optimize\(\) has no option 'debug'"),
    ],
)
def test_other_spellings_of_the_command_line_are_refused_before_the_work(name, options, message, monkeypatch):
    monkeypatch.setattr("click.Command.invoke", lambda *_: pytest.fail("the work"))
    with pytest.raises(bnsl.UsageError, match=message):
        getattr(bnsl, name)(SMALL, **options)


def test_a_bug_is_raised_from_its_cause(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr("stages.screening.entropies.compute_entropies", fail)
    with pytest.raises(bnsl.BugError, match="this is a bug of bnsl") as raised:
        bnsl.entropy(SMALL)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_without_input_nothing_is_read_from_standard_input():
    for function in (bnsl.entropy, bnsl.optimize, bnsl.average, bnsl.evaluate):
        with pytest.raises(bnsl.UsageError, match="no input: give"):
            function()


@pytest.mark.slow
def test_values_that_are_defaults_count_as_not_given(table: pyarrow.Table):
    assert bnsl.optimize(data=table, ess=1.0, restarts=None, no_header=False, seed=1, quiet=True).arcs
    with pytest.raises(bnsl.UsageError, match=r"^ess does not apply to score bic"):
        bnsl.optimize(data=table, ess=2, quiet=True)


def test_forecasts_and_curves_are_dictionaries(table: pyarrow.Table):
    assert bnsl.parentsets(table, dry_run=True, quiet=True)["variables"] == table.num_columns
    assert bnsl.screen(table, curve=True, quiet=True)[0].keys() == {"eps", "roots"}


@pytest.mark.slow
def test_threads_do_not_meet(table: pyarrow.Table, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    alone = [learnt_text(table, seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda seed: learnt_text(table, seed), range(4))) == alone


def learnt_text(table: pyarrow.Table, seed: int) -> str:
    """The file of a network that is learnt."""
    return bnsl.convert(bnsl.optimize(data=table, seed=seed, quiet=True), to="network", quiet=True)


def test_handlers_of_signals_stay(table: pyarrow.Table):
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
    before = [signal.getsignal(number) for number in numbers]
    bnsl.optimize(data=table, seed=1, quiet=True)
    with pytest.raises(bnsl.DataError):
        bnsl.entropy("absent.csv")
    assert [signal.getsignal(number) for number in numbers] == before


def run_script(script: str, cwd: Path) -> bytes:
    made = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment(), cwd=cwd, check=False, timeout=300
    )
    assert made.returncode == 0, made.stderr.decode()
    return made.stdout


@pytest.mark.slow
def test_an_interruption_gives_the_best_so_far(place: Path):
    script = """
import os, signal, threading, time, bnsl
bnsl.optimize(data="r.csv", time=0.1, quiet=True)  # compiles
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
network = bnsl.optimize(data="r.csv", time=100, quiet=True)
print(network.interrupted, network.score < 0, time.monotonic() - started < 60)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert run_script(script, place) == b"True True True\nTrue\n"


@pytest.mark.slow
def test_an_interruption_without_a_result_is_that_of_python(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo")
    script = """
import os, signal, threading, bnsl
bnsl.entropy({"a": [1, 2]}, quiet=True)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    bnsl.entropy("fifo")
except KeyboardInterrupt as error:
    print(repr(error), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert run_script(script, tmp_path) == b"KeyboardInterrupt('interrupted') True\n"


@pytest.mark.slow
def test_an_interruption_in_a_notebook_gives_the_best_so_far(place: Path):
    manager = pytest.importorskip("jupyter_client").manager
    pytest.importorskip("ipykernel")
    kernel, client = manager.start_new_kernel(kernel_name="python3", cwd=str(place), env=environment())
    try:
        reported: list[str] = []

        def run(code: str) -> str:
            reported.clear()
            client.execute_interactive(
                code, timeout=300, output_hook=lambda message: reported.append(str(message["content"]))
            )
            return "".join(reported)

        run("import bnsl, signal; bnsl.optimize(data='r.csv', time=0.1, quiet=True)")  # compiles
        threading.Timer(2.0, kernel.interrupt_kernel).start()
        assert "'True True'" in run("n = bnsl.optimize(data='r.csv', time=100); f'{n.interrupted} {n.score < 0}'")
        assert "True" in run("signal.getsignal(signal.SIGINT) is signal.default_int_handler")
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
