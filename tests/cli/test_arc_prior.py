"""`--prior` from its file to results: what is read, refused, recorded and said."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from helpers.processes import run_here

import bnsl

ROWS = [(k % 2, (k // 2 + (k % 7 == 0)) % 2, (k % 2 + (k % 5 == 0)) % 2) for k in range(60)]
PRIOR = "from,to,probability,type\na,b,0.9,directed\nc,b,0.75,undirected\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "d.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ROWS))
    (tmp_path / "p.csv").write_text(PRIOR)
    return tmp_path


def run(place: Path, command: str) -> tuple[str, str]:
    done = run_here(*command.split(), cwd=place)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def refusal(place: Path, command: str) -> str:
    done = run_here(*command.split(), cwd=place)
    assert done.returncode in (1, 2, 65), done.stdout
    return done.stderr.decode()


def learnt(text: str) -> tuple[dict, list[list[int]]]:
    header, *records = map(json.loads, text.splitlines())
    return header, [record["parents"][0] for record in sorted(records, key=lambda each: each["child"])]


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ("from,to,probability\na,b,0.5\na,x,0.5\n", 3, "column 'to': 'x' is no variable of the data"),
        ("from,to,probability\na,b,1.5\n", 2, "column 'probability': '1.5' is no number from 0 to 1"),
        ("from,to,probability\na,b,often\n", 2, "column 'probability': 'often' is no number"),
        ("from,to,probability\na,b,0\n", 2, "--forbid 'a->b', or count 0 and 1 as nearly so: --prior-least 0.001"),
        ("from,to,probability\na,b,1\n", 2, "--require 'a->b'"),
        ("from,to,probability\na,a,0.5\n", 2, "an arc from 'a' to itself"),
        ("from,to,probability\na,b,0.5\n\na,b,0.6\n", 4, "the arc a->b has a probability already (line 2)"),
        (
            "from,to,type,strength\na,b,undirected,0.5\nb,a,directed,0.6\n",
            3,
            "the arc b->a has a probability already",
        ),
        ("from,to,type,strength\na,b,both,0.5\n", 2, "column 'type': 'both' is neither directed nor undirected"),
        ("from,to,probability\na,b\n", 2, "2 entries for 3 columns"),
        ("from,to\na,b\n", 1, "there is no column of probabilities"),
        ("a,b,probability\n1,2,0.5\n", 1, "there is no column of the two ends of an arc"),
    ],
)
def test_errors_name_file_line_and_column(place, table, line, message):
    (place / "p.csv").write_text(table)
    said = refusal(place, "optimize --data d.csv --prior p.csv")
    assert f"p.csv:{line}: " in said and message in said


def test_certain_arcs_count_as_nearly_so(place):
    (place / "p.csv").write_text("parent,child,strength\na,b,1\nc,b,0\nb,c,0.5\n")
    header, _ = learnt(run(place, "parentsets --sequential --prior p.csv --prior-least 0.01 d.csv")[0])
    assert header["arc_prior"] == {"arcs": [["a", "b", 0.99], ["c", "b", 0.01], ["b", "c", 0.5]]}
    assert "--prior-least needs --prior" in refusal(place, "parentsets --prior-least 0.01 d.csv")


@pytest.mark.parametrize(
    "command",
    [
        "parentsets --indep --prior p.csv d.csv",
        "parentsets --greedy --prior p.csv d.csv",
        "optimize --data d.csv --mmhc --prior p.csv",
    ],
)
def test_methods_that_cannot_honour_it_refuse(place, command):
    assert "--prior does not apply to method" in refusal(place, command)


def test_screening_refuses(place):
    run(place, "screen --roots 0.5 d.csv -o f.jsonl")
    assert "cannot be combined with --screen" in refusal(place, "parentsets --screen f.jsonl --prior p.csv d.csv")
    assert "cannot be combined with --screen" in refusal(
        place, "optimize --data d.csv --screen f.jsonl --prior p.csv"
    )


def test_lists_are_not_added_to_twice(place):
    run(place, "parentsets --sequential --prior p.csv d.csv -o s.jsonl")
    assert (
        run(place, "optimize s.jsonl --seed 1")[0].split('"by"')[0]
        == (run(place, "optimize s.jsonl --prior p.csv --seed 1")[0].split('"by"')[0])
    )
    (place / "q.csv").write_text(PRIOR.replace("0.9", "0.8"))
    assert "contain another prior" in refusal(place, "optimize s.jsonl --prior q.csv")
    assert "contain another prior" in refusal(place, "parentsets --extend s.jsonl --prior q.csv d.csv")
    # On data the sets of such lists are scored again.
    plain = learnt(run(place, "optimize s.jsonl --data d.csv --seed 1")[0])[0]["total"]
    assert plain == learnt(run(place, "optimize --data d.csv --seed 1")[0])[0]["total"]


def test_lists_without_it_lose_their_claim(place):
    run(place, "parentsets --sequential d.csv -o s.jsonl")
    _, said = run(place, "optimize s.jsonl --prior p.csv -o n.jsonl")
    assert "may lack sets that the prior favours" in said and "with a prior of arcs" in said
    run(place, "parentsets --sequential --keep-mass 1e-6 d.csv -o s.jsonl")
    _, said = run(place, "optimize s.jsonl --prior p.csv -o n.jsonl")
    assert "optimal among all networks" in said
    assert "give whole lists" in refusal(place, "optimize s.jsonl --exact --prior p.csv --proof x.proof")


def test_evaluate_says_what_the_score_contains(place):
    header, parents = learnt(run(place, "optimize --data d.csv --prior p.csv --seed 1")[0])
    run(place, "optimize --data d.csv --prior p.csv --seed 1 -o n.jsonl")
    scored, said = run(place, "evaluate n.jsonl --data d.csv --format jsonl")
    assert "the scores in the header contain a prior of arcs" in said and "on these data it is" not in said
    odds = {(0, 1): math.log(9), (2, 1): math.log(0.75 / 2 / 0.25), (1, 2): math.log(0.75 / 2 / 0.25)}
    gain = sum(odds.get((p, child), 0.0) for child, family in enumerate(parents) for p in family)
    assert gain and header["total"] == pytest.approx(json.loads(scored.splitlines()[-1])["bic"] + gain)


@pytest.mark.parametrize("more", ["--tw 1", "--tw 2", "--hc --restarts 3", "--fastchc", "-j 2", "--require c,a"])
def test_searches_contain_it(place, more):
    # Every network is verified from scratch before it is written.
    header, parents = learnt(run(place, f"optimize --data d.csv --prior p.csv --seed 1 {more}")[0])
    assert header["arc_prior"] == {"arcs": [["a", "b", 0.9]], "adjacencies": [["c", "b", 0.75]]}
    assert any(parents)


def test_rows_under_intervention_and_with_holes(place):
    lines = (place / "d.csv").read_text().splitlines()
    shown = [f"{line},{'b' if k % 3 == 0 else ''}" for k, line in enumerate(lines[1:])]
    (place / "i.csv").write_text("\n".join([f"{lines[0]},set", *shown]) + "\n")
    header, _ = learnt(run(place, "optimize --data i.csv --interventions set --prior p.csv --seed 1")[0])
    assert {"arc_prior", "interventions"} <= header.keys()
    (place / "m.csv").write_text("\n".join(["a,b,c", *lines[1:30], "?,1,0", "1,?,1"]) + "\n")
    header, parents = learnt(run(place, "optimize --data m.csv --missing em --prior p.csv --seed 1")[0])
    assert "arc_prior" in header and parents[1]


def test_a_posterior_is_the_prior_of_other_data(place):
    run(place, "parentsets --sequential --score bdeu --keep-mass 0 d.csv -o s.jsonl")
    for name in ("q.csv", "q.arrows", "q.parquet"):
        run(place, f"posterior s.jsonl -o {name}")
        header, _ = learnt(run(place, f"optimize --data d.csv --prior {name} --seed 1")[0])
        assert len(header["arc_prior"]["arcs"]) == 6
    run(place, "optimize --data d.csv --bootstrap 5 --seed 1 -o r.jsonl")
    run(place, "average r.jsonl --strengths t.csv -o c.jsonl")
    run(place, "optimize --data d.csv --prior t.csv --prior-least 0.05 --bootstrap 2 --seed 1")


def test_posterior_with_a_prior_of_either_origin(place):
    run(place, "parentsets --sequential --score bdeu --keep-mass 0 d.csv -o s.jsonl")
    run(place, "parentsets --sequential --score bdeu --keep-mass 0 --prior p.csv d.csv -o t.jsonl")
    afterwards, before = (
        run(place, f"posterior {lists} --format csv")[0].splitlines()
        for lists in ("s.jsonl --prior p.csv", "t.jsonl")
    )
    assert afterwards == before
    assert before != run(place, "posterior s.jsonl --format csv")[0].splitlines()


def test_effects_with_a_prior_of_either_origin(place):
    run(place, "parentsets --sequential --score bdeu --keep-mass 0 d.csv -o s.jsonl")
    run(place, "parentsets --sequential --score bdeu --keep-mass 0 --prior p.csv d.csv -o t.jsonl")
    asked = "--data d.csv --seed 1 --format csv"
    afterwards, before = (
        run(place, f"effects {lists} {asked}")[0].splitlines() for lists in ("s.jsonl --prior p.csv", "t.jsonl")
    )
    assert afterwards == before
    assert before != run(place, f"effects s.jsonl {asked}")[0].splitlines()
    run(place, "optimize s.jsonl --seed 1 -o n.jsonl")
    assert "--prior needs lists of parent sets" in refusal(place, f"effects n.jsonl --prior p.csv {asked}")
    assert "--prior-least needs --prior" in refusal(place, f"effects s.jsonl --prior-least 0.01 {asked}")


def test_keyword():
    table = dict(zip("abc", ([str(row[k]) for row in ROWS] for k in range(3))))
    prior = {"from": ["a"], "to": ["b"], "probability": [0.9]}
    network = bnsl.optimize(data=table, prior=prior, seed=1, quiet=True)
    assert ("a", "b") in network.arcs
    sets = bnsl.parentsets(table, score="bdeu", keep_mass=0, quiet=True)
    found = bnsl.posterior(sets, prior=prior, quiet=True)
    again = bnsl.optimize(data=table, prior=found, seed=1, quiet=True)
    assert again.arcs
