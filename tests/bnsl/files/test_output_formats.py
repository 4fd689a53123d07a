"""What -o's name means: the format that is written, or a refusal before any work is done."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from helpers.parameter_files import open_parameters

import bnsl
from bnsl.files.output_formats import JSON_LINES, PLOTTED, WRITTEN
from bnsl.plots import PICTURES
from bnsl_cli.main import COMMANDS, cli
from formats import open_dataset, open_entropies
from formats.registry import FORMATS

TABLE = "a,b\n" + "0,x\n1,y\n" * 6


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(TABLE)
    return str(path)


def run(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


def test_every_command_has_its_formats():
    # Further outputs: a trace of parentsets, networks and a proof of optimize, networks and answers of posterior,
    # strengths, points of evaluate.
    further = {"trace", "bootstrap", "proof", "dags", "answers", "strengths", "points"}
    assert set(COMMANDS) == {*WRITTEN, "convert", "data", "help"} - further


@pytest.mark.parametrize("command", sorted({*WRITTEN} & {*COMMANDS}))
def test_a_name_of_another_format_is_refused(command: str, tmp_path, table: str):
    arguments = {"discretize": ["--discretize", "median"], "screen": ["--roots", "1"], "sample": ["--rows", "1"]}
    inputs = {"fit": [table, table], "formats": [], "query": [table]}
    inputs |= {name: [table, "--data", table] for name in ("effects", "explain")}
    own = _endings(command)
    for row in (*FORMATS, JSON_LINES):
        if row.target in WRITTEN[command] or not row.suffixes or set(row.suffixes) & own:
            continue
        if command in PLOTTED and row.target in PICTURES:  # tests/bnsl/test_plots.py
            continue
        if row is JSON_LINES and any(ending.endswith(".jsonl") for ending in own):
            continue
        output = tmp_path / f"out{row.suffixes[0]}"
        result = run(command, *arguments.get(command, []), *inputs.get(command, [table]), "-o", str(output))
        assert result.exit_code == 2 and f"out{row.suffixes[0]} names" in result.stderr, row.name
        assert not output.exists()
        remedy = result.stderr.partition(" does not fit this result: let the name end in ")[2].splitlines()
        pictures = {f".{name}" for name in PICTURES} if command in PLOTTED else set()
        assert not remedy or set(re.findall(r"[.][a-z.]+", remedy[0])) == own | pictures


@pytest.mark.parametrize("command", ["entropy", "posterior", "sample", "discretize"])
def test_tables_are_no_json_lines(command: str, tmp_path, table: str):
    output = tmp_path / "x.jsonl"
    options = ["--rows", "1"] if command == "sample" else []
    result = run(command, table, *options, "-o", str(output))
    assert result.exit_code == 2 and "names JSON lines" in result.stderr and ".csv" in result.stderr
    assert not output.exists()


@pytest.mark.parametrize("command", ["screen", "formats", "data"])
def test_lists_to_read_are_json_lines_by_name(command: str, tmp_path, table: str):
    output = tmp_path / "x.jsonl"
    inputs = [table, "--roots", "1"] if command == "screen" else []
    assert run(command, *inputs, "-o", str(output)).exit_code == 0
    assert all(isinstance(json.loads(line), dict) for line in output.read_text().splitlines())


def test_a_name_against_format(tmp_path, table: str):
    for words in (["--format", "arrow", "-o", "x.csv"], ["--format", "csv", "-o", "x.jsonl"]):
        result = run("entropy", table, *words)
        assert result.exit_code == 2 and f"but {words[1]} was asked for: let the name end in" in result.stderr


def _endings(command: str) -> set[str]:
    """Endings of names that a command takes; .csv if that asks for its table to read."""
    options = cli.get_command(click.Context(cli), command).params
    is_sheet = any("as -o NAME.csv does" in (getattr(option, "help", "") or "") for option in options)
    rows = (*FORMATS, JSON_LINES)
    formats = {suffix for row in rows if row.target in WRITTEN[command] for suffix in row.suffixes}
    return formats | ({".csv"} if is_sheet else set())


@pytest.mark.parametrize(
    "suffix", [".csv", ".tsv", ".parquet", ".arrow", ".arrows", ".feather", ".csv.gz", ".tsv.zst"]
)
def test_tables_are_written_as_their_name_says(suffix: str, tmp_path, table: str):
    output = tmp_path / f"out{suffix}"
    assert run("discretize", "--discretize", "median", table, "-o", str(output)).exit_code == 0
    assert open_dataset(str(output)).fingerprint == open_dataset(table).fingerprint
    if suffix in (".arrow", ".feather"):
        assert output.read_bytes().startswith(b"ARROW1")
    if suffix == ".tsv":
        assert output.read_text().startswith("a\tb\n0\tx\n")


@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".feather", ".parquet", ""])
def test_entropies_are_written_as_their_name_says(suffix: str, tmp_path, table: str):
    output = str(tmp_path / f"out{suffix}")
    assert run("entropy", table, "-o", output).exit_code == 0
    assert open_entropies(output).conditional.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_entropies_as_a_matrix(tmp_path, table: str):
    output = tmp_path / "h.csv"
    assert run("entropy", table, "-o", str(output)).exit_code == 0
    names, first, _ = output.read_text().splitlines()
    assert names == "variable,states,entropy,H(.|a),H(.|b)" and first.startswith("a,2,0.693147")


def test_networks_are_written_as_their_name_says(tmp_path):
    scores = tmp_path / "s.jkl"
    scores.write_text("2\n0 1\n-1.5 0\n1 2\n-2.0 1 0\n-2.5 0\n")
    output = tmp_path / "n.dot"
    result = run("optimize", str(scores), "-o", str(output))
    assert result.exit_code == 0, result.stderr
    assert output.read_text().startswith("digraph")


@pytest.mark.parametrize("name", ["n.net.jsonl.gz", "n.gz"])
def test_only_tables_are_compressed(name: str, table: str):
    result = run("optimize", table, "-o", name)
    assert result.exit_code == 2 and "only tables are written compressed" in result.stderr


def test_a_name_against_the_format_asked_for(table: str):
    result = run("convert", table, "--to", "parquet", "-o", "x.csv")
    assert result.exit_code == 2 and "names a table, but parquet was asked for" in result.stderr


@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".parquet", ".csv"])
@pytest.mark.parametrize("essential", [False, True])
def test_arcs_are_written_as_their_name_says(suffix: str, essential: bool, tmp_path):
    network, output = tmp_path / "n.txt", str(tmp_path / f"arcs{suffix}")
    network.write_text("[a][b][c|a:b][d|c]")
    result = run("convert", str(network), "--to", "arcs", *["--cpdag"][: int(essential)], "-o", output)
    assert result.exit_code == 0, result.stderr
    data = open_dataset(output)
    cells = [[v.known_states[code] for code in codes] for v, codes in zip(data.variables, data.codes)]
    assert data.names == ("from", "to", "type")[: 2 + essential]
    assert set(zip(*cells[:2])) == {("a", "c"), ("b", "c"), ("c", "d")}
    again = run("convert", output, "--to", "modelstring")
    assert sorted(again.stdout.strip("[]\n").split("][")) == ["a", "b", "c|a:b", "d|c"]


@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".parquet"])
def test_other_tables_are_no_networks(suffix: str, table: str, tmp_path):
    data = str(tmp_path / f"d{suffix}")
    assert run("convert", table, "-o", data).exit_code == 0
    result = run("evaluate", data)
    assert result.exit_code == 65 and "arcs are columns of text called from and to" in result.stderr


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".uai"])
def test_parameters_are_written_as_the_name_says(suffix: str, tmp_path, table: str):
    (tmp_path / "net.txt").write_text("[a][b|a]")
    output = tmp_path / f"out{suffix}"
    result = run("fit", str(tmp_path / "net.txt"), table, "-o", str(output))
    assert result.exit_code == 0, result.stderr
    network = open_parameters(str(output))
    assert network.parents == ((), (0,)) and network.tables[1].tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("to", ["network", "dot", "modelstring", "arcs"])
def test_a_table_names_the_variables_of_a_network_with_parameters(tmp_path: Path, to: str):
    network = bnsl.learn({"a": ["x", "y"] * 20, "b": ["q", "p"] * 20}, smoothing=1, require="a->b", quiet=True)
    network.save(tmp_path / "numbered.uai")
    found = bnsl.convert(str(tmp_path / "numbered.uai"), to=to, names={"first": [1, 0], "second": [0, 1]}, quiet=True)
    (tmp_path / "named").write_text(found)
    again = bnsl.Network.read(tmp_path / "named")
    assert again.arcs == [("first", "second")]
    if to == "network":
        assert again.states == {"first": ("0", "1"), "second": ("0", "1")}
        assert again.cpt("second")["probability"] == network.cpt("b")["probability"]
