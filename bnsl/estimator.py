"""A classifier for scikit-learn: the distribution of the class given the other cells of a row."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from stages.optimize import METHODS

from .functions.learn import learn
from .tables import with_column

_RENAMED = {"score": "local_score", "local_score": "score"}  # `score` of a classifier gives the accuracy
_OPTIONS = {
    _RENAMED.get(name, name): option.default for name, option in learn.keywords.items() if not option.positional
}
DEFAULTS = {**_OPTIONS, "missing": "em", "discretize": "quantile:4", "smoothing": 1.0, "seed": 0, "unseen": "missing"}
"""The parameters of the classifier are keywords of `learn`. By default missing cells are summed over, columns of many
numbers are cut into quarters, unknown labels count as missing, and a prior gives every state of a row a positive
probability.
"""

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OWN = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in DEFAULTS.items()]
_SIGNATURE = inspect.Signature([_SELF, *_OWN])


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):
    """A classifier by a Bayesian network of the columns and the class.

    Parameters are the options of `learn`, whose `score` is called `local_score` here. `unseen` decides about labels
    that no row had when learning: ``missing``, or ``error``. Methods with a `target`, such as ``tan``, get the class.
    Data frames keep their types; NaN and None are missing. After `fit`, `network_` is the network. In it the class is
    the variable `class_variable_`: its name is that of `y`, or ``y``, and its states are the labels in `classes_`.

    >>> X, y = [[0, 1], [1, 1], [0, 0], [1, 0]] * 20, ["no", "yes", "no", "yes"] * 20
    >>> classifier = bnsl.BayesianNetworkClassifier().fit(X, y)
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
        named = getattr(y, "name", None)
        X, y = self._checked(X, y=y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        names = self._names()
        self.class_variable_ = named if isinstance(named, str) and named else "y"
        while self.class_variable_ in names:
            self.class_variable_ += "_"
        options = {_RENAMED.get(name, name): value for name, value in self.get_params().items()}
        del options["unseen"]
        method = METHODS.get(options["method"])
        if options["target"] is None and method is not None and "target" in method.options:
            options["target"] = self.class_variable_
        self.labels_ = [str(label) for label in self.classes_.tolist()]
        if len(set(self.labels_)) < len(self.labels_):
            self.labels_ = [str(code) for code in range(len(self.classes_))]
        table = with_column(self._table(X), self.class_variable_, codes, self.labels_)
        self.network_ = learn(table, quiet=True, **options)
        if merged := [label for label in self.labels_ if label not in self.network_.states[self.class_variable_]]:
            raise ValueError(
                f"merge changes the classes ({', '.join(map(repr, merged))} would be one state with others): name "
                "columns of X in its rules, or merge the labels of y before fit"
            )
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, in the order of `classes_`, for each row."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        table = self._table(X)
        found = self.network_.predict(table, self.class_variable_, unseen=self.unseen)
        states = self.network_.states[self.class_variable_]
        columns = {state: found[f"P({self.class_variable_}={state})"].to_numpy() for state in states}
        return np.column_stack([columns[label] for label in self.labels_])

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _checked(self, X: Any, **given: Any) -> Any:
        """The input as scikit-learn converts it; data frames stay as they are."""
        if hasattr(X, "__arrow_c_stream__") and given.get("y", True) is not None:
            return validate_data(self, X, skip_check_array=True, **given)
        finite = self.missing == "error" or "allow-nan"
        return validate_data(self, X, dtype=None, ensure_all_finite=finite, **given)

    def _names(self) -> list[str]:
        return list(map(str, getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])))

    def _table(self, X: Any) -> Any:
        return dict(zip(self._names(), X.T)) if isinstance(X, np.ndarray) else X


BayesianNetworkClassifier.__init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
