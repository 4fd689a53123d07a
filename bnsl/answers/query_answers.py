"""Answers of `bnsl.query` for one set of evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from formats.tables.assignments import find_variable
from formats.tables.results.result_tables import FIGURE, TEXT
from formats.tables.selection import expanded_names
from formats.wording import plural, whole
from stages.inference import queries
from stages.inference.junction_trees import Engine
from stages.inference.likelihood_weighting import weigh_samples
from stages.inference.queries import Answer, Evidence, sample_given
from stages.runtime.memory import format_bytes

from ..files.answers import Answers, Values
from ..options.option import Given
from ..running.errors import UsageError
from ..running.reporter import LineReporter


def answer(engine: Engine, observed: Evidence, question: Given, reporter: LineReporter) -> Answers:
    """The exact answer to a question."""
    columns, values, found = ask(engine, observed, question)
    cost = found.cost
    reporter.detail(
        f"{plural(cost.hidden, 'hidden variable')} of influence: a junction tree of width {cost.width}, with "
        f"{whole(cost.cells)} cells in {format_bytes(cost.memory)}"
    )
    closing = f"{about(engine, observed)}; {_total(question)} {found.log_probability:.6g} nats"
    figures = {"log_probability": found.log_probability, **cost._asdict()}
    return Answers(columns, [values], closing, figures)


def _total(question: Given) -> str:
    """What the logarithm of an answer is about."""
    is_of_states = question.mpe or question.map is not None
    return f"log-probability of {'states and evidence together' if is_of_states else 'evidence'}"


def estimate(engine: Engine, observed: Evidence, question: Given, seed: int) -> Answers:
    """The answer from weighted samples, with a column of standard errors."""
    n_samples = question.approximate or 0
    groups = _groups_of(engine, observed, question)
    found = weigh_samples(engine, observed, groups, n_samples, seed)
    if question.probability:
        probability = math.exp(found.log_probability)
        columns = dict.fromkeys(("log_probability", "probability", "standard_error"), FIGURE)
        values: Values = [[found.log_probability], [probability], [probability * found.log_error]]
    elif question.joint is not None:
        columns, values = _joint_table(engine, groups[0], found.probabilities[0])
    else:
        columns, values = _marginal_table(engine, [v for (v,) in groups], found.probabilities)
    if not question.probability:
        columns |= {"standard_error": FIGURE}
        values = [*values, [error for part in found.standard_errors for error in part.ravel().tolist()]]
    closing = (
        f"{about(engine, observed)}; {n_samples:,} weighted samples, worth {found.effective:,.1f} independent ones; "
        f"{_total(question)} {found.log_probability:.6g} nats with a standard error of {found.log_error:.2g}"
    )
    figures = {
        "log_probability": found.log_probability,
        "log_probability_error": found.log_error,
        "samples": n_samples,
        "effective_samples": found.effective,
        "seed": seed,
    }
    return Answers(columns, [values], closing, figures)


def about(engine: Engine, observed: Evidence) -> str:
    """How many variables are observed."""
    return f"evidence on {len(observed)} of {engine.n_variables} variables"


def ask(engine: Engine, observed: Evidence, question: Given) -> tuple[dict[str, str], Values, Answer[Any]]:
    """Columns and values of the table of results, and the answer."""
    variables = engine.variables
    values: Values
    if question.probability:
        probability = queries.log_probability(engine, observed)
        values = [[probability.log_probability], [math.exp(probability.log_probability)]]
        return dict.fromkeys(("log_probability", "probability"), FIGURE), values, probability
    if question.mpe:
        best = queries.most_probable_completion(engine, observed)
        states = [v.known_states[code] for v, code in zip(variables, best.found.tolist())]
        return {"variable": TEXT, "state": TEXT}, [[v.name for v in variables], states], best
    if question.map is not None:
        chosen = joined_variables(engine, observed, question.map, "map")
        likely = queries.most_probable_states(engine, observed, chosen)
        states = [variables[v].known_states[code] for v, code in zip(chosen, likely.found)]
        return {"variable": TEXT, "state": TEXT}, [[variables[v].name for v in chosen], states], likely
    if question.joint is not None:
        together = joined_variables(engine, observed, question.joint, "joint")
        joint = queries.joint(engine, observed, together)
        return *_joint_table(engine, together, joint.found), joint
    chosen = _single_variables(engine, observed, question)
    single = queries.marginals(engine, observed, chosen)
    return *_marginal_table(engine, chosen, single.found), single


def _joint_table(engine: Engine, chosen: Sequence[int], probabilities: np.ndarray) -> tuple[dict[str, str], Values]:
    """Columns and values of a joint distribution: a row for each combination of states."""
    variables = engine.variables
    labels = zip(*itertools.product(*(variables[v].known_states for v in chosen)))
    columns = dict.fromkeys((variables[v].name for v in chosen), TEXT) | {"probability": FIGURE}
    return columns, [*labels, probabilities.ravel().tolist()]


def _marginal_table(
    engine: Engine, chosen: Sequence[int], distributions: Sequence[np.ndarray]
) -> tuple[dict[str, str], Values]:
    """Columns and values of distributions of single variables: a row for each state of each."""
    variables = engine.variables
    values: Values = [
        [variables[v].name for v in chosen for _ in variables[v].known_states],
        [state for v in chosen for state in variables[v].known_states],
        [p for distribution in distributions for p in distribution.tolist()],
    ]
    return {"variable": TEXT, "state": TEXT, "probability": FIGURE}, values


def _single_variables(engine: Engine, observed: Evidence, question: Given) -> list[int]:
    """The variables named in the question; by default all that are not observed."""
    variables = engine.variables
    if question.variables is None:
        return [v for v in range(len(variables)) if v not in observed]
    names = expanded_names(question.variables, [variable.name for variable in variables])
    return [find_variable(name, variables) for name in dict.fromkeys(names)]


def _groups_of(engine: Engine, observed: Evidence, question: Given) -> list[list[int]]:
    """The groups of variables whose joint distributions are estimated; refuses observed ones."""
    if question.probability:
        return []
    if question.joint is not None:
        return [joined_variables(engine, observed, question.joint, "joint")]
    chosen = _single_variables(engine, observed, question)
    for variable in chosen:
        if variable in observed:
            raise UsageError(f"--approximate: {engine.variables[variable].name} is observed.")
    return [[variable] for variable in chosen]


def joined_variables(engine: Engine, observed: Evidence, names: Sequence[str], asked: str) -> list[int]:
    """The variables of a joint distribution or of its mode; refuses duplicates and observed ones."""
    names = expanded_names(names, [variable.name for variable in engine.variables])
    found = [find_variable(name, engine.variables) for name in names]
    if len(set(found)) < len(found):
        raise UsageError(f"--{asked} names a variable twice.")
    for name, variable in zip(names, found):
        if variable in observed:
            raise UsageError(f"--{asked}: {name} is observed.")
    if asked == "joint" and {"probability", "standard_error"} & set(names):
        raise UsageError(
            "--joint: a variable called 'probability' or 'standard_error' would be a second column of that name."
        )
    return found


def draw_samples(
    engine: Engine, observed: Evidence, n_rows: int, seed: int, reporter: LineReporter
) -> Iterator[np.ndarray]:
    """Rows drawn given the evidence, batch by batch."""
    drawn = 0
    for batch in sample_given(engine, observed, n_rows, seed):
        yield batch
        drawn += batch.shape[1]
        reporter.progress(drawn, n_rows, "rows")
