"""The commands as functions: signatures, options and first lines of their help are those of the command table.

Options are keywords of the names of the command line, with underscores; a flag is True or False, and what may be
repeated a list. Inputs are tables, results, or paths. `output` writes a file, and the function then returns None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from bnsl_cli.main import COMMANDS
from formats.streams import MemoryFile

from .calls import call, parameters_of, parameters_text, signature_of, source_of
from .errors import UsageError
from .results import Network, networks_of, object_of


def _function(name: str, text: str, finish: Callable = lambda file, _: object_of(file)) -> Callable[..., Any]:
    """The function of a command; `text` says what it returns, `finish` makes that of the file and the arguments."""
    parameters = parameters_of(name)

    def function(*inputs: Any, **options: Any) -> Any:
        file = call(name, inputs, options)
        return finish(file, signature_of(parameters).bind(*inputs, **options).arguments)

    function.__name__ = name
    return _described(function, f"{COMMANDS[name]}\n\n{inspect.cleandoc(text)}", parameters)


def _described(function: Callable, text: str, parameters: Mapping[str, Any]) -> Callable:
    about, mark, examples = text.partition(">>> ")
    function.__doc__ = f"{about}{parameters_text(parameters)}\nExamples\n--------\n{mark}{examples}\n"
    function.__signature__ = signature_of(parameters)  # type: ignore[attr-defined]
    return function


entropy = _function(
    "entropy",
    """Returns an Arrow table: for each variable its entropy, and its conditional entropies in the order of the rows.

    >>> table = bnsl.entropy({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}, quiet=True)
    >>> [round(entropy, 4) for entropy in table["entropy"].to_pylist()]
    [0.6931, 0.6931]
    """,
)
screen = _function(
    "screen",
    """Returns a `Forest`, with `curve` a list of points.

    >>> forest = bnsl.screen({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [1, 0, 1, 0]}, eps=0.1, quiet=True)
    >>> forest.to_arrow().to_pylist()
    [{'parent': 'c', 'child': 'a'}]
    """,
)
parentsets = _function(
    "parentsets",
    """Returns `ParentSets`, with `dry_run` the text of the forecast.

    >>> sets = bnsl.parentsets({"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}, quiet=True)
    >>> sets.to_arrow()["parents"].to_pylist()
    [['c'], [], [], ['a'], []]
    """,
)
optimize = _function(
    "optimize",
    """Returns a `Network`, with `bootstrap` a list of them. An interruption ends the search with the best so far.

    >>> table = {"a": [0, 1, 0, 1] * 50, "b": [0, 0, 1, 1] * 50, "c": [1, 0, 1, 0] * 50}
    >>> bnsl.optimize(bnsl.parentsets(table, quiet=True), require=[("c", "a")], seed=1, quiet=True).arcs
    [('c', 'a')]
    >>> bnsl.optimize(data=table, treewidth=0)
    Traceback (most recent call last):
        ...
    bnsl.errors.UsageError: Invalid value for '--tw' / '--treewidth': 0 is not in the range x>=1.
      Try 'bnsl optimize --help'.
    """,
    lambda file, given: networks_of(file) if given.get("bootstrap") else object_of(file),
)
posterior = _function(
    "posterior",
    """Returns `ArcProbabilities`.

    >>> sets = bnsl.parentsets({"a": [0, 1] * 20, "b": [1, 0] * 20}, keep_mass=0, quiet=True)
    >>> [round(p, 4) for p in bnsl.posterior(sets, quiet=True).to_arrow()["probability"].to_pylist()]
    [0.5, 0.5]
    """,
)
average = _function(
    "average",
    """Returns a `Network`.

    >>> networks = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, bootstrap=3, seed=1, quiet=True)
    >>> bnsl.average(networks, seed=1, quiet=True).arcs
    [('b', 'a')]
    """,
)
query = _function(
    "query",
    """Returns an Arrow table of the answers; `table` is the option --evidence of the command line.

    >>> network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, quiet=True)
    >>> bnsl.query(network, {"a": 1}, variables=["b"], quiet=True).to_pylist()
    [{'variable': 'b', 'state': '0', 'probability': 1.0}, {'variable': 'b', 'state': '1', 'probability': 0.0}]
    """,
)
fit = _function(
    "fit",
    """Returns a `Network` with parameters.

    >>> table = {"a": [0, 1, 1, 1] * 20, "b": [1, 0, 0, 0] * 20}
    >>> network = bnsl.fit(bnsl.optimize(data=table, require="a->b", quiet=True), table, quiet=True)
    >>> network.probabilities["a"]["probability"].to_pylist()
    [0.25, 0.75]
    """,
    lambda file, given: file and _fitted(given["network"], file),
)
sample = _function(
    "sample",
    """Returns an Arrow table; `save_network` is the option --network of the command line.

    >>> bnsl.sample(random=5, rows=100, seed=1, quiet=True).shape
    (100, 5)
    """,
)
evaluate = _function(
    "evaluate",
    """Returns a list with a dict of measures for each network.

    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> [measures] = bnsl.evaluate(bnsl.optimize(data=table, quiet=True), data=table, quiet=True)
    >>> measures["arcs"], round(measures["bic"], 4)
    (1, -33.2592)
    """,
)


def _fitted(network: Any, parameters: MemoryFile) -> Network:
    structure = network.file_for("network") if isinstance(network, Network) else parameters
    return Network(structure, parameters)


convert = _function(
    "convert",
    """Returns text, or bytes of binary formats; of formats of our own the object.

    >>> network = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, require="a->b", quiet=True)
    >>> bnsl.convert(network, to="modelstring", quiet=True)
    '[a][b|a]\\n'
    """,
)

NOT_LEARNT = ("sets", "output", "format", "json", "bootstrap", "resample")
"""Arguments of `optimize` that `learn` does not have: it takes a table and returns one network."""


def learn(data: Any, **options: Any) -> Network:
    """Learn a network with its parameters from a table: `optimize` on `data`, then `fit`.

    >>> network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, smoothing=1, quiet=True)
    >>> network
    <Network: bic -33.2592, 2 variables, 1 arc, method pricing, optimal (to rounding) among all networks>
    >>> network.predict({"a": [1]}, "b").to_pylist()[0]["P(b=0)"]
    0.9878048780487805
    """
    for name in options.keys() & set(NOT_LEARNT):
        raise UsageError(f"learn has no {name}: it takes a table and returns one network; optimize has it")
    data, smoothing = source_of(data, "optimize"), options.pop("smoothing", None)
    network = optimize(data=data, **options)
    coding = {name for name, parameter in _FITTING.items() if getattr(parameter, "section", "") == "Data"}
    reading = {name: value for name, value in options.items() if name in coding}
    return fit(network, data, smoothing=smoothing, quiet=True, **reading)


_FITTING = parameters_of("fit")
_LEARNING = {name: p for name, p in parameters_of("optimize").items() if name not in (*NOT_LEARNT, "data")}
_LEARNING = {"data": _FITTING["data"], **_LEARNING, "smoothing": _FITTING["smoothing"]}
_described(learn, inspect.cleandoc(learn.__doc__ or ""), _LEARNING)
