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
