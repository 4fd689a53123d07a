"""Lists of other programs that have a set twice or no empty set, through the commands."""

from __future__ import annotations

from helpers.processes import run_here

LISTS = b"3\n0 3\n-10 0\n-8 1 1\n-9 1 1\n1 2\n-10 0\n-7.5 1 2\n2 2\n-6 1 0\n-5 1 1\n"


def test_lists_without_an_empty_set_are_searched(tmp_path):
    (tmp_path / "l.jkl").write_bytes(LISTS)
    result = run_here("optimize", "l.jkl", "--seed", "1", "-o", "l.net.jsonl", cwd=tmp_path)
    assert result.returncode == 0 and b"score -23.0000" in result.stderr
    assert result.stderr.count(b"sets listed twice (the better score counts) for 1 variable: 'X0'") == 1
    assert result.stderr.count(b"no empty set is listed") == 1
    result = run_here("optimize", "l.jkl", "--proof", "p.jsonl", "--exact", cwd=tmp_path)
    assert result.returncode == 2 and b"give whole lists" in result.stderr


def test_lists_with_a_score_of_ones_own_are_searched_and_their_networks_keep_its_name(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "0,x,1\n1,y,1\n0,x,0\n" * 9)
    lists = run_here("parentsets", "d.csv", "-o", "-", cwd=tmp_path).stdout
    (tmp_path / "mine.sets.jsonl").write_bytes(lists.replace(b'"score":"bic"', b'"score":"mine"'))
    result = run_here("optimize", "mine.sets.jsonl", "--exact", "-o", "-", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert b'"score":"mine"' in result.stdout and b"optimal among networks of the listed sets" in result.stderr
    message = run_here("posterior", "mine.sets.jsonl", cwd=tmp_path).stderr
    assert b"'mine' is no score of this program: the scores are taken as logarithms of probabilities" in message


def test_what_needs_the_empty_set_says_so(tmp_path):
    (tmp_path / "l.jkl").write_bytes(LISTS)
    for words in (["convert", "l.jkl", "--to", "parentsets"], ["posterior", "l.jkl"]):
        result = run_here(*words, cwd=tmp_path)
        assert result.returncode == 65 and b"no empty parent set is listed for" in result.stderr
        assert b"'X2'" in result.stderr and b"bnsl optimize" in result.stderr
    assert run_here("convert", "l.jkl", "--to", "pss", cwd=tmp_path).returncode == 0


def test_lists_that_no_network_meets(tmp_path):
    (tmp_path / "l.jkl").write_bytes(b"2\n0 1\n-1 1 1\n1 2\n-1 1 0\n-1 1 0\n")
    result = run_here("optimize", "l.jkl", cwd=tmp_path)
    assert result.returncode == 1 and b"close a cycle" in result.stderr
