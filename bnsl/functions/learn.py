"""`bnsl.learn`: from a table to a network with its parameters: `optimize` on data, then `fit`."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from ..files.inputs import LearntNetwork
from ..options import optimize as options_of
from ..options.declared import argument, defaults, record
from ..options.optimize import TaskOptions
from ..running.function import Function, Run, function
from .fit import MaximisationOptions, fit
from .optimize import optimize

TASK = record(
    TaskOptions,
    options_of.SECTIONS[True,],
    changes=options_of.SECTION_CHANGES,
    without=("data", "partial", "bootstrap", "resample"),
)
"""The options of a search on data for one network."""


def _finish(learnt: LearntNetwork) -> Any:
    from ..networks import Network

    return Network(learnt)


def _learn(
    *,
    data: Any,
    smoothing: float | None,
    smoothing_for: str | None,
    smooth_towards: str | None,
    run: Run,
    **arguments: Any,
) -> LearntNetwork:
    """Learn a network with its parameters from a table: `optimize` on `data`, then `fit`.

    Returns
    -------
    Network
        The network with parameters.

    Examples
    --------
    >>> network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, smoothing=1, quiet=True)
    >>> network
    <Network: bic -33.2592, 2 variables, 1 arc, method pricing, optimal among all networks>
    >>> network.predict({"a": [1]}, "b").to_pylist()[0]["P(b=0)"]
    0.9878048780487805
    """
    given = replace(arguments.pop("given"), data=data)
    found = optimize.body(sets=None, workers=None, given=given, run=run, **arguments)
    data_options = arguments["data_options"]
    fitted = fit.body(
        network=_finish(LearntNetwork(found.network, None)),
        data=data,
        data_options=replace(data_options, states=None),
        smoothing=smoothing,
        smoothing_for=smoothing_for,
        smooth_towards=smooth_towards,
        maximisation=defaults(MaximisationOptions),
        jobs=arguments["execution"].jobs,
        name="unknown",
        run=run.of_part(fit),
    )
    return LearntNetwork(found.network, fitted.model, values=fitted.values)


def _declared() -> inspect.Signature:
    """The arguments of `optimize` without the sets, with the data first and the prior of the parameters last."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = {"data": argument("DATA", is_required=True), **optimize.declared, "given": TASK}
    own |= {name: fit.declared[name] for name in ("smoothing", "smoothing_for", "smooth_towards")}
    del own["sets"], own["workers"]
    return inspect.Signature([inspect.Parameter(name, keyword, default=value) for name, value in own.items()])


_learn.__signature__ = _declared()  # type: ignore[attr-defined]
_learn.__name__ = "learn"
learn: Function = function(_learn, finish=_finish)
