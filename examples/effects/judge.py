"""Estimated effects against true ones: mean squared errors, and how many intervals hold the truth.

judge.py errors NETWORK ROWS SEED...      rows drawn from a network with parameters; four sources of structures
judge.py coverage VARIABLES ROWS SEED...  networks and parameters drawn from the prior, then rows; the posterior
judge.py coverage NETWORK ROWS SEED...    parameters drawn from their prior for this structure; the posterior
judge.py published NETWORK ROWS SEED...   the parameters of the network as they are; the posterior
judge.py times NETWORK ROWS SEED...       seconds for the lists, and for the strengths of all pairs

One CSV line for each seed and method: errors are means over all ordered pairs and states of P(effect | do(cause)),
`zero` counts the pairs without an effect alone, `covered` are 90 % intervals that hold the truth.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import bnsl

ESS = 4.0
"""Equivalent sample size of the prior of drawn networks and of its estimates."""

REPLICATES = 20
"""Of the bootstrap."""

MOST_EXACT = 12
"""Variables up to which the posterior is summed; beyond, networks are sampled."""

LIMITED: dict[str, Any] = {"max_parents": 3, "keep_mass": 1e-4}
"""Lists of networks that are read."""

PAIRS: dict[str, Any] = {"max_parents": 2, "keep_mass": 1e-3}
"""Lists of networks whose time is taken."""

SAMPLES = 1000
"""Networks from the posterior for these."""

COLUMNS = "error,zero,covered,width"

Key = tuple[str, str, str, str]


def short(path: str) -> str:
    """The name of a file without endings."""
    return Path(path).name.partition(".")[0]


def true_effects(network: bnsl.Network) -> dict[Key, float]:
    """P(effect state | do(cause state)) by truncated factorisation in the network."""
    found = {}
    for cause, states in network.states.items():
        for state in states or ():
            for row in network.do({cause: state}).query(quiet=True).to_pylist():
                if row["variable"] != cause:
                    found[cause, state, row["variable"], row["state"]] = row["probability"]
    return found


def line(name: str, rows: int, seed: int, method: str, table: bnsl.Table, truth: dict[Key, float]) -> str:
    """The figures of one table of effects."""
    found = {(r["cause"], r["cause_state"], r["effect"], r["effect_state"]): r for r in table.to_pylist()}
    keys = list(truth)
    true = np.array([truth[key] for key in keys])
    value, lower, upper = (np.array([found[key][c] for key in keys]) for c in ("probability", "lower", "upper"))
    by_pair: dict[tuple[str, str, str], list[float]] = {}
    for (cause, _, effect, state), probability in truth.items():
        by_pair.setdefault((cause, effect, state), []).append(probability)
    is_zero = np.array([np.ptp(by_pair[cause, effect, state]) < 1e-9 for cause, _, effect, state in keys])
    squares = (value - true) ** 2
    covered = (lower <= true) & (true <= upper)
    zero = squares[is_zero].mean() if is_zero.any() else float("nan")
    figures = squares.mean(), zero, covered.mean(), (upper - lower).mean()
    return ",".join([name, str(rows), str(seed), method, *(f"{figure:.6g}" for figure in figures)])


def errors(path: str, rows: int, seeds: list[int]) -> Iterator[str]:
    """The posterior, the single best network, its essential graph, the bootstrap."""
    truth, name = true_effects(bnsl.read(path)), short(path)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            data = bnsl.sample(path, rows=rows, seed=seed, quiet=True)
            given = {"data": data, "seed": 1, "quiet": True}
            search = {"score": "bdeu", "states": path, "quiet": True}
            sets = bnsl.parentsets(data, method="sequential", **LIMITED, **search)
            best = bnsl.optimize(sets, seed=1, quiet=True)
            yield line(name, rows, seed, "posterior", bnsl.effects(sets, **given), truth)
            yield line(name, rows, seed, "single", bnsl.effects(best, **given), truth)
            graph = f"{folder}/{seed}.dot"
            Path(graph).write_text(bnsl.convert(best, to="dot", cpdag=True, quiet=True))
            yield line(name, rows, seed, "ida", bnsl.effects(graph, states=path, **given), truth)
            replicates = bnsl.optimize(data=data, method="hc", max_parents=3, bootstrap=REPLICATES, seed=1, **search)
            yield line(name, rows, seed, "bootstrap", bnsl.effects(replicates, **given), truth)


def drawn_structure(n: int, rng: np.random.Generator) -> tuple[list[list[int]], list[int]]:
    """Parents, uniform over networks, and numbers of states, 2 or 3."""
    while True:  # draws matrices of arcs until one has no cycle
        matrix = np.triu(np.ones((n, n)), 1) > 0
        arcs = np.zeros((n, n), dtype=bool)
        kind = rng.integers(0, 3, (n, n))
        arcs[matrix & (kind == 1)] = True
        arcs |= (matrix & (kind == 2)).T
        if not np.linalg.matrix_power(arcs.astype(int), n).any():
            break
    return [np.flatnonzero(arcs[:, v]).tolist() for v in range(n)], rng.integers(2, 4, n).tolist()


def drawn_network(parents: list[list[int]], states: list[int], rng: np.random.Generator) -> str:
    """A network of this structure in BIF; its parameters are drawn as BDeu supposes."""
    text = ["network drawn {\n}\n"]
    for v, n_states in enumerate(states):
        labels = ", ".join(map(str, range(n_states)))
        text.append(f"variable V{v} {{\n  type discrete [ {n_states} ] {{ {labels} }};\n}}\n")
    for v, family in enumerate(parents):
        shape = tuple(states[p] for p in family)
        cells = ESS / (states[v] * int(np.prod(shape)))
        given = f" | {', '.join(f'V{p}' for p in family)}" if family else ""
        text.append(f"probability ( V{v}{given} ) {{\n")
        for place in np.ndindex(*shape):
            numbers = ", ".join(f"{p:.12f}" for p in rng.dirichlet(np.full(states[v], cells)))
            beside = f"({', '.join(map(str, place))})" if place else "table"
            text.append(f"  {beside} {numbers};\n")
        text.append("}\n")
    return "".join(text)


def from_posterior(name: str, path: str, rows: int, seed: int, **lists: Any) -> str:
    """The posterior on rows of a network with parameters."""
    network = bnsl.read(path)
    data = bnsl.sample(path, rows=rows, seed=seed, quiet=True)
    sets = bnsl.parentsets(data, method="sequential", score="bdeu", states=path, quiet=True, **lists)
    method = "exact" if len(network.variables) <= MOST_EXACT else "sampled"
    found = bnsl.effects(sets, data=data, seed=seed, method=method, quiet=True)
    return line(name, rows, seed, "posterior", found, true_effects(network))


def coverage(source: str, rows: int, seeds: list[int]) -> Iterator[str]:
    """The posterior where the prior of the parameters holds; for a number of variables, also that of structures."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            path = f"{folder}/{seed}.bif"
            if source.isdigit():
                rng = np.random.default_rng([seed, int(source)])
                structure, name, lists = drawn_structure(int(source), rng), f"drawn{source}", {"keep_mass": 0}
            else:
                network, rng = bnsl.read(source), np.random.default_rng(seed)
                place = {variable: k for k, variable in enumerate(network.variables)}
                parents = [[place[p] for p in network.parents(v)] for v in network.variables]
                structure = parents, [len(network.states[v] or ()) for v in network.variables]
                name, lists = short(source), LIMITED
            Path(path).write_text(drawn_network(*structure, rng))
            yield from_posterior(name, path, rows, seed, ess=ESS, **lists)


def published(source: str, rows: int, seeds: list[int]) -> Iterator[str]:
    """The posterior on rows of a network with its own parameters."""
    for seed in seeds:
        yield from_posterior(short(source), source, rows, seed, **LIMITED)


def times(source: str, rows: int, seeds: list[int]) -> Iterator[str]:
    """Processor seconds for lists of at most two parents, and from them to the strengths of all pairs."""
    for seed in seeds:
        data = bnsl.sample(source, rows=rows, seed=seed, quiet=True)
        begun = time.process_time()
        sets = bnsl.parentsets(data, method="sequential", score="bdeu", states=source, quiet=True, **PAIRS)
        listed = time.process_time()
        found = bnsl.effects(sets, data=data, seed=seed, samples=SAMPLES, measure="strength", quiet=True)
        ended = time.process_time()
        name, n_pairs = short(source), len(found["cause"])
        yield f"{name},{rows},{seed},posterior,{n_pairs},{listed - begun:.6g},{ended - listed:.6g}"


def main() -> None:
    what, source, rows, *seeds = sys.argv[1:]
    print(f"network,rows,seed,method,{'pairs,lists,effects' if what == 'times' else COLUMNS}")
    judges = {"errors": errors, "coverage": coverage, "published": published, "times": times}
    for text in judges[what](source, int(rows), [int(seed) for seed in seeds]):
        print(text, flush=True)


if __name__ == "__main__":
    main()
