"""`--interventions` from a table to its results: every command counts the rows in which a variable was not set."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import Counter
from pathlib import Path

import pytest
from helpers.processes import run_here
from naive import effects as naive_effects
from naive import entropy as naive_entropy
from naive.interventions import interventional_score
from naive.networks import all_networks

import bnsl

NAMES = ("a", "b", "c")
SET = ("--interventions", "set")
CONSENSUS = (
    "[pkc][pka|pkc][plc][pip3|plc][pip2|plc:pip3][raf|pkc:pka][mek|pkc:pka:raf][erk|mek:pka][akt|erk:pka][p38|pkc:pka]"
    "[jnk|pkc:pka]"
)


def drawn_rows(n_rows: int = 240) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Rows of a -> b -> c, and what was set in them."""
    rng, rows, was_set = random.Random(3), [], []
    for k in range(n_rows):
        target = ((), (0,), (1,), (0, 1))[k % 4]
        a = rng.random() < 0.3 if 0 not in target else rng.random() < 0.5
        b = rng.random() < (0.8 if a else 0.2) if 1 not in target else rng.random() < 0.5
        c = (rng.random() < (0.7 if b else 0.1)) + (rng.random() < 0.3)
        rows.append((int(a), int(b), int(c)))
        was_set.append(target)
    return rows, was_set


ROWS, WAS_SET = drawn_rows()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    lines = [
        ",".join([*map(str, row), ";".join(NAMES[v] for v in target)])
        for row, target in zip(ROWS, WAS_SET, strict=True)
    ]
    (tmp_path / "d.csv").write_text("\n".join(["a,b,c,set", *lines]) + "\n")
    return tmp_path


def run(place: Path, *arguments: str) -> str:
    done = run_here(*arguments, cwd=place)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def refusal(place: Path, *arguments: str) -> str:
    done = run_here(*arguments, cwd=place)
    assert done.returncode in (2, 65), done.stdout
    return done.stderr.decode()


def learnt(place: Path) -> None:
    run(place, "optimize", "--data", "d.csv", "--interventions", "set", "--score", "bdeu", "-o", "n.jsonl")


def test_header_and_recomputed_total(place):
    learnt(place)
    header = json.loads((place / "n.jsonl").read_text().splitlines()[0])
    assert header["interventions"] == [[], [0], [0, 1], [1]]
    assert header["by"][0]["options"]["interventions"] == "set"
    parents = [json.loads(line)["parents"][0] for line in (place / "n.jsonl").read_text().splitlines()[1:]]
    expected = math.fsum(
        interventional_score(ROWS, WAS_SET, [2, 2, 3], child, family, "bdeu") for child, family in enumerate(parents)
    )
    assert header["total"] == pytest.approx(expected, rel=1e-9)
    found = json.loads(
        run(place, "evaluate", "n.jsonl", "--data", "d.csv", "--interventions", "set", "--score", "bdeu", "--json")
    )
    assert found["bdeu"] == pytest.approx(expected, rel=1e-12)
    done = run_here("evaluate", "n.jsonl", "--data", "d.csv", "--drop", "set", cwd=place)
    assert b"--interventions COLUMN leaves out" in done.stderr


def test_lists_are_searched_like_the_data(place):
    learnt(place)
    run(place, "parentsets", "d.csv", *SET, "--score", "bdeu", "-o", "s.jsonl", "--method", "sequential")
    run(place, "optimize", "s.jsonl", "--method", "exact", "-o", "e.jsonl")
    totals = [json.loads((place / name).read_text().splitlines()[0])["total"] for name in ("n.jsonl", "e.jsonl")]
    assert totals[0] == pytest.approx(totals[1], rel=1e-12)
    # The sets scored earlier are known on the same rows, and scored again on others.
    run(place, "parentsets", "d.csv", *SET, "--score", "bdeu", "--extend", "s.jsonl", "-o", "t.jsonl")
    assert run(place, "convert", "--cpdag", "e.jsonl", "--to", "arcs").splitlines()[1:] == [
        "a,b,directed",
        "b,c,directed",
    ]
    found = run(place, "posterior", "s.jsonl", "--format", "csv").splitlines()
    assert found[0].endswith(",direction") and found[1].startswith("a,b,") and found[1].endswith(",data")


def test_the_posterior_is_that_of_all_networks(place):
    run(
        place, "parentsets", "d.csv", "--interventions", "set", "--score", "bdeu", "--keep-mass", "0", "-j", "2",
        "--method", "sequential", "-o", "s.jsonl",
    )  # fmt: skip
    found = run(place, "posterior", "s.jsonl", "--format", "csv", "--prior", "dags").splitlines()
    weights = {
        parents: sum(
            interventional_score(ROWS, WAS_SET, [2, 2, 3], child, family, "bdeu")
            for child, family in enumerate(parents)
        )
        for parents in all_networks(3)
    }
    most = max(weights.values())
    whole = sum(math.exp(weight - most) for weight in weights.values())
    columns = found[0].split(",")
    for line in found[1:]:
        row = dict(zip(columns, line.split(","), strict=True))
        parent, child = NAMES.index(row["parent"]), NAMES.index(row["child"])
        share = sum(math.exp(w - most) for parents, w in weights.items() if parent in parents[child]) / whole
        assert float(row["probability"]) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_with_counts_and_missing_cells(tmp_path, seed):
    rng = random.Random(seed)
    n_states = [rng.randint(2, 4) for _ in range(4)]
    lines, rows, was_set = [], [], []
    for _ in range(120):
        row = [rng.randrange(r) if rng.random() < 0.96 else None for r in n_states]
        target = tuple(v for v in range(4) if rng.random() < 0.15)
        count = rng.randint(0, 3)
        cells = ["" if cell is None else f"s{cell}" for cell in row]
        lines.append(",".join([*cells, "; ".join("abcd"[v] for v in target), str(count)]))
        if None not in row:
            rows += [tuple(row)] * count
            was_set += [target] * count
    (tmp_path / "d.csv").write_text("\n".join(["a,b,c,d,set,n", *lines]) + "\n")
    (tmp_path / "n.txt").write_text("[a][b|a][c|a:b][d|b:c]")
    options = ("--weights", "n", "--missing", "drop", "--interventions", "set")
    scores = ("--score", "bic", "--score", "bdeu", "--score", "k2")
    found = json.loads(run(tmp_path, "evaluate", "n.txt", "--data", "d.csv", *options, *scores, "--json"))
    seen = [len({row[v] for row in rows}) for v in range(4)]
    for score in ("bic", "bdeu", "k2"):
        expected = math.fsum(
            interventional_score(rows, was_set, seen, child, family, score)
            for child, family in enumerate([(), (0,), (0, 1), (1, 2)])
        )
        assert found[score] == pytest.approx(expected, rel=1e-10)


def test_the_same_in_python(place):
    table = {name: [row[v] for row in ROWS] for v, name in enumerate(NAMES)}
    table["set"] = [";".join(NAMES[v] for v in target) or None for target in WAS_SET]
    network = bnsl.optimize(data=table, interventions="set", seed=1, quiet=True)
    assert network.cpdag() == {"arcs": [("a", "b"), ("b", "c")], "edges": []}
    assert bnsl.learn(table, interventions="set", seed=1, quiet=True).arcs == network.arcs
    plain = bnsl.optimize(data=table, drop="set", seed=1, quiet=True)
    assert plain.cpdag()["arcs"] == []
    assert [n.cpdag() for n in bnsl.optimize(data=table, interventions="set", seed=1, bootstrap=2, quiet=True)]


def test_averages_keep_the_directions(place):
    run(place, "optimize", "--data", "d.csv", *SET, "--bootstrap", "5", "--seed", "1", "-o", "m.jsonl")
    run(place, "average", "m.jsonl", "-o", "c.jsonl")
    header = json.loads((place / "c.jsonl").read_text().splitlines()[0])
    assert header["interventions"] == [[], [0], [0, 1], [1]]
    assert {word for words in header["directions"] for word in words} == {"data"}


def test_parameters_are_of_the_other_rows(place):
    learnt(place)
    network = bnsl.fit(str(place / "n.jsonl"), str(place / "d.csv"), interventions="set", quiet=True)
    found = network.cpt("b").to_pylist()
    free = [row for row, target in zip(ROWS, WAS_SET, strict=True) if 1 not in target]
    for state in (0, 1):
        given = [row for row in free if row[0] == state]
        (probability,) = (row["probability"] for row in found if (row["a"], row["b"]) == (str(state), "0"))
        assert probability == pytest.approx(sum(r[1] == 0 for r in given) / len(given))


def test_effects_are_of_the_rows_in_which_the_cause_alone_was_set(place):
    learnt(place)
    expected = naive_effects.effect_moments(
        [row for row, target in zip(ROWS, WAS_SET, strict=True) if set(target) <= {1}], [2, 2, 3], (0,), 1, 2, 1.0,
        [row for row, target in zip(ROWS, WAS_SET, strict=True) if set(target) <= {1, 2}],
    )[0]  # fmt: skip
    asked = ("--cause", "[b]", "--effect", "a..c", "--format", "csv")
    lines = run(place, "effects", "n.jsonl", "--data", "d.csv", "--seed", "1", *SET, *asked).splitlines()
    found = [line.split(",") for line in lines[1:]]
    of_c = [row for row in found if row[2] == "c"]
    assert {row[0] for row in found} == {"b"} and len(of_c) == 6
    for _, state, _, other, probability, *_ in of_c:
        assert float(probability) == pytest.approx(expected[int(state)][int(other)], abs=1e-12)
    # A variable may have been set in every row, as in a trial; where only others were set, nothing is known.
    (place / "t.csv").write_text("a,b,c,set\n0,1,2,b\n1,0,0,b\n0,0,1,b\n1,1,1,b\n")
    done = run_here("effects", "n.jsonl", "--data", "t.csv", *SET, "--cause", "b,c", cwd=place)
    assert (
        done.returncode == 0
        and b"no row was observed under an intervention on the cause alone for 1 cause: 'c'" in done.stderr
    )
    done = run_here("effects", "n.jsonl", "--data", "d.csv", "--drop", "set", cwd=place)
    assert b"all rows count alike: --interventions COLUMN leaves out" in done.stderr


def test_an_empty_column_of_interventions_is_no_cause_for_a_warning(place):
    learnt(place)
    (place / "none.csv").write_text("a,b,c,set\n0,1,2,\n1,0,0,\n0,0,1,\n")
    for command in (("evaluate", "n.jsonl", "--data"), ("fit", "n.jsonl"), ("effects", "n.jsonl", "--data")):
        done = run_here(*command, "none.csv", *SET, cwd=place)
        assert done.returncode == 0 and b"under intervention" not in done.stderr
        done = run_here(*command, "none.csv", "--drop", "set", cwd=place)
        assert b"learnt from rows under intervention" in done.stderr


def test_likelihoods_are_of_the_variables_that_were_not_set(place):
    learnt(place)
    run(place, "fit", "n.jsonl", "d.csv", "--interventions", "set", "--smoothing", "1", "-o", "f.bif")
    parents = [json.loads(line)["parents"][0] for line in (place / "n.jsonl").read_text().splitlines()[1:]]
    total = 0.0
    for child, family in enumerate(parents):
        free = [row for row, target in zip(ROWS, WAS_SET, strict=True) if child not in target]
        cells = Counter((tuple(row[p] for p in family), row[child]) for row in free)
        r, q = (2, 2, 3)[child], math.prod((2, 2, 3)[p] for p in family)
        for row in free:
            key = tuple(row[p] for p in family)
            all_of = sum(cells[key, state] for state in range(r))
            total += math.log((cells[key, row[child]] + 1 / (r * q)) / (all_of + 1 / q))
    expected = pytest.approx(total / len(ROWS), rel=1e-9)
    options = ("--interventions", "set", "--json")
    assert json.loads(run(place, "evaluate", "f.bif", "--test", "d.csv", *options))["given_loglik"] == expected
    found = json.loads(run(place, "evaluate", "n.jsonl", "--data", "d.csv", "--test", "d.csv", *options))
    assert found["test_loglik"] == expected
    # Test rows may be of one experiment.
    (place / "b.csv").write_text("a,b,c,set\n0,1,0,b\n1,1,0,b\n")
    run(place, "evaluate", "n.jsonl", "--data", "d.csv", "--test", "b.csv", *options)
    assert json.loads(run(place, "evaluate", "n.jsonl", "--data", "d.csv", "--folds", "5", *options))["cv_loglik"] < 0


def test_entropies_are_of_the_other_rows(place):
    run(place, "entropy", "d.csv", "--interventions", "set", "-o", "e.arrows")
    table = bnsl.entropy(str(place / "d.csv"), interventions="set", quiet=True).to_arrow()
    for child in range(3):
        free = [row for row, target in zip(ROWS, WAS_SET, strict=True) if child not in target]
        own = [row[child] for row in free]
        assert table["entropy"][child].as_py() == pytest.approx(naive_entropy.entropy(own), abs=1e-12)
        for other in {0, 1, 2} - {child}:
            expected = naive_entropy.conditional_entropy(own, [row[other] for row in free])
            assert table["conditional"][child].as_py()[other] == pytest.approx(expected, abs=1e-12)
    forest = [json.loads(line) for line in run(place, "screen", "e.arrows", "--eps", "2").splitlines()[1:]]
    for record in forest:
        expected = interventional_score(ROWS, WAS_SET, [2, 2, 3], record["child"], record["parents"][0], "ll")
        assert record["scores"][0] == pytest.approx(expected, rel=1e-9)
    assert forest
    of_rows = run(place, "screen", "d.csv", "--interventions", "set", "--eps", "2").splitlines()
    assert "--max-parents above 1" in refusal(
        place, "screen", "d.csv", "--interventions", "set", "--eps", "0.5", "--max-parents", "2"
    )
    assert [json.loads(line) for line in of_rows[1:]] == forest
    run(place, "screen", "e.arrows", "--eps", "0.6", "-o", "f.jsonl")
    run(place, "optimize", "--data", "d.csv", "--interventions", "set", "--screen", "f.jsonl", "-o", "n.jsonl")


def test_rows_with_holes_are_completed_under_their_interventions(place):
    """With a tenth of the cells missing: the same arcs, nearly the same parameters; directed by experiments."""
    learnt(place)
    rng = random.Random(5)
    lines = (place / "d.csv").read_text().splitlines()
    holed = [
        ",".join("" if k < 3 and rng.random() < 0.1 else cell for k, cell in enumerate(line.split(",")))
        for line in lines[1:]
    ]
    (place / "h.csv").write_text("\n".join([lines[0], *holed]) + "\n")
    em = ("--missing", "em", *SET)
    for how in ("best", "drawn"):
        run(place, "optimize", "--data", "h.csv", *em, "--imputation", how, "--seed", "1", "-o", "e.jsonl")
        header = json.loads((place / "e.jsonl").read_text().splitlines()[0])
        assert header["interventions"] == [[], [0], [0, 1], [1]] and header["holes"] > 40
        assert bnsl.read(str(place / "e.jsonl")).cpdag() == {"arcs": [("a", "b"), ("b", "c")], "edges": []}
    whole = bnsl.fit(str(place / "n.jsonl"), str(place / "d.csv"), interventions="set", quiet=True)
    found = bnsl.fit(str(place / "n.jsonl"), str(place / "h.csv"), interventions="set", missing="em", quiet=True)
    for name in NAMES:
        for ours, exact in zip(
            found.cpt(name)["probability"].to_pylist(), whole.cpt(name)["probability"].to_pylist()
        ):
            assert ours == pytest.approx(exact, abs=0.1)
    run(place, "evaluate", "n.jsonl", "--data", "d.csv", "--test", "h.csv", *em, "--json")
    (place / "all.csv").write_text("a,b,c,set\n0,,1,b\n1,1,2,b\n")
    assert "all.csv: 'b' was set in every row" in refusal(place, "optimize", "--data", "all.csv", *em)


def test_refusals(place):
    learnt(place)
    data = ("--data", "d.csv", "--interventions", "set")
    assert "with --missing pairs" in refusal(place, "entropy", "d.csv", *data[2:], "--missing", "pairs")
    assert "--target cannot be combined with" in refusal(place, "evaluate", "n.jsonl", *data, "--target", "a")
    (place / "q.csv").write_text("a,b,set\n0,1,\n1,0,q\n")
    said = refusal(place, "parentsets", "q.csv", "--interventions", "set")
    assert said.startswith("bnsl parentsets: error: q.csv:3: column 'set': 'q' is no column of the table")
    (place / "r.csv").write_text("a,b,set\n0,1,b\n1,0,b\n")
    for command in (("parentsets", "r.csv"), ("optimize", "--data", "r.csv"), ("entropy", "r.csv")):
        said = refusal(place, *command, "--interventions", "set")
        assert "error: r.csv: 'b' was set in every row" in said
        assert "where a structure is learnt, also forbid arcs into it: --forbid '*->b'" in said
    assert "No such option" in refusal(place, "discretize", "d.csv", "--interventions", "set")


def test_sampled_rows_name_what_is_set(tmp_path):
    drawn = ("--random", "4", "--states", "2", "--rows", "9", "--seed", "1")
    run(tmp_path, "sample", *drawn, "--network", "n.bif", "-o", "r.csv")
    line = ("sample", "n.bif", "--rows", "4", "--seed", "2", "--do", "X1=0", "--do", "X0=1")
    plain, marked = run(tmp_path, *line), run(tmp_path, *line, *SET)
    assert [line + ",X0;X1" for line in plain.splitlines()[1:]] == marked.splitlines()[1:]
    free = run(tmp_path, "sample", "n.bif", "--rows", "2", "--seed", "2", "--interventions", "set").splitlines()
    assert free[0].endswith(",set") and free[1].endswith(",")
    assert "has a variable 'X1'" in refusal(tmp_path, "sample", "n.bif", "--rows", "2", "--interventions", "X1")
    assert "the name of the column is empty" in refusal(tmp_path, *line, "--interventions", "")


def test_parts_of_a_network_keep_the_interventions(place):
    learnt(place)
    whole = bnsl.read(str(place / "n.jsonl"))
    part = whole.around("a")
    assert part.variables == ("a", "b")
    assert part.record.header.extra["interventions"] == [[], [0], [0, 1], [1]]
    assert part.directions == {("a", "b"): "data"}
    assert whole.around("c", 0).record.header.extra["interventions"] == [[]]


def test_remedies_for_missing_cells_work(place):
    """What an error offers, beside interventions, and where another file lists the states."""
    learnt(place)
    (place / "h.csv").write_text("a,b,c,set\n0,1,2,b\n1,,0,\n0,0,1,\n1,1,0,\n")
    said = refusal(place, "optimize", "--data", "h.csv", *SET)
    assert "For example: bnsl optimize --data h.csv --interventions set --missing em" in said
    said = refusal(place, "entropy", "h.csv", *SET)
    assert "For example: bnsl entropy h.csv --interventions set --missing drop" in said
    said = refusal(place, "fit", "n.jsonl", "h.csv", *SET)
    assert "--missing drop to leave out 1 of 4 rows" in said and "--missing state" not in said
    said = refusal(place, "fit", "n.jsonl", "h.csv", *SET, "--missing", "state")
    assert "by --unseen drop" in said and "--unseen missing" not in said
    run(place, "fit", "n.jsonl", "h.csv", *SET, "--missing", "state", "--unseen", "drop")


@pytest.mark.slow
def test_sachs(shared, tmp_path):
    with gzip.open(shared / "data/classic/sachs5400_interventions.csv.gz") as packed:
        (tmp_path / "d.csv").write_bytes(packed.read())
    (tmp_path / "c.txt").write_text(CONSENSUS)
    data = ("--data", "d.csv", "--interventions", "intervened", "--score", "bdeu")
    found = json.loads(run(tmp_path, "evaluate", "c.txt", *data, "--json"))
    lines = [line.split(",") for line in (tmp_path / "d.csv").read_text().splitlines()]
    names = lines[0][:-1]
    rows = [tuple(map(int, line[:-1])) for line in lines[1:]]
    was_set = [tuple(names.index(name) for name in line[-1:] if name) for line in lines[1:]]
    families = [part.strip("[").partition("|") for part in CONSENSUS.split("]") if part]
    expected = math.fsum(
        interventional_score(
            rows, was_set, [3] * 11, names.index(child), [names.index(p) for p in parents.split(":") if p], "bdeu"
        )
        for child, _, parents in families
    )
    assert found["bdeu"] == pytest.approx(expected, rel=1e-12) == pytest.approx(-34507.979679, abs=1e-6)
    # bnlearn's mbde gives -34515.809442060: it reads past the end of its list of rows, so one row with pkc in state 1
    # is missing from the 2,515 of that cell, but not from the rows in all.
    assert expected - math.log(2514 + 1 / 3) == pytest.approx(-34515.809442060, abs=1e-8)
    run(tmp_path, "optimize", *data, "-o", "n.jsonl")
    header = json.loads((tmp_path / "n.jsonl").read_text().splitlines()[0])
    assert header["total"] == pytest.approx(-31696.938, abs=1e-3) and header["gap"] < 1e-6
    assert header["bound_relative_to"] == "all networks"


@pytest.mark.parametrize(
    "line",
    [
        "fit n.jsonl d.csv -o n.bif",
        "query n.jsonl --data d.csv --variables b",
        "effects n.jsonl --data d.csv --cause a --effect b --seed 1 --format csv",
        "optimize s.jsonl --data d.csv -o m.jsonl",
    ],
)
def test_counting_all_rows_of_such_a_network_is_pointed_out(place, line: str):
    learnt(place)
    run(place, "parentsets", "d.csv", "--interventions", "set", "-o", "s.jsonl")
    done = run_here(*line.split(), cwd=place)
    assert done.returncode == 0, done.stderr
    assert b"learnt from rows under intervention, but here all rows count alike: " in done.stderr
    if line.startswith("fit"):
        assert b"all rows count" not in run_here(*line.split(), "--interventions", "set", cwd=place).stderr
