"""Answers of `bnsl.query` for one set of evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from formats.tables.assignments import find_variable, parse_state_numbers
from formats.tables.results.result_tables import FIGURE, TEXT
from formats.tables.selection import expanded_names
from formats.wording import whole
from stages.inference import queries
from stages.inference.junction_trees import Engine
from stages.inference.likelihood_weighting import weigh_samples
from stages.inference.queries import Answer, Evidence, sample_given
from stages.runtime.memory import format_bytes

from ..files.answers import Answers, Values
from ..options.questions import QuestionOptions
from ..options.uncertain_evidence import UncertainOptions
from ..running.errors import UsageError
from ..running.reporter import Reporter

SUM_ERROR = 1e-6
"""Largest difference from 1 of a sum of rounded probabilities."""


def with_uncertain_evidence(
    engine: Engine, observed: Evidence, fixed: Evidence, given: UncertainOptions
) -> tuple[Engine, Evidence]:
    """The engine and the evidence with the likelihoods, then with the distribution by Jeffrey's rule.

    Raises `UsageError`: a variable is observed or set (`fixed`), too; the numbers of a distribution do not sum to 1.
    """
    from stages.inference.uncertain_evidence import jeffrey_likelihood, with_likelihoods

    variables = engine.variables
    likelihoods = parse_state_numbers(given.likelihood, variables)
    distributions = parse_state_numbers(given.jeffrey, variables)
    for option, numbers in (("--likelihood", likelihoods), ("--jeffrey", distributions)):
        for variable in numbers:
            if variable in observed or variable in fixed:
                how = "observed" if variable in observed else "set by --do"
                raise UsageError(f"{option}: {variables[variable].name} is {how}, too: leave one out.")
    engine, observed = with_likelihoods(engine, observed, likelihoods)
    for variable, posterior in distributions.items():
        if abs(posterior.sum() - 1.0) > SUM_ERROR:
            raise UsageError(
                f"--jeffrey: the numbers of {variables[variable].name} sum to {posterior.sum():g}, not 1."
            )
        likelihood = jeffrey_likelihood(engine, observed, variable, posterior)
        engine, observed = with_likelihoods(engine, observed, {variable: likelihood})
    return engine, observed


def answer(engine: Engine, observed: Evidence, question: QuestionOptions, reporter: Reporter) -> Answers:
    """The exact answer to a question."""
    columns, values, found = ask(engine, observed, question)
    cost = found.cost
    reporter.detail(
        f"{cost.hidden} hidden variables that matter, width {cost.width}, tables of {whole(cost.cells)} cells, "
        f"{format_bytes(cost.memory)}"
    )
    closing = f"{about(engine, observed)}; {_total(engine, question)} {found.log_probability:.6g} nats"
    figures = {"log_probability": found.log_probability, **cost._asdict()}
    text = partial(uai_text, engine, observed, question, found)
    return Answers(columns, [values], closing, figures, uai_text=text)


def _total(engine: Engine, question: QuestionOptions) -> str:
    """What the logarithm of an answer is about."""
    is_of_states = question.mpe or question.map_of is not None
    if engine.given is not None:
        return f"log of the {'weight of states and evidence together' if is_of_states else 'partition function'}"
    return f"log-probability of {'states and evidence together' if is_of_states else 'evidence'}"


def uai_text(engine: Engine, observed: Evidence, question: QuestionOptions, found: Answer[Any]) -> str:
    """An answer in the format of results of the UAI competitions.

    Raises `UsageError`: the question is no task of these.
    """
    from formats.tables.results.uai_results import mar_text, mmap_text, mpe_text, pr_text

    if question.joint is not None or question.variables is not None:
        option = "--variables" if question.joint is None else "--joint"
        raise UsageError(f"--format uai has no answer to {option}: ask all variables, --probability, --mpe or --map.")
    if question.probability:
        return pr_text(found.log_probability)
    if question.mpe:
        return mpe_text(found.found[: len(engine.variables)].tolist())
    if question.map_of is not None:
        return mmap_text(joined_variables(engine, observed, question.map_of, "map"), found.found)
    hidden = iter(found.found)
    return mar_text(
        [
            np.eye(len(variable.known_states))[observed[v]] if v in observed else next(hidden)
            for v, variable in enumerate(engine.variables)
        ]
    )


def estimate(engine: Engine, observed: Evidence, question: QuestionOptions, seed: int) -> Answers:
    """The answer from weighted samples, with a column of standard errors."""
    n_samples = question.approximate or 0
    groups = _groups_of(engine, observed, question)
    found = weigh_samples(engine, observed, groups, n_samples, seed)
    if question.probability:
        probability = _exponential(found.log_probability)
        names = ("log_probability", "probability") if engine.given is None else ("log_partition", "partition")
        columns = dict.fromkeys((*names, "standard_error"), FIGURE)
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
        f"{_total(engine, question)} {found.log_probability:.6g} nats with a standard error of {found.log_error:.2g}"
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
    n_observed = len(observed) - len(engine.given or ())
    return f"evidence on {n_observed} of {len(engine.variables)} variables"


def ask(engine: Engine, observed: Evidence, question: QuestionOptions) -> tuple[dict[str, str], Values, Answer[Any]]:
    """Columns and values of the table of results, and the answer."""
    variables = engine.variables
    values: Values
    if question.probability:
        probability = queries.log_probability(engine, observed)
        values = [[probability.log_probability], [_exponential(probability.log_probability)]]
        columns = ("log_probability", "probability") if engine.given is None else ("log_partition", "partition")
        return dict.fromkeys(columns, FIGURE), values, probability
    if question.mpe:
        best = queries.most_probable_completion(engine, observed)
        states = [v.known_states[code] for v, code in zip(variables, best.found.tolist())]
        return {"variable": TEXT, "state": TEXT}, [[v.name for v in variables], states], best
    if question.map_of is not None:
        chosen = joined_variables(engine, observed, question.map_of, "map")
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


def _exponential(logarithm: float) -> float:
    """The exponential; infinite where it is too large for a float."""
    try:
        return math.exp(logarithm)
    except OverflowError:
        return math.inf


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


def _single_variables(engine: Engine, observed: Evidence, question: QuestionOptions) -> list[int]:
    """The variables named in the question; by default all that are not observed."""
    variables = engine.variables
    if question.variables is None:
        return [v for v in range(len(variables)) if v not in observed]
    names = expanded_names(question.variables, [variable.name for variable in variables])
    return [find_variable(name, variables) for name in dict.fromkeys(names)]


def _groups_of(engine: Engine, observed: Evidence, question: QuestionOptions) -> list[list[int]]:
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
    engine: Engine, observed: Evidence, n_rows: int, seed: int, reporter: Reporter
) -> Iterator[np.ndarray]:
    """Rows drawn given the evidence, batch by batch."""
    drawn = 0
    for batch in sample_given(engine, observed, n_rows, seed):
        yield batch[: len(engine.variables)]
        drawn += batch.shape[1]
        reporter.progress(drawn, n_rows, "rows")
