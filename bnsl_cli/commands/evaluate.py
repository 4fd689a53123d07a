"""``bnsl evaluate``: networks to measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..files.inputs import LearntNetwork, MatchedTables, completed, open_learnt_networks, open_network_or_class
from ..files.output_formats import output_format
from ..files.recording import write_json_lines
from ..options import shared
from ..options.data import DataOptions, data_options_with, refuse_data_options
from ..options.parameter_types import INPUT_PATH, SEED, SIZE, Count, Finite
from ..running.option_records import option_field, packed
from ..running.reporter import Reporter
from ..running.stage_command import refuse_given, stage_command

if TYPE_CHECKING:
    from formats.proof_records import Proof
    from formats.records import Network, ParentSetTable

OF_ARCS = ("drawn_true_positives", "drawn_false_positives", "drawn_false_negatives")
"""Measures of arcs as drawn, which equivalent networks have in other directions."""
OF_PAIRS = ("network", "variables", "pair_roc_area", "pair_pr_area")
"""What is said of strengths that are judged by an equivalence class."""


@dataclass(frozen=True)
class InputOptions:
    """Inputs besides the networks."""

    data: str | None = option_field("Training rows, for scores and parameters.", INPUT_PATH, "DATA")
    test: str | None = option_field("Test rows, for the held-out log-likelihood.", INPUT_PATH, "DATA")
    reference: str | None = option_field(
        "True network, for the distance of essential graphs and the arcs found and missed; or an essential "
        "graph, for the distance.",
        INPUT_PATH,
        "NETWORK",
    )
    proof: tuple[str, str] | None = option_field(
        "Check this proof of a bound (of 'bnsl optimize --proof') about these parent sets, and how far from it the "
        "networks are.",
        INPUT_PATH,
        "PROOF SETS",
        nargs=2,
    )
    strengths: str | None = option_field(
        "Table of arc strengths or probabilities, judged by --reference. Networks are then optional.",
        INPUT_PATH,
        "ARCS",
    )


@dataclass(frozen=True)
class MeasureOptions:
    """Which measures are computed, and with which resources."""

    score: tuple[str, ...] = option_field(
        "Score on the data; repeatable.", shared.SCORE, multiple=True, default=("bic",)
    )
    ess: float = shared.ess_field()
    smoothing: float = option_field(
        "Equivalent sample size of the prior of the parameters, for log-likelihoods.",
        Finite(min=0, min_open=True),
        "ROWS",
        default=1.0,
    )
    folds: int | None = option_field(
        "Add the log-likelihood in K-fold cross-validation on the data, with the structure fixed.", Count(min=2), "K"
    )
    seed: int = option_field("Seed of the assignment of rows to folds.", SEED, "N", default=0)
    target: str | None = option_field(
        "Predict this variable from the other cells of each row of --test, or of --data: accuracy, log-loss, Brier "
        "score, calibration error. By the parameters of the network, without any by those of --data.",
        metavar="NAME",
    )
    no_treewidth: bool = option_field(
        "Skip the bounds on the treewidth, which take long on large dense networks.", is_flag=True
    )
    jobs: int = shared.jobs_field()
    memory: int | None = option_field(
        f"{shared.TABLE_MEMORY} For --target, and --test rows with missing cells.", SIZE, section="Budget"
    )


@stage_command("--data --test --reference --score --smoothing --folds --discretize --missing --format --output")
@click.argument("networks", nargs=-1, type=INPUT_PATH, metavar="[NETWORK]...")
@packed("given", InputOptions, section="Input")
@data_options_with("em")
@packed("measures", MeasureOptions, section="Measures", check=lambda ctx, given: shared.refuse_ess(ctx, given.score))
@shared.output_options(
    ("jsonl", "table"), "JSON lines (default in a pipe or file) or a table to read.", without=["stats"]
)
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    networks: tuple[str, ...],
    given: InputOptions,
    data_options: DataOptions,
    measures: MeasureOptions,
    target: shared.OutputOptions,
    reporter: Reporter,
) -> None:
    """Evaluate networks: scores, held-out likelihood, distance, treewidth.

    Reads networks in any format of 'bnsl formats' and computes everything anew from their arcs and the data:
    scores, log-likelihood of test rows, bounds on the treewidth, distances from a reference network.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o n.net.jsonl
      bnsl sample random80.bif --rows 500 --seed 2 -o test.csv
      bnsl evaluate n.net.jsonl --data random80.csv.gz --test test.csv \\
        --reference random80.bif

    See also: bnsl optimize, bnsl fit, bnsl compare.
    """
    from formats.data_records import IncompleteDataset
    from formats.errors import located
    from formats.graphs.structures import require_variables
    from stages.evaluate.measures import evaluate_network
    from stages.evaluate.record_keys import MEASURE_KEYS, STRENGTH_KEYS

    from ..tables.measures import show_measures

    if target.format_name != "table":
        output_format("evaluate", target.output)
    sources = networks or (() if given.strengths else (shared.require_input(None, "NETWORK"),))
    shared.check_sources(*sources, *(given.proof or ()), given.data, given.test, given.reference, given.strengths)
    check_use(ctx, bool(sources), given, data_options, measures)
    learnt = [(source, place, network) for source in sources for place, network in numbered_networks(source)]
    training = MatchedTables(given.data, data_options, reporter)
    held_out = MatchedTables(given.test, data_options.without_coding if given.data else data_options, reporter)
    truth = open_network_or_class(given.reference) if given.reference else None
    checked = None if given.proof is None else open_checked_proof(*given.proof)
    records = judge_strengths(given.strengths, given.reference, truth, reporter)
    for source, place, (structure, parameters, is_class) in learnt:
        if is_class:
            if checked is not None:
                raise click.UsageError(f"--proof is about networks, and {source} is a class of them.")
            refuse_unequal_scores(source, measures.score)
        reference = truth and truth.structure
        if reference is not None and not reference.header.lacks_isolated:
            structure = completed(structure, source, reference.header.names, str(given.reference), reporter)
        rows = training.match_complete(structure.header, source)
        test_rows = held_out.match(rows or structure.header, source)
        table, other = (test_rows, given.test) if rows is None else (rows, given.data)
        if table is not None:
            names = (table.dataset if isinstance(table, IncompleteDataset) else table).names
            structure = completed(structure, source, names, str(other), reporter)
        with located(source):
            require_variables(structure)
        if reference is not None:
            reference = completed(reference, str(given.reference), structure.header.names, source, reporter)
        found = evaluate_network(
            structure,
            data=rows,
            test=test_rows,
            reference=reference,
            parameters=parameters if rows or test_rows else None,
            scores=measures.score,
            ess=measures.ess,
            smoothing=measures.smoothing,
            folds=measures.folds,
            seed=measures.seed,
            target=measures.target,
            treewidth=not measures.no_treewidth,
            jobs=measures.jobs,
            memory=measures.memory,
            reporter=reporter,
        )
        left_out = {"max_parents", *OF_ARCS} if is_class else {*OF_ARCS} if truth and truth.is_class else set()
        kept = {name: value for name, value in found.items() if name not in left_out}
        if checked is not None:
            kept |= gap_to_proof(source, structure, *checked)
        records.append({"network": source, **place, **kept})
        reporter.progress(len(records), len(learnt), "networks")
    reporter.pause()
    if target.is_table:
        show_measures(target.output, records, MEASURE_KEYS + STRENGTH_KEYS)
    else:
        write_json_lines(target.output, records)


def open_checked_proof(source: str, sets: str) -> tuple[Proof, ParentSetTable]:
    """A proof that holds, and the lists that it is about."""
    from formats import open_parent_sets, open_proof
    from formats.errors import located
    from stages.evaluate.proof_checking import check_proof

    proof, table = open_proof(source), open_parent_sets(sets)
    with located(source):
        check_proof(proof, table)
    return proof, table


def gap_to_proof(source: str, network: Network, proof: Proof, table: ParentSetTable) -> dict[str, float]:
    """The measures of a network by a proof."""
    from formats.errors import located
    from stages.evaluate.proof_checking import proved_gap

    with located(source):
        return proved_gap(proof, table, network)


def refuse_unequal_scores(source: str, scores: tuple[str, ...]) -> None:
    """Refuse scores in which the networks of a class differ, for an essential graph."""
    from stages.scoring.scores import SCORES

    for name in scores:
        if not SCORES[name].is_equivalent:
            raise click.UsageError(
                f"--score {name}: equivalent networks differ in it, and {source} is a class of them."
            )


def check_use(
    ctx: click.Context, has_networks: bool, given: InputOptions, data_options: DataOptions, measures: MeasureOptions
) -> None:
    """Refuse options that need an input or option that is not given."""
    if not has_networks:
        refuse_given(
            ctx, ("data", "test", "proof", *vars(measures)), "is about networks: give NETWORK beside --strengths."
        )
    if given.data is None and given.test is None:
        refuse_data_options(ctx, "goes with a table: --data or --test.")
    if given.data is None:
        refuse_given(ctx, ("score", "ess", "smoothing", "folds"), "goes with --data.")
    if given.test is None and measures.folds is None and measures.target is None:
        refuse_given(ctx, ["smoothing"], "goes with --test, --folds or --target.")
    if measures.folds is None:
        refuse_given(ctx, ["seed"], "goes with --folds K.")
    if given.data is None and given.test is None:
        refuse_given(ctx, ["target"], "goes with rows: --test DATA or --data DATA.")
    if measures.target is None and (given.test is None or not data_options.keeps_holes):
        refuse_given(ctx, ("jobs", "memory"), "goes with --target NAME, or --test and --missing em.")


def numbered_networks(source: str) -> list[tuple[dict[str, int], LearntNetwork]]:
    """The networks of a source; those of a stream with their position (from 1) as ``index``."""
    networks = list(open_learnt_networks(source))
    if len(networks) == 1:
        return [({}, networks[0])]
    return [({"index": number}, network) for number, network in enumerate(networks, 1)]


def judge_strengths(
    source: str | None, reference: str | None, truth: LearntNetwork | None, reporter: Reporter
) -> list[dict[str, Any]]:
    """The measures of a table of arc strengths, if there is one, by the network that was read from `reference`.

    Raises `click.UsageError`: there is no reference network.
    """
    from formats import open_arc_probabilities
    from stages.evaluate.arc_strengths import evaluate_strengths

    if source is None:
        return []
    if truth is None:
        raise click.UsageError("--strengths are judged against a network: give --reference NETWORK.")
    table = open_arc_probabilities(source)
    network = completed(truth.structure, str(reference), table.header.names, source, reporter)
    found = {"network": source, **evaluate_strengths(table, network)}
    return [{name: found[name] for name in OF_PAIRS} if truth.is_class else found]
