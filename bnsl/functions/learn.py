"""`bnsl.learn`: from a table to a network with its parameters: `optimize` on data, then `fit`."""

from typing import Annotated, Unpack

from ..networks import Network
from ..options.data import READING
from ..options.option import Argument, Source, group_options
from ..running.function import Run, call_body, default_values, function
from .fit import ParameterOptions, fit
from .optimize import SearchOptions, search
from .taken_options import AskedSearch


class LearnOptions(SearchOptions, ParameterOptions, total=False):
    """Options of `learn`: a search for one network, and the prior of its parameters."""


@function
def learn(
    run: Run, data: Annotated[Source, Argument("DATA"), "The table."], **options: Unpack[LearnOptions]
) -> Network:
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
    given = AskedSearch(data=data, **options)
    found = search(run, None, given)
    assert isinstance(found, Network)
    of_fit = {name: getattr(given, name) for name in (*READING, *group_options(ParameterOptions), "jobs")}
    inputs = {"network": found, "data": data, "states": None}
    fitted = call_body(fit, default_values(fit) | of_fit | inputs, run.of_part(fit))
    return Network(fitted.record, values=fitted.values, figures=found.figures)
