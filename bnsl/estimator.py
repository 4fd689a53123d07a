"""A classifier for scikit-learn: the distribution of the class given the other cells of a row."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .functions.learn import learn

_RENAMED = {"score": "local_score", "local_score": "score"}  # the method of that name gives the accuracy
_OPTIONS = {_RENAMED.get(name, name): p.default for name, p in list(learn.__signature__.parameters.items())[1:]}
DEFAULTS = {**_OPTIONS, "smoothing": 1.0, "seed": 0, "quiet": True}
"""The parameters of the classifier: those of `learn`, with a prior, so that no state of a row is impossible."""

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OWN = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in DEFAULTS.items()]
_SIGNATURE = inspect.Signature([_SELF, *_OWN])


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):
    """A classifier by a Bayesian network of the columns and the class.

    Parameters are the options of `learn`; `local_score` is its `score`. Cells are states: columns with many numbers
    need `discretize`. With `missing`, rows may have missing cells (NaN): `fit` treats them so, predictions sum over
    them. After `fit`, `network_` is the network, in which the class is the variable `class_variable_`, its states the
    positions in `classes_`.

    >>> X, y = [[0, 1], [1, 1], [0, 0], [1, 0]] * 20, ["no", "yes", "no", "yes"] * 20
    >>> classifier = bnsl.BayesianNetworkClassifier(missing="drop").fit(X, y)
    >>> classifier.predict([[1, 0], [0, float("nan")]]).tolist()
    ['yes', 'no']
    """

    def __init__(self, **options: Any):
        given = _SIGNATURE.bind(self, **options)
        given.apply_defaults()
        for name in DEFAULTS:
            setattr(self, name, given.arguments[name])

    def fit(self, X: Any, y: Any) -> BayesianNetworkClassifier:
        """Learn the network and its parameters."""
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=self._finite())
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.class_variable_ = "class" + "_" * any(name == "class" for name in self._names())
        options = {_RENAMED.get(name, name): value for name, value in self.get_params().items()}
        kept = options["categories"]
        options["categories"] = [*([kept] if isinstance(kept, str) else kept), self.class_variable_]  # never cut
        self.network_ = learn(self._table(X) | {self.class_variable_: codes}, **options)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of `classes_`, for each row."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=self._finite())
        found = self.network_.predict(self._table(X), self.class_variable_)
        columns = (f"P({self.class_variable_}={code})" for code in range(len(self.classes_)))
        return np.column_stack([found[column].to_numpy() for column in columns])

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _finite(self) -> bool | str:
        return self.missing == "error" or "allow-nan"

    def _names(self) -> list[str]:
        return list(map(str, getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])))

    def _table(self, X: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(self._names(), X.T))


BayesianNetworkClassifier.__init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
