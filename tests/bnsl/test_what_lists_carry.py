"""What lists and tables of others mean for a search and its judgement."""

from __future__ import annotations

import bnsl

CITIES = {"city": ["Bern", "Bern", "Zug", "Zug", "Uri", "Uri"], "y": ["a", "b", "a", "b", "a", "b"]}


def test_a_search_on_data_does_not_drop_what_its_lists_carry(capsys):
    prior = {"from": ["y"], "to": ["city"], "probability": [0.9]}
    likely = bnsl.parentsets(CITIES, prior=prior, quiet=True)
    bnsl.optimize(likely, data=CITIES)
    assert "was made with prior, which a search on data does not take from it" in capsys.readouterr().err
    bnsl.optimize(likely, data=CITIES, prior=prior)
    assert "warning" not in capsys.readouterr().err
    bound = bnsl.parentsets(CITIES, forbid="y->city", quiet=True)
    bnsl.optimize(bound, data=CITIES)
    assert "was made with forbid, which a search on data does not take from it" in capsys.readouterr().err


def test_tables_of_ends_of_arcs_may_lack_isolated_variables(tmp_path):
    table = {"a": list("uv") * 20, "b": list("uv") * 20, "c": list("uuvv") * 10}
    network = bnsl.optimize(data=table, quiet=True)
    shares = tmp_path / "shares.csv"
    shares.write_text("parent,child,probability,standard_error,either\na,b,0.5,0,1\nb,a,0.5,0,1\n")
    rows = bnsl.explain(network, data=table, strengths=shares, quiet=True)
    assert rows.to_pylist()[0]["either"] == 1.0
    (judged,) = bnsl.evaluate(strengths=shares, reference=network, quiet=True)
    assert judged["variables"] == 3
