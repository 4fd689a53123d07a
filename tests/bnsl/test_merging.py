"""Rules of ``merge`` as Python has them, and what lists and tables of others mean for a search."""

from __future__ import annotations

import pytest

import bnsl

CITIES = {"city": ["Bern", "Bern", "Zug", "Zug", "Uri", "Uri"], "y": ["a", "b", "a", "b", "a", "b"]}


@pytest.mark.parametrize(
    ("merge", "message"),
    [
        ({"city": "rare<3"}, "no object of columns"),
        ({"city": ["Bern"]}, "no object of columns"),
        ({"city": {"r": "Bern"}}, "each state needs a list of labels"),
        ({"city": {"r": 5}}, "each state needs a list of labels"),
        ({"city": {"r": ["Zug"], "s": ["Zug"]}}, "become two states: 'Zug'"),
        (5, "neither a rule"),
    ],
)
def test_rules_that_are_none_are_refused(merge, message):
    with pytest.raises((bnsl.UsageError, bnsl.DataError), match=message):
        bnsl.optimize(data=CITIES, merge=merge, quiet=True)


def test_a_label_may_be_listed_twice_for_one_state():
    network = bnsl.optimize(data=CITIES, merge={"city": {"near": ["Zug", "Zug", "Uri"]}}, quiet=True)
    assert set(network.states["city"]) == {"Bern", "near"}


def test_labels_that_do_not_occur_are_named(capsys):
    bnsl.optimize(data=CITIES, merge={"city": {"near": ["Zug", "Paris"]}})
    assert "merge lists labels that it does not have: 'Paris'" in capsys.readouterr().err


def test_classes_are_not_merged():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CITIES)
    classifier = bnsl.BayesianNetworkClassifier(merge="*=rare<4")
    with pytest.raises(ValueError, match="merge changes the classes"):
        classifier.fit(frame[["city"]], frame["y"])


def test_a_search_on_data_does_not_drop_what_its_lists_carry(capsys):
    prior = {"from": ["y"], "to": ["city"], "probability": [0.9]}
    likely = bnsl.parentsets(CITIES, prior=prior, quiet=True)
    bnsl.optimize(likely, data=CITIES)
    assert "made with prior, which does not count in a search on data" in capsys.readouterr().err
    bnsl.optimize(likely, data=CITIES, prior=prior)
    assert "warning" not in capsys.readouterr().err
    bound = bnsl.parentsets(CITIES, forbid="y->city", quiet=True)
    bnsl.optimize(bound, data=CITIES)
    assert "made with forbid, which does not bind a search on data" in capsys.readouterr().err


def test_tables_of_ends_of_arcs_may_lack_isolated_variables(tmp_path):
    table = {"a": list("uv") * 20, "b": list("uv") * 20, "c": list("uuvv") * 10}
    network = bnsl.optimize(data=table, quiet=True)
    shares = tmp_path / "shares.csv"
    shares.write_text("parent,child,probability,standard_error,either\na,b,0.5,0,1\nb,a,0.5,0,1\n")
    rows = bnsl.explain(network, data=table, strengths=shares, quiet=True)
    assert rows.to_pylist()[0]["either"] == 1.0
    (judged,) = bnsl.evaluate(strengths=shares, reference=network, quiet=True)
    assert judged["variables"] == 3
