"""``bnsl evaluate``: networks to measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..data_options import DataOptions, KnownVariables, data_options_with
from ..inputs import LearntNetwork, MatchedTables, open_learnt_networks
from ..maximisation_options import refuse_without_holes
from ..options import (
    check_sources,
    format_option,
    jobs_option,
    json_option,
    message_options,
    output_option,
    require_input,
    seed_option,
    shows_table,
    table_memory_option,
)
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH, Count
from ..recording import write_json_lines
from ..reporter import Reporter
from ..score_options import ess_option, refuse_ess, score_option, smoothing_option
from ..stage_command import option, packed, stage_command

if TYPE_CHECKING:
    from formats.records import Network


@dataclass(frozen=True)
class MeasureOptions:
    """Which measures are taken."""

    score: tuple[str, ...]
    ess: float
    smoothing: float
    folds: int | None
    seed: int
    no_treewidth: bool


measure_options = packed(
    "measures",
    MeasureOptions,
    score_option(
        "Score on the data; may be given several times.", section="Measures", multiple=True, default=("bic",)
    ),
    ess_option,
    smoothing_option(
        "Equivalent sample size of the prior behind the parameters for log-likelihoods.",
        section="Measures",
        default=1.0,
        show_default=True,
    ),
    option(
        "--folds",
        type=Count(min=2),
        metavar="K",
        section="Measures",
        help="Also the log-likelihood in K-fold cross-validation on the data, structure fixed.",
    ),
    seed_option("Seed of the deal of rows to folds.", section="Measures", default=0, show_default=True),
    option(
        "--no-treewidth",
        is_flag=True,
        section="Measures",
        help="Leave out the bounds on the treewidth, which take long on large dense networks.",
    ),
    check=lambda ctx, given: refuse_ess(ctx, given.score),
)


@stage_command
@click.argument("networks", nargs=-1, type=INPUT_PATH, metavar="[NETWORK]...")
@option(
    "--data",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Rows to score on and to fit parameters to.",
)
@option(
    "--test",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Further rows for the held-out log-likelihood.",
)
@option(
    "--reference",
    type=INPUT_PATH,
    metavar="NETWORK",
    section="Input",
    help="True network: distance between essential graphs, arcs found and missed.",
)
@option(
    "--strengths",
    type=INPUT_PATH,
    metavar="ARCS",
    section="Input",
    help="Table of arc strengths or probabilities, judged against --reference; networks are then optional.",
)
@data_options_with("em")
@measure_options
@jobs_option
@table_memory_option("Budget", " Of --test rows with holes.")
@output_option
@format_option(("jsonl", "table"), "JSON lines (default in a pipe or file) or a table to read.")
@json_option
@message_options
@click.pass_context
def command(
    ctx: click.Context,
    networks: tuple[str, ...],
    data: str | None,
    test: str | None,
    reference: str | None,
    strengths: str | None,
    data_options: DataOptions,
    measures: MeasureOptions,
    jobs: int,
    memory: int | None,
    output: str,
    format_name: str | None,
    as_json: bool,
    reporter: Reporter,
) -> None:
    """Judge networks: scores, held-out likelihood, distance, treewidth.

    Reads one or more networks in any format of 'bnsl formats' and computes everything anew from their arcs and
    the data, independently of the search that made them: size, parameters, scores on --data, log-likelihood per
    row of --test under smoothed parameters from --data, bounds on the treewidth and a check of the certificate
    in the header, and distances from --reference. Networks side by side on a terminal, one JSON object per
    network in a pipe. All logarithms are natural. JSON holds null for what is unknown or not finite: given_loglik
    is null, and impossible_rows says why, where a row has probability 0 under the network's own parameters.

    With --missing em rows of --test may have holes: their log-likelihood is that of their observed cells, the sum
    over all states of the others, by exact inference (-j, --memory); test_holes counts the missing cells. --data must
    be complete.

    --strengths (of 'bnsl average') are judged by the areas under their ROC and precision-recall curves, of arcs
    and of pairs joined in either direction, and by calibration: among arcs of strength p a share p should be true.
    JSON has the deciles.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o random80.net.jsonl
      bnsl evaluate random80.net.jsonl --data random80.csv.gz --reference random80.bif
      bnsl sample random80.bif --rows 500 --seed 2 -o test.csv
      bnsl evaluate random80.net.jsonl random80.bif --data random80.csv.gz --test test.csv --format table
      sed '2,99s/^[^,]*//' test.csv | bnsl evaluate random80.bif --test - --missing em --json
      bnsl convert random80.net.jsonl --to modelstring | bnsl evaluate --json
      bnsl optimize --data random80.csv.gz --hc --bootstrap 2 | bnsl average -q --strengths s.arrows -o c.net.jsonl
      bnsl evaluate --strengths s.arrows --reference random80.bif

    \b
    Exit status: 0 done, 1 a measure cannot be computed from what is given, 2 wrong usage, 65 bad input.
    See also: bnsl optimize, bnsl fit.
    """
    from formats import open_network
    from stages.evaluate import MEASURES, evaluate_network
    from stages.evaluate.arc_strengths import STRENGTH_MEASURES

    from .. import tables

    if format_name != "table":
        output_format("evaluate", output)
    sources = networks or (() if strengths else (require_input(None, "NETWORK"),))
    check_sources(*sources, data, test, reference, strengths)
    if not data_options.keeps_holes:
        refuse_without_holes(ctx, ("jobs", "memory"))
    learnt = [(source, place, network) for source in sources for place, network in numbered_networks(source)]
    training = MatchedTables(data, data_options, reporter)
    held_out = MatchedTables(test, data_options, reporter)
    truth = open_network(reference) if reference else None
    records: list[dict[str, Any]] = [] if strengths is None else [judge_strengths(strengths, truth)]
    for source, place, (structure, parameters) in learnt:
        rows = training.match_complete(KnownVariables(structure.header.variables, source))
        test_rows = held_out.match(KnownVariables((rows or structure.header).variables, source))
        found = evaluate_network(
            structure,
            data=rows,
            test=test_rows,
            reference=truth,
            parameters=parameters if rows or test_rows else None,
            scores=measures.score,
            ess=measures.ess,
            smoothing=measures.smoothing,
            folds=measures.folds,
            seed=measures.seed,
            treewidth=not measures.no_treewidth,
            jobs=jobs,
            memory=memory,
            reporter=reporter,
        )
        records.append({"network": source, **place, **found})
        reporter.progress(len(records), len(learnt), "networks")
    reporter.pause()
    if shows_table(output, format_name, as_json):
        tables.show_measures(output, records, MEASURES | STRENGTH_MEASURES)
    else:
        write_json_lines(output, records)


def numbered_networks(source: str) -> list[tuple[dict[str, int], LearntNetwork]]:
    """The networks of a source; those of a stream with their place in it as ``index``, from 1."""
    networks = list(open_learnt_networks(source))
    if len(networks) == 1:
        return [({}, networks[0])]
    return [({"index": number}, network) for number, network in enumerate(networks, 1)]


def judge_strengths(source: str, truth: Network | None) -> dict[str, Any]:
    """The measures of a table of arc strengths.

    Raises
    ------
    click.UsageError
        There is no network to compare with.
    """
    from formats import open_arc_probabilities
    from stages.evaluate.arc_strengths import evaluate_strengths

    if truth is None:
        raise click.UsageError("--strengths are judged against a network: give --reference NETWORK.")
    return {"network": source, **evaluate_strengths(open_arc_probabilities(source), truth)}
