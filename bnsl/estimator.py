"""A classifier for scikit-learn, which predicts the class from the other cells of a row."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from stages.evaluate.smoothing import FOLDS
from stages.optimize import METHODS

from .class_cuts import rules_for_class
from .functions.learn import learn
from .options.option import options_of
from .running.errors import UsageError
from .running.function import call_as
from .running.wording import python_line
from .tables import arrow_table

SEARCH_TIME = "5s"
"""Time of a search by score, where neither `time` nor `evaluations` is given."""

_RENAMED = {"score": "local_score", "local_score": "score"}  # `score` of a classifier gives the accuracy
_KEYWORDS = {_RENAMED.get(name, name): option for name, option in options_of(learn).items() if not option.positional}
_CHOSEN = {"method": "cll", "missing": "em", "discretize": None, "seed": 0, "unseen": "missing"}
DEFAULTS = {name: option.default for name, option in _KEYWORDS.items()} | _CHOSEN

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OWN = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in DEFAULTS.items()]
_SIGNATURE = inspect.Signature([_SELF, *_OWN])


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):
    """A classifier by a Bayesian network, whose variables are the columns and the class.

    Parameters are the options of `learn`; the option `score` is called `local_score` here. Some have other defaults:

    - `method`: ``cll`` chooses among naive Bayes, TAN and KDB the network that predicts left-out rows best. Knowledge
      about arcs and a bound on the treewidth need a search by score, such as ``pricing``. Such a search ends after
      5 s unless `time` or `evaluations` is given. Methods with a `target`, such as ``tan``, get the class as target.
    - `discretize`: None cuts each column that has more than 20 distinct numbers into 2 to 20 intervals with equally
      many rows. The number of intervals is the one that best predicts the class of a row from the other rows of its
      interval. No other column is cut.
    - `smoothing`: None chooses the smoothing, from 0.1 to 10,000 rows, that predicts the class best in 5 folds, as
      `smoothing_for` does. It also chooses whether to smooth towards the marginal or the uniform distribution, unless
      `smooth_towards` is given. With `interventions` nothing can be chosen: give `smoothing`.
    - `missing`: ``em`` sums over missing cells, both when learning and when predicting.
    - `unseen`: what to do with a label that no row had when learning. ``missing`` takes the cell as missing,
      ``error`` refuses the row.

    Columns of data frames keep their types; NaN and None are missing. After `fit`, `network_` is the network. Its
    variable `class_variable_` is the class: it has the name of `y` (``y`` if that has none), and its states are the
    labels in `classes_`.

    >>> X, y = [[0, 1], [1, 1], [0, 0], [1, 0]] * 20, ["no", "yes", "no", "yes"] * 20
    >>> classifier = bnsl.BayesianNetworkClassifier().fit(X, y)
    >>> classifier.predict([[1, 0], [0, float("nan")]]).tolist()
    ['yes', 'no']
    """

    def __init__(self, **options: Any):
        if "score" in options:
            raise TypeError(
                "say local_score= in place of score=: the method score() of a classifier gives the accuracy"
            )
        given = _SIGNATURE.bind(self, **options)
        given.apply_defaults()
        for name in DEFAULTS:
            setattr(self, name, given.arguments[name])

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianNetworkClassifier:
        """Learn the network and its parameters.

        `sample_weight`: whole numbers. A row of weight 3 counts as three equal rows, as with `weights`.
        """
        X, labels = self._checked(X, y=y)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.labels_ = [str(label) for label in self.classes_.tolist()]
        if len(set(self.labels_)) < len(self.labels_):
            self.labels_ = [str(code) for code in range(len(self.classes_))]
        table = arrow_table(self._table(X))
        self.class_variable_ = _new_name(_name_of(y), table.column_names)
        options = self._options_of_learn()
        table, counts = self._with_row_counts(table, sample_weight, options)
        if options["smoothing"] is None and counts.sum() < FOLDS:
            raise UsageError(
                f"n_samples = {counts.sum()}: too few for the {FOLDS} folds that choose the smoothing: "
                "give smoothing=ROWS"
            )
        if options["discretize"] is None:
            options["discretize"] = rules_for_class(table, codes, len(self.classes_), counts, options)
        cells = pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, pyarrow.int32()), self.labels_)
        self.network_ = self._learnt(table.append_column(self.class_variable_, cells), options)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class for each row; columns are in the order of `classes_`.

        With `smoothing` 0, a row may have probability 0 under the network. It then gets the shares of the classes,
        and a warning says so.
        """
        check_is_fitted(self)
        table = self._table(self._checked(X, reset=False))
        name = self.class_variable_
        found = self.network_.predict(table, name, unseen=self.unseen)
        chances = np.column_stack([found[f"P({name}={label})"].to_numpy() for label in self.labels_])
        impossible = np.isnan(chances).any(axis=1)
        if impossible.any():
            warnings.warn(
                f"{impossible.sum():,} of {len(chances):,} rows have probability 0 under the network, the first "
                f"is row {int(impossible.argmax())} (from 0): they get the shares of the classes. With smoothing "
                "above 0 no row has probability 0",
                stacklevel=2,
            )
            shares = self.network_.query(variables=[name]).to_pylist()
            share_of = {row["state"]: row["probability"] for row in shares}
            chances[impossible] = [share_of[label] for label in self.labels_]
        return chances

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _options_of_learn(self) -> dict[str, Any]:
        """The options for `learn`, but for cuts that the data choose."""
        options = {_RENAMED.get(name, name): value for name, value in self.get_params().items()}
        del options["unseen"]
        takes_class = options["method"] in METHODS and "target" in METHODS[options["method"]].options
        if takes_class and options["target"] is None:
            options["target"] = self.class_variable_
        if not takes_class and options["time"] is None and options["evaluations"] is None:
            options["time"] = SEARCH_TIME
        if options["smoothing"] is None and options["smoothing_for"] is None:
            if options["interventions"] is not None:
                raise UsageError(
                    "the smoothing is not chosen for rows with interventions: give smoothing=ROWS", "smoothing"
                )
            options["smoothing_for"] = self.class_variable_
        return options

    def _with_row_counts(
        self, table: pyarrow.Table, sample_weight: Any, options: dict[str, Any]
    ) -> tuple[pyarrow.Table, np.ndarray]:
        """The table with a column of these weights, which then is `weights`; the rows that each row stands for."""
        name = options["weights"]
        if sample_weight is None:
            weights = table[name].to_pylist() if name in table.column_names else np.ones(len(table))
            return table, _row_counts(weights, len(table))
        if name is not None:
            raise ValueError("sample_weight and weights both count the rows: give one of them")
        counts = _row_counts(sample_weight, len(table))
        options["weights"] = _new_name("sample_weight", [*table.column_names, self.class_variable_])
        return table.append_column(options["weights"], pyarrow.array(counts)), counts

    def _learnt(self, table: pyarrow.Table, options: dict[str, Any]) -> Any:
        """The network; errors are in the words of this class."""
        given = {name: value for name, value in self.get_params().items() if value is not DEFAULTS[name]}

        def line(mending: Mapping[str, Any]) -> str:
            return python_line(type(self).__name__, (), {**given, **mending})

        try:
            return call_as(learn, _KEYWORDS, line, (table,), options, verbosity=-1)
        except UsageError as error:
            if error.parameter != "score":
                raise
            raise UsageError(str(error).replace("score=", "local_score=", 1), "local_score") from None

    def _checked(self, X: Any, **given: Any) -> Any:
        """The input as scikit-learn converts it; data frames stay as they are."""
        if not hasattr(X, "__arrow_c_stream__") or ("y" in given and given["y"] is None):
            finite = self.missing == "error" or "allow-nan"
            return validate_data(self, X, dtype=None, ensure_all_finite=finite, **given)
        found = validate_data(self, X, skip_check_array=True, **given)
        if "y" not in given:
            return found
        labels = column_or_1d(given["y"], warn=True)
        check_consistent_length(X, labels)
        assert_all_finite(labels, input_name="y")
        return X, labels

    def _table(self, X: Any) -> Any:
        if not isinstance(X, np.ndarray):
            return X
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        return dict(zip(map(str, names), X.T))


BayesianNetworkClassifier.__init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]


def _name_of(y: Any) -> str:
    """The name of a series, or of the one column of a frame; else ``y``."""
    named = getattr(y, "name", None) if not hasattr(y, "columns") else y.columns[0]
    return named if isinstance(named, str) and named else "y"


def _new_name(name: str, taken: Collection[str]) -> str:
    """The name, with lines under it as long as it is taken."""
    while name in taken:
        name += "_"
    return name


def _row_counts(weights: Any, n_rows: int) -> np.ndarray:
    """Weights as numbers of rows, int64.

    Raises `ValueError`: they are not one whole number of at least 0 for each row, or all are zero.
    """
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_rows,):
        raise ValueError(f"weights of shape {given.shape} for {n_rows} rows: give one weight for each row")
    if not (np.isfinite(given).all() and (given >= 0).all() and (given == np.floor(given)).all()):
        raise ValueError("weights count rows: give whole numbers from 0")
    if not given.any():
        raise ValueError("all weights are zero: no row is left")
    return given.astype(np.int64)
