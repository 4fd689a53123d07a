"""Answers of ``bnsl query`` under one piece of evidence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from stages.inference.engine import Cost, Engine
    from stages.inference.questions import Completion, Evidence, Joint, Marginals, Probability

    from .query_options import OutputOptions, QuestionOptions
    from .reporter import Reporter

    Answer = Completion | Joint | Marginals | Probability
    Table = list[Sequence[str] | Sequence[float]]


def answer(
    engine: Engine, observed: Evidence, question: QuestionOptions, target: OutputOptions, reporter: Reporter
) -> dict[str, object]:
    """Answer a question with a table of results; figures of the run."""
    from formats.tables.result_tables import open_result_writer
    from stages.inference import questions

    from . import tables

    columns, values, found = ask(engine, observed, question)
    tell_cost(found.cost, reporter)
    closing = f"evidence on {len(observed)} of {engine.n_variables} variables"
    what = "states and evidence together" if isinstance(found, questions.Completion) else "evidence"
    closing += f"; log-probability of {what} {found.log_probability:.6g}"
    reporter.pause()
    if target.is_table:
        tables.show_results(target.output, columns, values, target.format_name, closing)
    else:
        with open_result_writer(target.output, columns, target.format()) as writer:
            writer.write(values)
        reporter.summary(closing)
    return {"log_probability": found.log_probability, **found.cost._asdict()}


def ask(
    engine: Engine, observed: Evidence, question: QuestionOptions
) -> tuple[dict[str, str], Table, Answer]:
    """Columns and values of the table of results, and what was found."""
    from formats.tables.evidence import find_variable
    from formats.tables.result_tables import FIGURE, TEXT
    from stages.inference import questions

    variables = engine.network.variables
    values: Table
    if question.probability:
        probability = questions.log_probability(engine, observed)
        values = [[probability.log_probability], [math.exp(probability.log_probability)]]
        return {"log_probability": FIGURE, "probability": FIGURE}, values, probability
    if question.mpe:
        best = questions.most_probable_completion(engine, observed)
        states = [v.known_states[code] for v, code in zip(variables, best.codes.tolist())]
        return {"variable": TEXT, "state": TEXT}, [[v.name for v in variables], states], best
    if question.joint is not None:
        together = joined_variables(engine, observed, question.joint)
        joint = questions.joint(engine, observed, together)
        names = [variables[v].name for v in together]
        labels = zip(*itertools.product(*(variables[v].known_states for v in together)))
        columns = dict.fromkeys(names, TEXT) | {"probability": FIGURE}
        return columns, [*labels, joint.probabilities.ravel().tolist()], joint
    chosen = [find_variable(name, variables) for name in question.variables or ()]
    if question.variables is None:
        chosen = [v for v in range(len(variables)) if v not in observed]
    single = questions.marginals(engine, observed, chosen)
    values = [
        [variables[v].name for v in chosen for _ in variables[v].known_states],
        [state for v in chosen for state in variables[v].known_states],
        [p for distribution in single.probabilities for p in distribution.tolist()],
    ]
    return {"variable": TEXT, "state": TEXT, "probability": FIGURE}, values, single


def joined_variables(engine: Engine, observed: Evidence, names: Sequence[str]) -> list[int]:
    """The variables of a joint distribution.

    Raises
    ------
    click.UsageError
        One is named twice, or observed.
    """
    from formats.tables.evidence import find_variable

    found = [find_variable(name, engine.network.variables) for name in names]
    if len(set(found)) < len(found):
        raise click.UsageError("--joint names a variable twice.")
    for name, variable in zip(names, found):
        if variable in observed:
            raise click.UsageError(f"--joint: {name} is observed.")
    if "probability" in names:
        raise click.UsageError(
            "--joint: a variable called 'probability' would be a second column of that name."
        )
    return found


def draw_samples(
    engine: Engine, observed: Evidence, n_rows: int, seed: int, target: OutputOptions, reporter: Reporter
) -> dict[str, object]:
    """Draw rows and write them as data; figures of the run."""
    from formats import open_table_writer
    from stages.inference.questions import sample_given

    drawn = 0
    with open_table_writer(target.output, engine.network.variables, target.format()) as writer:
        for batch in sample_given(engine, observed, n_rows, seed):
            writer.write(batch)
            drawn += batch.shape[1]
            reporter.progress(drawn, n_rows, "rows")
    reporter.summary(f"{drawn:,} rows; evidence on {len(observed)} of {engine.n_variables} variables")
    return {"rows": drawn, "seed": seed}


def tell_cost(cost: Cost, reporter: Reporter) -> None:
    """What an answer takes, with ``-v``."""
    from stages.parentsets.memory import format_bytes

    reporter.detail(
        f"{cost.hidden} hidden variables that matter, width {cost.width}, tables of {cost.cells:,.0f} cells, "
        f"{format_bytes(cost.memory)}"
    )
