"""bnsl compare from files to every form of output."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner

from bnsl_cli.main import cli

TOTALS = {"one": (-100.0, -111.0), "t_wo": (-50.0, -50.5), "three": (-20.0, -27.0)}


@pytest.fixture
def runs(tmp_path):
    """Records of two methods on three data sets, with a seed each."""
    records = [
        {"network": f"out/{data}.{method}.1.net.jsonl", "total": total, "arcs": 3}
        for data, totals in TOTALS.items()
        for method, total in zip(("asobs", "obs"), totals)
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def compare(*arguments: str, code: int = 0, **settings):
    result = CliRunner().invoke(cli, ["compare", *arguments], **settings)
    assert result.exit_code == code, result.stderr
    return result


def test_tables_to_read(runs):
    text = compare(runs).stdout
    assert "one     -100 *         -111" in text
    assert "asobs    obs       3-0-0" in text and "Friedman p = 0.0833" in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_lines_and_csv_hold_the_same(runs, tmp_path):
    rows = [json.loads(line) for line in compare(runs, "--format", "jsonl").stdout.splitlines()]
    assert {row["table"] for row in rows} == {"values", "ranks", "pairs"}
    output = tmp_path / "pairs.csv"
    compare(runs, "--show", "pairs", "-o", str(output))
    (row,) = csv.DictReader(io.StringIO(output.read_text()))
    assert row == {key: str(value) for key, value in rows[-1].items()}


def test_latex_escapes_names(runs, tmp_path):
    output = tmp_path / "t.tex"
    compare(runs, "--show", "values", "-o", str(output))
    assert r"t\_wo & \textbf{$-$50} & $-$50.5000 \\" in output.read_text().splitlines()


def test_standard_input_and_measures(runs):
    with open(runs) as stream:
        text = compare("--measure", "arcs:min", "--show", "values", input=stream.read()).stdout
    assert text.startswith("arcs, mean over seeds") and text.count("3 *") == 6


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--format", "csv"], 2, "one kind of table"),
        (["--names", "data.seed"], 2, "must name 'data' and 'method'"),
        (["--names", "data.method.seed.size.more.parts"], 1, "too few parts"),
        (["--measure", "bic:most"], 2, ":min or :max"),
        (["--measure", "bic"], 1, "has no 'bic' on 'one'"),
        (["--show", "wscores"], 1, "give --baseline"),
        (["-o", "x.dot"], 2, "x.dot names"),
        (["-o", "x.csv", "--format", "latex"], 2, "names csv, but"),
        (["no-such-file"], 65, "no-such-file"),
    ],
)
def test_mistakes(runs, arguments: list[str], code: int, message: str):
    assert message in " ".join(compare(runs, *arguments, code=code).stderr.split())


def network(method: str, seed: int, data: str, total: float) -> str:
    header = {"format": "bnsl.network", "version": 1, "score": "bic", "total": total, "method": method, "seed": seed}
    header |= {"data": f"sha256:{data}", "variables": [{"name": "a"}]}
    return "".join(json.dumps(line) + "\n" for line in (header, {"child": 0, "parents": [[]], "scores": [total]}))


def test_headers_say_what_short_names_do_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for method, seed, total in (("ils", 1, -10.0), ("ils", 2, -12.0), ("hc", 1, -20.0)):
        (tmp_path / f"{method}.{seed}.net.jsonl").write_text(network(method, seed, "0123456789abcdef", total))
        (tmp_path / f"it's.{method}.{seed}.jsonl").write_text(network(method, seed, "fedcba9876543210", total))
    named = ["ils.1.net.jsonl", "ils.2.net.jsonl", "hc.1.net.jsonl"]
    rows = [json.loads(line) for line in compare(*named, "--format", "jsonl").stdout.splitlines()]
    values = [(r["data"], r["method"], r["value"]) for r in rows if r["table"] == "values"]
    assert values == [("01234567", "ils", -11.0), ("01234567", "hc", -20.0)]
    assert "there is 1 case of 2 methods" in compare(*named).stdout
    others = ["it's.ils.1.jsonl", "it's.hc.1.jsonl"]
    text = compare(*named, *others).stdout
    assert "it's" in text and "2 cases; Friedman" in text
    assert "it's" in compare(*others).stdout  # by names, which are whole
    assert "too few parts" in compare("ils.1.net.jsonl", "--names", "data.-.-.-.method", code=1).stderr


def test_short_names_of_runs_that_say_nothing_are_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"network":"ils.1.net.jsonl","total":-1.0}\n')
    assert "'ils.1' has too few parts" in compare(str(path), code=1).stderr


def test_classes_of_differences_keep_their_signs(runs):
    assert ">10   >6   >2   ±2   <-2" in compare(runs).stdout


def test_measures_have_any_name(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"network":"d.x.1","it\'s \\"much\\"":1}\n{"network":"d.y.1","it\'s \\"much\\"":2}\n')
    assert compare(str(path), "--measure", 'it\'s "much"', "--show", "values").stdout.startswith('it\'s "much"')


def test_runs_without_a_common_measure(tmp_path):
    path = tmp_path / "a.b.1.json"
    path.write_text('{"seconds": 1}\n')
    assert "give --measure" in compare(str(path), code=2).stderr


def test_names_cannot_end_a_comment_or_a_line_of_latex(tmp_path):
    """Nor do they move the cursor or start the next row with what its line end takes for an argument."""
    path = tmp_path / "r.jsonl"
    methods = ("m\n\\immediate\\write18{x}\x1b\x07\u202e", "[k", "*")
    path.write_text("".join(json.dumps({"network": f"d.{m}.1", "bic": -k}) + "\n" for k, m in enumerate(methods)))
    text = compare(str(path), "--format", "latex", "--baseline", methods[0], "--show", "pairs").stdout
    assert all(
        line.startswith(("%", "\\begin", "\\end", "\\toprule", "\\midrule", "\\bottomrule", "\\cap", "\\cent"))
        or line.endswith(r"\\")
        for line in text.split("\n")[:-1]
    )
    assert text.isprintable() or set(filter(lambda sign: not sign.isprintable(), text)) == {"\n"}
    assert r"\immediate" not in text and "\n[" not in text and "\n*" not in text
    assert "\x1b" not in compare(str(path), "--show", "values").stdout


def test_csv_of_measures_with_different_columns(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps({"network": f"d.{m}.1", "bic": -1.5, "arcs": 3}) + "\n" for m in "ab"))
    orders = (("arcs", "bic"), ("bic", "arcs"))
    texts = [
        compare(str(path), "--show", "pairs", "--format", "csv", *(f"--measure={m}" for m in order)).stdout
        for order in orders
    ]
    first, second = (sorted(csv.DictReader(io.StringIO(text)), key=lambda row: row["measure"]) for text in texts)
    assert first == second and [row["neutral"] for row in first] == ["", "1"]


def test_csv_keeps_names_with_carriage_returns(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"network": "d.a\rb\r\nc.1", "bic": -1.5}) + "\n")
    output = tmp_path / "t.csv"
    compare(str(path), "--show", "values", "-o", str(output))
    (row,) = csv.DictReader(io.StringIO(output.read_bytes().decode(), newline=""))
    assert row["method"] == "a\rb\r\nc"


def test_seeds_given_as_cases_are_warned_about(tmp_path):
    path = tmp_path / "r.jsonl"
    records = ({"network": f"d.{m}.{seed}", "bic": -seed} for m in "ab" for seed in (1, 2))
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    asked = (str(path), "--names", "data.method.data")
    assert "warning: the cases 'd.1', 'd.2'" in compare(*asked).stderr
    assert "warning" not in compare(*asked, "--show", "values").stderr


@pytest.fixture
def many(tmp_path):
    """Twelve data sets: b is 5 below a with noise, c far below."""
    path = tmp_path / "many.jsonl"
    lines = [
        {"network": f"d{d}.{method}.{seed}", "bic": -100.0 * d - less + (7 * d * seed) % 5}
        for d in range(12)
        for method, less in (("a", 0), ("b", 5), ("c", 60))
        for seed in (1, 2)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_signed_rank_probabilities(many):
    text = compare(str(many), "--show", "signedrank", "--region", "10", "--format", "csv").stdout
    rows = {(row["method"], row["against"]): row for row in csv.DictReader(io.StringIO(text))}
    assert float(rows["a", "b"]["equal"]) > 0.99 and float(rows["a", "c"]["better"]) > 0.99
    assert rows["a", "b"]["cases"] == "12" and rows["a", "b"]["region"] == "10.0"
    assert float(rows["b", "c"]["error"]) < 0.0023
    assert "goes with --show signedrank" in compare(str(many), "--region", "1", code=2).stderr


def test_a_picture_of_ranks(many, tmp_path):
    text = compare(str(many), "--format", "svg").stdout
    assert text.startswith("<?xml") and "a (1.00)" in text and "critical difference 0.96" in text
    assert text.count('class="group"') == 0  # ranks 1, 2, 3 are more than 0.96 apart
    compare(str(many), "-o", str(tmp_path / "r.svg"))
    assert (tmp_path / "r.svg").read_text() == text
    assert "of ranks alone" in compare(str(many), "--format", "svg", "--show", "values", code=2).stderr
    twice = ("--measure", "bic", "--measure", "bic:min")
    assert "one measure" in compare(str(many), "--format", "svg", *twice, code=2).stderr


def test_latex_has_a_caption(many):
    text = compare(str(many), "--show", "ranks", "--format", "latex").stdout
    assert "\\toprule" in text and "\\hline" not in text
    assert r"\caption{Average ranks by bic. 12 cases; Friedman p =" in text
