"""The classifier keeps the conventions of scikit-learn."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import bnsl

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.model_selection import cross_val_score

NOT_PASSED: frozenset[str] = frozenset()
"""Checks of scikit-learn that need what discrete data do not have: none. By its tags the classifier takes categories,
so scikit-learn rounds the numbers of its checks."""

CONFIGURATIONS = [{}, {"missing": "state"}, {"missing": "em"}, {"discretize": "median", "method": "hc"}]


@pytest.mark.slow
@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_has_no_complaint(options: dict[str, str]):
    from sklearn.utils.estimator_checks import estimator_checks_generator  # loads most of scikit-learn

    failed = []
    for estimator, check in estimator_checks_generator(bnsl.BayesianNetworkClassifier(**options)):
        name = check.func.__name__
        if name == "check_array_api_input":
            continue  # needs a setting of scipy's, and is about arrays on other devices
        try:
            check(estimator)
        except Exception as error:
            failed.append((name, error))
    assert {name for name, _ in failed} == NOT_PASSED, failed


def rows(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    X = generator.integers(0, 3, (n, 4))
    return X, np.where(X[:, 0] + X[:, 1] + generator.integers(0, 2, n) > 2, "high", "low")


def test_parameters_are_the_options_of_learn():
    classifier = bnsl.BayesianNetworkClassifier(treewidth=2)
    names = {"local_score" if name == "score" else name for name in inspect.signature(bnsl.learn).parameters}
    assert set(classifier.get_params()) == names - {"data", "quiet", "verbose"}
    assert clone(classifier).get_params()["treewidth"] == 2
    assert classifier.set_params(treewidth=3).treewidth == 3
    with pytest.raises(TypeError, match="treewidht"):
        bnsl.BayesianNetworkClassifier(treewidht=2)


def test_probabilities_are_those_of_the_network():
    X, y = rows()
    classifier = bnsl.BayesianNetworkClassifier(local_score="bdeu", ess=2.0).fit(X, y)
    assert classifier.network_.record.header.score == "bdeu"
    assert classifier.classes_.tolist() == ["high", "low"]
    table = dict(zip(("x0", "x1", "x2", "x3"), X.T))
    found = classifier.network_.predict(table, classifier.class_variable_)
    assert np.array_equal(classifier.predict_proba(X)[:, 1], found["P(y=low)"].to_numpy())
    assert np.mean(cross_val_score(clone(classifier), X, y, cv=3)) > 0.75


def test_names_come_from_frames_and_the_class_finds_another():
    pandas = pytest.importorskip("pandas")
    X, y = rows()
    frame = pandas.DataFrame(X, columns=["y", "b", "c", "d"])
    classifier = bnsl.BayesianNetworkClassifier().fit(frame, y)
    assert classifier.class_variable_ == "y_"
    assert classifier.feature_names_in_.tolist() == ["y", "b", "c", "d"]
    assert set(classifier.network_.variables) == {"y", "b", "c", "d", "y_"}
    assert set(classifier.predict(frame)) == {"high", "low"}
    named = bnsl.BayesianNetworkClassifier(forbid="level->*").fit(frame, pandas.Series(y, name="level"))
    assert named.class_variable_ == "level" and named.network_.children("level") == ()
    assert named.network_.states["level"] == ("high", "low")


def test_frames_keep_their_types_and_unknown_labels_are_missing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["u", None, "v", "u"] * 20, "b": [1.5, 2.5, float("nan"), 4.0] * 20})
    labels = ["no", "yes", "yes", "no"] * 20
    classifier = bnsl.BayesianNetworkClassifier().fit(frame, labels)
    assert classifier.predict(frame).tolist() == labels
    unknown = pandas.DataFrame({"a": ["w"], "b": [1.5]})
    hidden = pandas.DataFrame({"a": [None], "b": [1.5]})
    assert np.array_equal(classifier.predict_proba(unknown), classifier.predict_proba(hidden))
    with pytest.raises(bnsl.DataError, match="'w'"):
        classifier.set_params(unseen="error").predict(unknown)


def test_missing_cells_are_summed_over():
    X, y = rows()
    classifier = bnsl.BayesianNetworkClassifier(missing="drop").fit(X, y)
    nothing = classifier.predict_proba(np.full((1, 4), np.nan))
    share = bnsl.query(classifier.network_, variables=["y"], quiet=True)["probability"].to_numpy()
    assert np.allclose(nothing[0], share)
    with pytest.raises(ValueError, match="NaN"):
        bnsl.BayesianNetworkClassifier(missing="error").fit(X, y).predict(np.full((1, 4), np.nan))


def test_many_classes_are_never_cut():
    X = np.repeat(np.arange(12), 20)[:, None]
    classifier = bnsl.BayesianNetworkClassifier(discretize="width:12").fit(X, X[:, 0] * 7)
    assert len(classifier.classes_) == classifier.predict_proba(X).shape[1] == 12
    assert np.mean(classifier.predict(X) == X[:, 0] * 7) > 0.9
