"""Effects in one network by other programs, with right values beside: others.py NETWORK CAUSE EFFECT ROWS

Run it by a Python that has pgmpy and DoWhy; `bnsl` is called as a command. The right values are sums over all
configurations of the network. DoWhy knows no parameters: it gets rows drawn from the network and its graph, and gives
the average change of an indicator of the effect's last state between the last and the first state of the cause.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
import tempfile
import warnings

import pandas
from dowhy import CausalModel
from pgmpy.inference import CausalInference
from pgmpy.readwrite import BIFReader


def bnsl(*arguments: str) -> list[list[str]]:
    """The rows of an answer in CSV, without its header."""
    done = subprocess.run(["bnsl", *arguments, "-q", "--format", "csv"], capture_output=True, text=True, check=True)
    return [line.split(",") for line in done.stdout.splitlines()[1:]]


def right(model, effect: str, do: dict[str, str], seen: dict[str, str]) -> list[float]:
    """P(effect | do, seen) by truncated factorisation, summed over all configurations."""
    states = {v: model.get_cpds(v).state_names[v] for v in model.nodes()}
    weights = dict.fromkeys(states[effect], 0.0)
    for values in itertools.product(*states.values()):
        row = dict(zip(states, values))
        if any(row[v] != state for v, state in (do | seen).items()):
            continue
        tables = (model.get_cpds(v) for v in states if v not in do)
        weights[row[effect]] += math.prod(t.get_value(**{v: row[v] for v in t.variables}) for t in tables)
    return [weight / sum(weights.values()) for weight in weights.values()]


def main() -> None:
    path, cause, effect, rows = sys.argv[1:]
    model = BIFReader(path).get_model()
    states = {v: model.get_cpds(v).state_names[v] for v in model.nodes()}
    queries = CausalInference(model)
    print("question,right,bnsl,pgmpy")
    for state in states[cause]:
        for other in [None, *(v for v in states if v not in (cause, effect))]:
            seen = {} if other is None else {other: states[other][0]}
            given = [f"{name}={value}" for name, value in seen.items()]
            exact = right(model, effect, {cause: state}, seen)[-1]
            ours = bnsl("query", path, "--do", f"{cause}={state}", *given, "--variables", effect)[-1][-1]
            try:
                found = queries.query([effect], do={cause: state}, evidence=seen or None, show_progress=False)
                theirs = f"{found.get_value(**{effect: states[effect][-1]}):.6f}"
            except Exception as error:
                theirs = f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
            condition = "".join(f" {name}" for name in given)
            print(f"P({effect}={states[effect][-1]} | do({cause}={state}){condition}),{exact:.6f},{ours},{theirs}")
    sets = [row[0] for row in bnsl("query", path, "--effect", f"{cause},{effect}")]
    print("adjustment sets:", sets, "pgmpy:", queries.get_all_backdoor_adjustment_sets(cause, effect))
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/rows.csv"
        subprocess.run(["bnsl", "sample", "-q", path, "--rows", rows, "--seed", "1", "-o", table], check=True)
        data = pandas.read_csv(table, dtype=str)
        last, first = states[cause][-1], states[cause][0]
        truth = right(model, effect, {cause: last}, {})[-1] - right(model, effect, {cause: first}, {})[-1]
        found = {
            (row[1], row[3]): row
            for row in bnsl("effects", path, "--data", table, "--cause", cause, "--effect", effect, "--seed", "1")
        }
        key = states[effect][-1]
        ours = float(found[last, key][4]) - float(found[first, key][4])
        print(f"change of P({effect}={key}): right {truth:.6f}, bnsl {ours:.6f}")
        numbers = data[data[cause].isin([first, last])].copy()
        for name in numbers:
            numbers[name] = numbers[name].map({state: code for code, state in enumerate(states[name])})
        numbers[cause] = numbers[cause] == states[cause].index(last)
        numbers[effect] = (numbers[effect] == states[effect].index(key)).astype(float)
        dot = "digraph {" + "; ".join(f"{a} -> {b}" for a, b in model.edges()) + "}"
        model_of = CausalModel(numbers, treatment=cause, outcome=effect, graph=dot)
        estimand = model_of.identify_effect(proceed_when_unidentifiable=True)
        print("DoWhy's adjustment set:", sorted(estimand.get_backdoor_variables()))
        for method in ("linear_regression", "propensity_score_stratification", "propensity_score_weighting"):
            try:
                value = f"{model_of.estimate_effect(estimand, method_name=f'backdoor.{method}').value:.6f}"
            except Exception as error:
                value = f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"
            print(f"DoWhy, {method}: {value}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
