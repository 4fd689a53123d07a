"""Knowledge on the command line: patterns of names, files of Tetrad."""

from __future__ import annotations

import json

import pytest
from helpers.processes import run_here

ROWS = "smoke,asia,lung,x1\n" + "".join(f"{i % 2},{(i // 2) % 2},{i % 2},{(i // 4) % 2}\n" for i in range(64))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.csv").write_text(ROWS)
    return tmp_path


def recorded(folder, *options: str) -> dict:
    result = run_here("optimize", "-q", "--data", "d.csv", "--hc", "--seed", "1", *options, cwd=folder)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[0])["by"][-1]["options"]


def test_patterns_forbid_all_arcs_into_a_variable(folder):
    options = recorded(folder, "--forbid", "*->smoke", "--require", "smoke->l*")
    assert options["forbid"] == [{"from": "*", "to": ["smoke"]}]
    assert options["require"] == ["smoke->lung"]


@pytest.mark.parametrize("option", ["--tiers", "--forbid", "--require", "--allow"])
def test_a_file_of_tetrad_counts_as_a_whole(folder, option):
    (folder / "k.txt").write_text(
        "/knowledge\naddtemporal\n1* smoke asia\n2 lung\nforbiddirect\nx1 lung\nrequiredirect\nsmoke x1\n"
    )
    value = "k.txt" if option == "--tiers" else "@k.txt"
    options = recorded(folder, option, value)
    assert options["tiers"] == [["smoke", "asia"], ["lung"]]
    assert options["require"] == ["smoke->x1"]
    assert options["forbid"] == ["asia->smoke", "smoke->asia", "x1->lung"]
    assert "allow" not in options


def test_two_sets_of_tiers_are_refused(folder):
    (folder / "k.txt").write_text("/knowledge\naddtemporal\n1 smoke\n2 lung\n")
    (folder / "t.txt").write_text("lung\nsmoke\n")
    options = ("--data", "d.csv", "--hc", "--tiers", "t.txt", "--forbid", "@k.txt")
    result = run_here("optimize", *options, cwd=folder)
    assert result.returncode == 2 and b"several files give different tiers" in result.stderr


def test_a_pattern_that_nothing_is_like_is_an_error(folder):
    result = run_here("optimize", "--data", "d.csv", "--hc", "--forbid", "y*->smoke", cwd=folder)
    assert result.returncode == 2 and b"--forbid: 'y*' is no variable of the data" in result.stderr


@pytest.mark.parametrize(
    "command", ["optimize --data d.csv --hc", "parentsets d.csv", "posterior s.jsonl", "effects s.jsonl --data d.csv"]
)
@pytest.mark.parametrize("option", ["require", "forbid", "allow"])
def test_what_is_no_arc_is_refused(folder, command, option):
    sets = run_here("parentsets", "-q", "d.csv", "--score", "bdeu", cwd=folder)
    (folder / "s.jsonl").write_bytes(sets.stdout)
    name = command.split()[0]
    result = run_here(*command.split(), "-q", f"--{option}", "smoke~>lung", cwd=folder)
    problem = "'smoke~>lung' is no arc: write PARENT->CHILD, or give an order of variables as tiers"
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().splitlines()[0] == f"bnsl {name}: error: --{option}: {problem}."
    (folder / "k.txt").write_text("lung->x1\nsmoke ~> lung\n")
    result = run_here(*command.split(), "-q", f"--{option}", "@k.txt", cwd=folder)
    assert result.returncode == 65 and b"k.txt:2: 'smoke ~> lung' is no arc" in result.stderr


def arcs_of(text: bytes) -> set[tuple[str, str]]:
    header, *records = [json.loads(line) for line in text.splitlines()]
    names = [variable["name"] for variable in header["variables"]]
    return {(names[parent], names[record["child"]]) for record in records for parent in record["parents"][0]}


@pytest.mark.parametrize("command", ["optimize --data d.csv --hc", "optimize --data d.csv", "sets"])
def test_only_allowed_arcs_are_learnt(folder, command):
    (folder / "arcs.csv").write_text("from,to\nlung,x?\n")
    allow = ["--allow", "[sx]*->lung", "--allow", "@arcs.csv", "--forbid", "x1->lung", "--seed", "1"]
    if command == "sets":
        made = run_here("parentsets", "-q", "d.csv", *allow, cwd=folder)
        assert made.returncode == 0, made.stderr
        (folder / "s.jsonl").write_bytes(made.stdout)
        allow = ["--seed", "1"]
    words = "optimize s.jsonl" if command == "sets" else command
    result = run_here(*words.split(), "-q", *allow, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert arcs_of(result.stdout) == {("smoke", "lung")}
    header = json.loads(result.stdout.splitlines()[0])
    recorded = [entry["options"]["allow"] for entry in header["by"] if "allow" in entry["options"]]
    assert recorded == [[{"from": "[sx]*", "to": ["lung"]}, {"from": ["lung"], "to": "x?"}]]
    (folder / "n.jsonl").write_bytes(result.stdout)
    arcs = run_here("convert", "-q", "--cpdag", "--to", "arcs", "n.jsonl", cwd=folder).stdout
    assert arcs.splitlines()[1:] == [b"smoke,lung,directed"]  # its reverse is not allowed


def test_a_required_arc_must_be_allowed(folder):
    options = ("--data", "d.csv", "--hc", "--require", "smoke->lung", "--allow", "lung->*")
    result = run_here("optimize", *options, cwd=folder)
    assert result.returncode == 1
    assert b"the arc smoke -> lung is required (--require), but no --allow permits it" in result.stderr
    result = run_here("optimize", "-q", *options, "--allow", "smoke->lung", "--seed", "1", cwd=folder)
    assert result.returncode == 0 and ("smoke", "lung") in arcs_of(result.stdout)


def test_an_empty_file_allows_nothing(folder):
    (folder / "none.csv").write_text("from,to\n")
    options = recorded(folder, "--allow", "@none.csv")
    assert options["allow"] == []


def test_networks_under_a_hundred_thousand_forbidden_arcs_stay_readable(tmp_path):
    names = [*(f"TF{i}" for i in range(20)), *(f"G{i}" for i in range(320))]
    rows = [",".join(str(((i * (3 + j % 7)) >> (j % 5)) % 2) for j in range(340)) for i in range(24)]
    (tmp_path / "d.csv").write_text("\n".join([",".join(names), *rows, ""]))
    words = ["optimize", "-q", "--data", "d.csv", "--hc", "--forbid", "G*->*", "--seed", "1", "--max-parents", "1"]
    result = run_here(*words, "--bootstrap", "2", "-o", "r.jsonl", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    header = (tmp_path / "r.jsonl").read_bytes().splitlines()[0]
    assert len(header) < 20_000
    assert json.loads(header)["by"][-1]["options"]["forbid"] == [{"from": "G*", "to": "*"}]
    for command in (
        ["average", "r.jsonl", "--seed", "1", "-o", "a.jsonl"],
        ["convert", "r.jsonl", "--index", "1", "--to", "dot", "-o", "n.dot"],
        ["convert", "a.jsonl", "--cpdag", "--to", "arcs", "-o", "c.csv"],
    ):
        result = run_here(*command, "-q", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    lines = (tmp_path / "c.csv").read_text().splitlines()[1:]
    assert lines and all(line.startswith("TF") for line in lines)
