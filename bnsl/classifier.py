"""The classifier of `estimator`; without scikit-learn a class of its name that says what to install."""

from __future__ import annotations

from typing import Any

try:
    from .estimator import BayesianNetworkClassifier as BayesianNetworkClassifier
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise

    class BayesianNetworkClassifier:  # type: ignore[no-redef]
        """A classifier for scikit-learn, which is not installed: pip install scikit-learn."""

        def __init__(self, **options: Any):
            raise ImportError("BayesianNetworkClassifier needs scikit-learn: pip install scikit-learn")
