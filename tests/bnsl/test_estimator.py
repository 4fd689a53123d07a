"""The classifier keeps the conventions of scikit-learn."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pyarrow
import pytest

import bnsl

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import cross_val_score

from bnsl.class_cuts import rules_for_class

BY_FOLDS = {"check_sample_weight_equivalence_on_dense_data"}
"""Checks of scikit-learn that fail where smoothing is chosen: rows are dealt to the folds in their order, which the
check changes. By its tags the classifier takes categories, so scikit-learn rounds the numbers of its checks."""

CONFIGURATIONS = [
    {},
    {"missing": "state"},
    {"smoothing": 1},
    {"discretize": "median", "method": "hc", "smoothing": 1},
]


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
    assert {name for name, _ in failed} - (set() if "smoothing" in options else BY_FOLDS) == set(), failed


def rows(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    X = generator.integers(0, 3, (n, 4))
    return X, np.where(X[:, 0] + X[:, 1] + generator.integers(0, 2, n) > 2, "high", "low")


def test_parameters_are_the_options_of_learn():
    classifier = bnsl.BayesianNetworkClassifier(treewidth=2)
    names = {"local_score" if name == "score" else name for name in inspect.signature(bnsl.learn).parameters}
    assert set(classifier.get_params()) == names - {"data", "quiet", "verbose"}
    assert clone(classifier).get_params()["treewidth"] == 2
    with pytest.raises(bnsl.UsageError, match="method cll takes no treewidth bound; pricing does"):
        classifier.fit(*rows())
    assert classifier.set_params(treewidth=3).treewidth == 3
    with pytest.raises(TypeError, match="say local_score= in place of score="):
        bnsl.BayesianNetworkClassifier(score="bdeu")
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
    by_score = bnsl.BayesianNetworkClassifier(method="pricing", forbid="level->*")
    named = by_score.fit(frame, pandas.Series(y, name="level"))
    assert named.class_variable_ == "level" and named.network_.children("level") == ()
    assert named.network_.states["level"] == ("high", "low")
    with pytest.raises(bnsl.RunError, match=r'it cannot follow require, forbid, .* such as method="pricing"'):
        bnsl.BayesianNetworkClassifier(forbid="b->c").fit(frame, y)


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


def test_numbers_are_cut_by_the_rule_and_few_numbers_stay():
    generator = np.random.default_rng(4)
    counts = generator.integers(0, 16, 400)
    X = np.column_stack([counts, counts + generator.normal(size=400)])
    y = counts > 7
    classifier = bnsl.BayesianNetworkClassifier().fit(X, y)
    assert classifier.network_.states["x0"] == tuple(map(str, range(16)))
    assert classifier.score(X, y) == 1.0
    n_intervals = len(classifier.network_.states["x1"])
    [rule] = rules_for_class(
        pyarrow.table({"x1": X[:, 1]}), y.astype(int), 2, np.ones(400, int), classifier.get_params()
    )
    assert rule == f"x1=quantile:{n_intervals}"
    by_hand = bnsl.BayesianNetworkClassifier(discretize=rule).fit(X, y)
    assert np.array_equal(by_hand.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize("missing", [False, True])
def test_smoothing_is_that_of_smoothing_for(missing):
    X, y = rows()
    X = X.astype(float)
    if missing:
        X[::9, 1] = np.nan
    classifier = bnsl.BayesianNetworkClassifier().fit(X, y)
    options = classifier.network_.record.header.by[-1]["options"]
    assert options["smoothing_for"] == "y" and options["smoothing"] > 0
    table = {f"x{k}": column for k, column in enumerate(X.T)}
    chosen = bnsl.fit(classifier.network_, table | {"y": y}, missing="em", smoothing_for="y", quiet=True)
    assert chosen.cpt("y")["probability"] == classifier.network_.cpt("y")["probability"]
    given = bnsl.BayesianNetworkClassifier(smoothing=2).fit(X, y)
    assert given.network_.record.header.by[-1]["options"]["smoothing"] == 2


def test_rows_that_are_impossible_are_said_and_get_the_shares_of_the_classes():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]] * 20)
    y = ["u", "v", "w", "w"] * 20
    classifier = bnsl.BayesianNetworkClassifier(smoothing=0).fit(X, y)
    with pytest.warns(UserWarning, match="1 of 2 rows have probability 0 under the network, the first is row 1"):
        found = classifier.predict_proba([[0, 0], [0, 1]])
    assert found == pytest.approx(np.array([[0.5, 0.5, 0], [0.25, 0.25, 0.5]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(bnsl.BayesianNetworkClassifier().fit(X, y).predict_proba([[0, 1]])).all()


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_classes_in_frames(name):
    library = pytest.importorskip(name)
    X, y = rows()
    frame = library.DataFrame(dict(zip("abcd", X.T)))
    classifier = bnsl.BayesianNetworkClassifier()
    with pytest.warns(DataConversionWarning):
        classifier.fit(frame, library.DataFrame({"level": y}))
    assert classifier.class_variable_ == "level"
    assert np.array_equal(classifier.predict(frame), clone(classifier).fit(frame, y).predict(frame))
    for wrong, said in (
        (library.DataFrame({"a": y, "b": y}), "y should be a 1d array"),
        (library.Series(y)[:250], "inconsistent numbers of samples"),
        (library.Series([1.0, float("nan")] * 150), "y contains NaN"),
        (library.Series([None, "no"] * 150), "Unknown label type|contains NaN"),
    ):
        with pytest.raises(ValueError, match=said):
            classifier.fit(frame, wrong)
    assert classifier.predict(frame[:0]).shape == (0,) and classifier.predict_proba(frame[:0]).shape == (0, 2)


def test_weights_count_rows():
    X, y = rows()
    counts = np.random.default_rng(2).integers(0, 3, len(X))
    classifier = bnsl.BayesianNetworkClassifier(smoothing=1)
    weighted = clone(classifier).fit(X, y, sample_weight=counts)
    repeated = clone(classifier).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    by_column = clone(classifier).set_params(weights="x4").fit(np.column_stack([X, counts]), y)
    assert np.array_equal(by_column.network_.predict({"x0": [1]}, "y"), weighted.network_.predict({"x0": [1]}, "y"))
    for wrong, said in (
        (counts / 2, "whole numbers"),
        (counts[1:], "one weight for each row"),
        (counts * 0, "no row is left"),
    ):
        with pytest.raises(ValueError, match=said):
            clone(classifier).fit(X, y, sample_weight=wrong)
    with pytest.raises(ValueError, match="give one of them"):
        clone(classifier).set_params(weights="x3").fit(X, y, sample_weight=counts)


def test_searches_by_score_end_by_themselves():
    X, y = rows()
    for given, time in (({}, 5.0), ({"time": "1h"}, 3600.0), ({"evaluations": 50}, None)):
        classifier = bnsl.BayesianNetworkClassifier(method="pricing", local_score="bdeu", **given).fit(X, y)
        assert classifier.network_.record.header.by[0]["options"].get("time") == time
    assert "time" not in bnsl.BayesianNetworkClassifier().fit(X, y).network_.record.header.by[-1]["options"]


def test_advice_is_in_the_words_of_the_classifier():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["u", None] * 30})
    with pytest.raises(bnsl.DataError) as found:
        bnsl.BayesianNetworkClassifier(missing="error", local_score="bdeu").fit(frame, [0, 1] * 30)
    assert str(found.value).endswith('For example: bnsl.BayesianNetworkClassifier(local_score="bdeu", missing="em")')
    with pytest.raises(bnsl.UsageError, match=r"^local_score='zz': one of bic"):
        bnsl.BayesianNetworkClassifier(local_score="zz").fit(frame, [0, 1] * 30)
    with pytest.raises(bnsl.UsageError, match="n_samples = 4: too few for the 5 folds that choose the smoothing"):
        bnsl.BayesianNetworkClassifier().fit(frame[:4], [0, 1] * 2)
    with pytest.raises(bnsl.UsageError, match="is not chosen for rows with interventions: give smoothing=ROWS"):
        bnsl.BayesianNetworkClassifier(interventions="a").fit(frame, [0, 1] * 30)
