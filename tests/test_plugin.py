"""Methods and scores of other packages, found by entry points as if installed: the example, and some that fail."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tomllib
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from helpers.places import ROOT
from helpers.processes import environment, run_bnsl
from naive import scores as naive_scores
from naive.parentsets import prune_dominated

EXAMPLE = ROOT / "examples" / "plugin"
SETS = {"A": [(-5.0, [])], "B": [(-1.0, ["A"]), (-4.0, [])], "C": [(-2.0, ["B"]), (-3.0, [])]}


@pytest.fixture
def installed(tmp_path):
    """Environment in which the example is on the path, with the metadata that installing it writes."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    metadata = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, EXAMPLE, tmp_path)))}


@pytest.mark.slow
def test_a_method_of_another_package_runs(installed, tmp_path):
    table = tmp_path / "sets.jkl"
    table.write_text(
        f"{len(SETS)}\n"
        + "".join(
            f"{name} {len(sets)}\n" + "".join(" ".join(map(str, (score, len(p), *p))) + "\n" for score, p in sets)
            for name, sets in SETS.items()
        )
    )
    for chosen in (("--method", "random-orders"), ("--random-orders",)):
        result = run_bnsl("optimize", *chosen, "--restarts", 30, "--seed", 1, table, env=installed)
        assert result.returncode == 0, result.stderr.decode()
        header = json.loads(result.stdout.splitlines()[0])
        assert header["total"] == -8.0
        assert header["restarts"] == 30
    assert b"random-orders" in run_bnsl("optimize", "--help", env=installed).stdout
    assert b"random-orders" not in run_bnsl("optimize", "--help").stdout
    result = run_bnsl("optimize", "--random-orders", "--tabu", 3, table, env=installed)
    assert result.returncode == 2


@pytest.mark.slow
def test_an_option_of_another_package_is_like_ours(installed, tmp_path):
    (tmp_path / "s.jkl").write_text("2\na 2\n-1.5 1 b\n-3 0\nb 1\n-2 0\n")
    page = run_bnsl("optimize", "--help-all", env=installed).stdout.decode()
    assert "Random swaps of neighbours tried in each" in page and "(random-orders)" in page
    assert b"`--steps`" in run_bnsl("help", "methods", env=installed).stdout
    for words, steps in (("--random-orders --steps 5", 5), ("--method random-orders", 0)):
        result = run_bnsl("optimize", "s.jkl", *words.split(), "--restarts", 30, cwd=tmp_path, env=installed)
        header = json.loads(result.stdout.splitlines()[0])
        assert header["total"] == -3.5 and header["by"][-1]["options"]["steps"] == steps
    for words, message in (
        ("--exact --steps 5", "--steps does not go with method exact; random-orders takes it."),
        ("--random-orders --steps -1", "-1 is not in the range x>=0"),
    ):
        result = run_bnsl("optimize", "s.jkl", *words.split(), cwd=tmp_path, env=installed)
        assert result.returncode == 2 and message in result.stderr.decode()
    call = (
        "import bnsl; print(bnsl.optimize('s.jkl', method='random-orders', steps={}, restarts=30, quiet=True).score)"
    )
    assert run_python(call.format(3), tmp_path, installed) == (0, "-3.5\n", "")
    code, _, error = run_python(call.format(-3), tmp_path, installed)
    assert code == 1 and "UsageError: steps=-3: at least 0" in error


def run_python(code: str, folder: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """Exit code, output and messages of a program."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment(**env), capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def regret(n: int, states: int) -> float:
    """``ln C(n, states)`` of fNML, with the example's approximation for two states."""
    if not n or states == 1:
        return 0.0
    exact = sum(math.comb(n, h) * (h / n) ** h * (1 - h / n) ** (n - h) for h in range(n + 1))
    before, found = 1.0, math.sqrt(n * math.pi / 2)
    found *= math.exp(math.sqrt(8 / (9 * n * math.pi)) + (3 * math.pi - 16) / (36 * n * math.pi))
    assert found == pytest.approx(exact, rel=0.0065 / n)
    for k in range(1, states - 1):
        before, found = found, found + n / k * before
    return math.log(found)


def fnml_term(counts: list[int], _q: int) -> float:
    n = sum(counts)
    return sum(m * math.log(m / n) for m in counts if m) - regret(n, len(counts))


@pytest.mark.slow
@pytest.mark.parametrize(("score", "name"), [("hq", "Hannan-Quinn"), ("sznml", "approximate fNML")])
def test_a_score_of_another_package_is_in_every_search(installed, tmp_path, score, name):
    rows = [tuple(int(x) for x in line) for line in np.random.default_rng(3).integers(0, 3, (60, 4))]
    rows = [(a, b, (a + b * (c > 0)) % 3, int(a == d)) for a, b, c, d in rows]
    (tmp_path / "d.csv").write_text("a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    n_states = (3, 3, 3, 2)

    def scored(child: int, parents: tuple[int, ...]) -> float:
        if score == "sznml":
            return naive_scores.counted_score(rows, n_states, child, parents, fnml_term)
        penalty = math.log(math.log(len(rows))) * naive_scores.n_parameters(n_states, child, parents)
        return naive_scores.log_likelihood(rows, child, parents) - penalty

    def run(*words: object, **given: object) -> list[dict]:
        result = run_bnsl(*words, cwd=tmp_path, env=installed, **given)
        assert result.returncode == 0, result.stderr.decode()
        return [json.loads(line) for line in result.stdout.splitlines()]

    others = [[i for i in range(4) if i != child] for child in range(4)]
    expected = [
        prune_dominated({p: scored(child, p) for size in range(4) for p in combinations(others[child], size)})
        for child in range(4)
    ]
    for method in ("sequential", "indep", "greedy"):
        header, *records = run("parentsets", "d.csv", f"--{method}", "--score", score, "-o", "-")
        assert header["score"] == score
        for record in records:
            listed = {tuple(sorted(p)): s for p, s in zip(record["parents"], record["scores"])}
            assert record["complete"] and listed == pytest.approx(expected[record["child"]], rel=1e-9)
    best = max(
        sum(scored(child, parents[child]) for child in range(4))
        for order in permutations(range(4))
        for parents in product(*(expected[c] for c in range(4)))
        if all(order.index(p) < order.index(c) for c in range(4) for p in parents[c])
    )
    (tmp_path / "s.jsonl").write_bytes(
        run_bnsl("parentsets", "d.csv", "--sequential", "--score", score, cwd=tmp_path, env=installed).stdout
    )
    for words in ("s.jsonl --exact", "s.jsonl --tw 3", "--data d.csv", "--data d.csv --tw 3"):
        chosen = ("--seed", 1, "--evaluations", 5000)
        scoring = ("--score", score) if "--data" in words else ()
        header, *_ = run("optimize", *words.split(), *scoring, *chosen, "-o", "-")
        assert header["total"] == pytest.approx(best, rel=1e-9), words
    header, *_ = run("optimize", "--data", "d.csv", "--hc", "--score", score, "--seed", 1, "-o", "-")
    assert -math.inf < header["total"] <= best + 1e-6
    (tmp_path / "n.jsonl").write_bytes(run_bnsl("optimize", "s.jsonl", "--exact", cwd=tmp_path, env=installed).stdout)
    (measures,) = run("evaluate", "n.jsonl", "--data", "d.csv", "--score", score, "--json")
    assert measures[score] == pytest.approx(best, rel=1e-9)
    result = run_bnsl("posterior", "s.jsonl", cwd=tmp_path, env=installed)
    assert result.returncode == 1 and f"scored by {name}, which is no log-posterior" in result.stderr.decode()
    # without the package
    assert run_bnsl("optimize", "s.jsonl", "--exact", cwd=tmp_path).returncode == 0
    message = run_bnsl("posterior", "s.jsonl", cwd=tmp_path).stderr.decode()
    assert f"no installed package has the score {score!r}" in message


@pytest.mark.slow
def test_a_format_of_another_package_is_like_ours(installed, tmp_path):
    def run(*words: object) -> tuple[int, str, str]:
        done = run_bnsl(*words, cwd=tmp_path, env=installed)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    (tmp_path / "m.txt").write_text("[a][b|a][c|a:b]")
    assert run("convert", "m.txt", "-o", "m.families")[0] == 0
    assert (tmp_path / "m.families").read_text() == "a:\nb: a\nc: a b\n"
    assert run("convert", "m.families", "--to", "modelstring")[:2] == (0, "[a][b|a][c|a:b]\n")
    assert run("convert", "m.txt", "--to", "families")[:2] == (0, "a:\nb: a\nc: a b\n")
    assert json.loads(run("evaluate", "m.families", "--json")[1])["arcs"] == 3
    listed = [json.loads(line) for line in run("formats", "--json")[1].splitlines()]
    assert {
        "format": "families",
        "suffix": ".families",
        "holds": "network",
        "reads": True,
        "writes": True,
    }.items() <= (listed[-1].items())
    assert "families" in run("convert", "--help-all")[1]
    code = (
        "import bnsl; n = bnsl.read('m.families'); print(n.arcs == bnsl.Network.read('m.txt').arcs);"
        "n.save('again.families'); print(open('again.families').read() == open('m.families').read());"
        "print(bnsl.convert(n, to='families', quiet=True) == open('m.families').read())"
    )
    assert run_python(code, tmp_path, installed) == (0, "True\nTrue\nTrue\n", "")
    (tmp_path / "bad.families").write_text("a:\nb a\n")
    assert "bad.families:2: expected 'child: parents', got 'b a'" in run("convert", "bad.families", "--to", "dot")[2]
    (tmp_path / "cycle.families").write_text("a: b\nb: a\n")
    assert "cycle.families: the arcs form a cycle: " in run("convert", "cycle.families", "--to", "dot")[2]
    (tmp_path / "blank.dot").write_text('digraph { "a b" -> c }')
    code, out, error = run("convert", "blank.dot", "--to", "families")
    assert (code, out) == (65, "")
    assert (
        "the format 'families' of the package bnsl-random-orders: cannot hold this network: the name 'a b'" in error
    )
    # without the package
    assert run_bnsl("convert", "m.txt", "-o", "m.families", cwd=tmp_path).returncode == 2


def packaged(folder: Path, name: str, group: str, source: str) -> dict[str, str]:
    """Environment with a package of one module, which an entry point of `group` names."""
    (folder / f"{name}.py").write_text(source)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\npoint = {name}:METHODS\n")
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, folder)))}


SEARCH = """
from bnsl.plugin import DATA, SETS, SearchMethod, on_data, on_sets
BNSL_PLUGIN_API = 1
METHODS = {NAME: SearchMethod("orders", "fails", {SETS: on_sets(__name__), DATA: on_data(__name__)})}
def search(table, options, budget, reporter):
    return 1 / 0
def search_data(scorer, options, budget, reporter):
    import numpy as np
    from bnsl.plugin import SearchResult
    return SearchResult(((1,), (0,)), np.full(2, -1.0), -2.0)  # a cycle
"""
SELECTION = """
from bnsl.plugin import SelectionMethod
BNSL_PLUGIN_API = 1
METHODS = {NAME: SelectionMethod(__name__, "fails")}
def search_child(scorer, child, limits, budget):
    raise KeyError(child)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import gone", "ModuleNotFoundError: No module named 'gone'"),
        (SEARCH.replace("NAME", "'ils'"), "another method or an option has the name 'ils'"),
        (SEARCH.replace("NAME", "'mine'").replace("API = 1", "API = 0"), "is made for version 0 of it"),
    ],
)
def test_a_package_that_cannot_be_used_is_left_out(tmp_path, source, reason):
    env = packaged(tmp_path, "broken", "bnsl.searches", source)
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 20)
    for words in ("optimize --data d.csv --hc --seed 1", "optimize --help", "help methods", "optimize --help-all"):
        result, usual = (run_bnsl(*words.split(), cwd=tmp_path, env=given) for given in (env, {}))
        assert result.returncode == 0
        assert result.stdout == usual.stdout or b'"created"' in result.stdout
        message = result.stderr.decode()
        assert message.count("the methods of the package broken are left out") == 1 and reason in message
        assert "bug of bnsl" not in message and "broken:METHODS" in message
    assert run_bnsl("formats", env=env).stderr == b""


@pytest.mark.slow
def test_what_fails_in_a_method_of_another_package_is_told_of_that_package(tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n" * 20)
    env = packaged(tmp_path, "sorry", "bnsl.searches", SEARCH.replace("NAME", "'mine'"))
    assert run_bnsl("parentsets", "d.csv", "-o", "s.jsonl", cwd=tmp_path).returncode == 0
    for words, error in (
        ("optimize s.jsonl --mine", "ZeroDivisionError: division by zero"),
        ("optimize --data d.csv --mine", "VerificationError: "),
        ("optimize --data d.csv --mine --bootstrap 3 -j 2", "VerificationError: "),
    ):
        result = run_bnsl(*words.split(), cwd=tmp_path, env=env)
        assert result.returncode == 1 and result.stdout == b""
        assert f"method 'mine' of the package sorry failed, {error}" in result.stderr.decode()
        assert b"bug of bnsl" not in result.stderr
    env = packaged(tmp_path, "sorry_too", "bnsl.selections", SELECTION.replace("NAME", "'worse'"))
    for jobs in (1, 2):
        result = run_bnsl("parentsets", "d.csv", "--worse", "-j", jobs, cwd=tmp_path, env=env)
        assert result.returncode == 1
        assert b"method 'worse' of the package sorry_too failed, KeyError: 0" in result.stderr


TABLES = """
import json
from bnsl.plugin import PlainNetwork, network_format
BNSL_PLUGIN_API = 1
METHODS = {NAME: network_format("a file of tables", ".tables", __name__, "tables as JSON", has_parameters=True)}
def read(text):
    return PlainNetwork(**json.loads(text))
def write(network):
    tables = {name: table.tolist() for name, table in network.tables.items()}
    return json.dumps({"parents": network.parents, "states": network.states, "tables": tables})
"""


@pytest.mark.slow
def test_a_format_with_parameters_of_another_package(tmp_path):
    env = packaged(tmp_path, "tabling", "bnsl.formats", TABLES.replace("NAME", "'tables'"))
    (tmp_path / "d.csv").write_text("a,b\n" + "0,x\n1,y\n1,x\n" * 20)
    (tmp_path / "m.txt").write_text("[a][b|a]")
    result = run_bnsl("fit", "m.txt", "d.csv", "-o", "n.tables", cwd=tmp_path, env=env)
    assert result.returncode == 0, result.stderr.decode()
    result = run_bnsl("query", "n.tables", "a=1", "--json", cwd=tmp_path, env=env)
    assert result.returncode == 0 and b"0.5" in result.stdout, result.stderr.decode()
    # What the format has no place for is said; a structure alone is refused.
    result = run_bnsl("optimize", "--data", "d.csv", "--seed", 1, "-o", "o.net.jsonl", cwd=tmp_path, env=env)
    assert run_bnsl("fit", "o.net.jsonl", "d.csv", "-o", "p.net.jsonl", cwd=tmp_path, env=env).returncode == 0
    result = run_bnsl("convert", "p.net.jsonl", "-o", "p.tables", cwd=tmp_path, env=env)
    assert b"tables has no place for score, gap, knowledge and commands, fingerprint" in result.stderr
    result = run_bnsl("convert", "m.txt", "-o", "m.tables", cwd=tmp_path, env=env)
    assert result.returncode == 65 and b"this network has no parameters, and tables needs them" in result.stderr
    assert run_bnsl("convert", "n.tables", "-o", "n.bif", cwd=tmp_path, env=env).returncode == 0
    # Without the package the file is a table of text, as before.
    assert run_bnsl("convert", "n.tables", "-o", "x.bif", cwd=tmp_path).returncode == 65
    env = packaged(tmp_path, "taken", "bnsl.formats", TABLES.replace("NAME", "'bif'"))
    result = run_bnsl("formats", cwd=tmp_path, env=env)
    assert result.returncode == 0 and b"the formats of the package taken are left out" in result.stderr
    assert b"another format has the name 'bif'" in result.stderr
