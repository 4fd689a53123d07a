"""`bnsl.evaluate`: networks to given."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, Unpack

from ..answers.families import BETWEEN, side_by_side
from ..files.inputs import COUNT_APART, MatchedTables, completed, open_record, warn_of_interventions
from ..files.network_inputs import read_network_or_class, read_networks
from ..networks import Network
from ..options.data import InterventionOptions, Reading, RowsWithHoles, refuse_data_options
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.shared import SCORE, TABLE_MEMORY, Ess, Jobs, check_sources, refuse_ess
from ..options.values import INPUT, SEED, SIZE, Number, Whole
from ..results import Measures
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function
from ..running.reporter import LineReporter
from ..tables import as_file

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.proof_records import Proof
    from formats.records import Header, NetworkRecord, ParentSetTable

OF_ARCS = ("drawn_true_positives", "drawn_false_positives", "drawn_false_negatives")
"""Measures of arcs as drawn; equivalent networks may have these arcs in other directions."""
OF_DIRECTIONS = ("min_parents", "max_parents", "min_children", "max_children", *OF_ARCS)
"""Measures in which the networks of an equivalence class may differ."""
OF_PAIRS = ("network", "variables", "pair_roc_area", "pair_pr_area")
"""Measures of strengths that are judged by an equivalence class."""


_Input = partial(Option, section="Input")
_Measure = partial(Option, section="Measures")


class InputOptions(TypedDict, total=False):
    """Inputs besides the networks."""

    data: Annotated[Source, _Input("Training rows. Scores and parameters come from them.", INPUT, "DATA")]
    test: Annotated[Source, _Input("Test rows. The log-likelihood is computed for them.", INPUT, "DATA")]
    reference: Annotated[
        Source,
        _Input(
            "True network. Its essential graph gives the distance, and its arcs are counted as found or missed. An "
            "essential graph may be given instead; it gives the distance only.",
            INPUT,
            "NETWORK",
        ),
    ]
    proof: Annotated[
        tuple[Source, Source] | None,
        _Input(
            "Check this proof of a bound (of 'bnsl optimize --proof') about these parent sets. Each network's "
            "distance from the bound is added.",
            INPUT,
            "PROOF SETS",
            nargs=2,
        ),
    ]
    strengths: Annotated[
        Source,
        _Input(
            "Judge this table of arc strengths or probabilities by --reference. Networks are then optional.",
            INPUT,
            "ARCS",
        ),
    ]


class MeasureOptions(TypedDict, total=False):
    """Which measures are computed, and with which resources."""

    score: Annotated[
        str | Iterable[str],
        _Measure("Score to compute on the data. May be repeated.", SCORE, is_several=True, default=("bic",)),
    ]
    ess: Ess
    smoothing: Annotated[
        float,
        _Measure(
            "Equivalent sample size of the prior of the parameters. It is used for log-likelihoods.",
            Number(0, is_open=True),
            "ROWS",
            default=1.0,
        ),
    ]
    folds: Annotated[
        int | None,
        _Measure(
            "Add the log-likelihood in K-fold cross-validation on the data, with the structure fixed. For each fold, "
            "the cuts of --discretize are learnt from the other folds. Cuts listed in the network's file stay, "
            "unless --discretize is given.",
            Whole(2),
            "K",
        ),
    ]
    seed: Annotated[int, _Measure("Seed that assigns rows to folds.", SEED, "N", default=0)]
    target: Annotated[
        str | None,
        _Measure(
            "Predict this variable from the other cells of each row of --test, or of --data, and measure the "
            "predictions. The measures are accuracy, log-loss, Brier score, calibration error, recall, precision, "
            "area under the ROC curve and confusion matrix. The network gives the parameters; if it has none, "
            "they come from --data. With --folds and without --test, each row is predicted by parameters from the "
            "other folds.",
            metavar="NAME",
        ),
    ]
    curve: Annotated[bool, _Measure("Add the points of the ROC curve of each state of --target to the JSON lines.")]
    no_treewidth: Annotated[
        bool, _Measure("Skip the bounds on the treewidth. They take long for large dense networks.")
    ]
    families: Annotated[
        bool,
        _Measure(
            "Compare two networks family by family instead: the parents of each variable in both networks, and with "
            "--data the local scores of both families."
        ),
    ]
    jobs: Jobs
    memory: Annotated[
        int | str | None,
        Option(
            f"{TABLE_MEMORY} It is used for --target, and for --test rows with missing cells.", SIZE, section="Budget"
        ),
    ]


class EvaluateOptions(InputOptions, RowsWithHoles, InterventionOptions, MeasureOptions, MessageOptions, total=False):
    """Options of `evaluate`."""


@function
def evaluate(
    run: Run,
    networks: Annotated[Source, Argument("NETWORK", is_several=True), "The networks to evaluate."] = (),
    **options: Unpack[EvaluateOptions],
) -> list[Measures]:
    """Evaluate networks: scores, likelihood of test rows, distance from a reference, treewidth.

    Returns
    -------
    list of Measures
        A dict for each network. With `families`, the parents of each variable in both networks.

    Examples
    --------
    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> [measures] = bnsl.evaluate(bnsl.optimize(data=table, quiet=True), data=table, quiet=True)
    >>> measures["arcs"], round(measures["bic"], 4)
    (1, -33.2592)
    """
    from formats.errors import located
    from formats.graphs.structures import require_variables
    from stages.evaluate.measures import evaluate_network

    given, reading, reporter = Given(**options), Reading(**options), run.reporter
    refuse_ess(run, given.score)
    sources = networks or (() if given.strengths is not None else (run.source(None, "NETWORK"),))
    check_sources(*sources, *(given.proof or ()), given.data, given.test, given.reference, given.strengths)
    check_use(run, bool(sources), given, reading)
    learnt = [
        (name_of(source, f"network{number}"), place, network)
        for number, source in enumerate(sources, 1)
        for place, network in numbered_networks(source, reporter)
    ]
    training = MatchedTables(given.data, reading, reporter, is_recodable=given.folds is not None)
    if given.families:
        named = [(source, network) for source, _, network in learnt]
        return list(map(Measures, side_by_side(named, training, given.score, given.ess, reporter)))
    held_out = MatchedTables(
        given.test, reading.without_coding if given.data is not None else reading, reporter, may_be_set=True
    )
    truth = None if given.reference is None else read_network_or_class(given.reference, reporter.warn)
    checked = None if given.proof is None else open_checked_proof(*given.proof)
    records = judge_strengths(given.strengths, given.reference, truth, reporter)
    for source, place, entry in learnt:
        structure, is_class = entry.record, entry.is_class
        if is_class:
            if checked is not None:
                raise UsageError(f"--proof needs networks, and {source} is a class of them.")
            refuse_unequal_scores(source, given.score)
        if given.data is not None and reading.interventions is None:
            warn_of_interventions(structure.header, reporter, COUNT_APART)
        reference = None if truth is None else truth.record
        if reference is not None and not reference.header.lacks_isolated:
            structure = completed(structure, source, reference.header.names, given.reference, reporter)
        rows = training.match_complete(structure.header, source)
        test_rows = held_out.match(rows or structure.header, source)
        table, other = (test_rows, given.test) if rows is None else (rows, given.data)
        if table is not None:
            structure = completed(structure, source, table.names, other, reporter)
        with located(source):
            require_variables(structure)
        if reference is not None:
            reference = completed(reference, given.reference, structure.header.names, source, reporter)
        found = evaluate_network(
            structure,
            data=rows,
            test=test_rows,
            reference=reference,
            scores=given.score,
            ess=given.ess,
            smoothing=given.smoothing,
            folds=given.folds,
            seed=given.seed,
            target=given.target,
            curve=given.curve,
            treewidth=not given.no_treewidth,
            jobs=given.jobs,
            memory=given.memory,
            reporter=reporter,
        )
        header = compared_header(structure, rows)
        require_compared(None if truth is None else entry.undirected, structure, source, header)
        require_compared(None if truth is None else truth.undirected, reference, given.reference, header)
        left_out = OF_DIRECTIONS if is_class else OF_ARCS if truth and truth.is_class else ()
        kept = {name: value for name, value in found.items() if name not in left_out}
        if checked is not None:
            kept |= gap_to_proof(source, structure, *checked)
        records.append({"network": source, **place, **kept})
        reporter.progress(len(records), len(learnt), "networks")
    return list(map(Measures, records))


def compared_header(network: "NetworkRecord", rows: "Dataset | None") -> "Header":
    """The header whose interventions the distance of classes counts: that of the rows if variables were set there."""
    if rows is None or rows.interventions is None:
        return network.header
    return replace(network.header, variables=rows.variables, extra=rows.score_entries)


def require_compared(
    edges: Sequence[tuple[int, int]] | None, network: "NetworkRecord | None", source: Any, header: "Header"
) -> None:
    """Raise `Inconsistent` for a partly directed graph that is not the one which the distance compares: the essential
    graph, or with interventions in a header the interventional one.

    `edges` are undirected, in a graph of the class of `network`; None or none for a network.
    """
    from formats.errors import Inconsistent
    from formats.streams import source_name
    from stages.graphs.intervention_targets import targets_of
    from stages.graphs.orientation import differing_edge

    if not edges or network is None:
        return
    names = network.header.names
    pair = differing_edge(network.parents, edges, targets_of(header, names))
    if pair is None:
        return
    tail, head = (names[v] for v in (pair if pair[0] in network.parents[pair[1]] else pair[::-1]))
    if pair in edges:
        raise Inconsistent(
            f"{tail} - {head} has no direction in this graph, but the interventions decide it",
            source=source_name(source),
            remedy="give the network, or its essential graph under the interventions",
        )
    raise Inconsistent(
        f"this graph is not the essential graph of any network: {tail} -> {head} is reversed in equivalent networks",
        source=source_name(source),
        remedy="give the network of this graph, which bnsl convert --dag makes",
    )


def name_of(source: Any, other: str) -> str:
    """The name of a network in the records: its file, or `other` for an object."""
    return source if isinstance(source, str) else other


def open_checked_proof(source: str, sets: Any) -> tuple["Proof", "ParentSetTable"]:
    """A proof that holds, and the lists that it is about."""
    from formats import open_parent_sets, open_proof
    from formats.errors import located
    from stages.evaluate.proof_checking import check_proof

    proof, table = open_proof(as_file(source, "proof")), open_record(sets, open_parent_sets)
    with located(source):
        check_proof(proof, table)
    return proof, table


def gap_to_proof(source: str, network: "NetworkRecord", proof: "Proof", table: "ParentSetTable") -> dict[str, float]:
    """The measures of a network that follow from a proof."""
    from formats.errors import located
    from stages.evaluate.proof_checking import proved_gap

    with located(source):
        return proved_gap(proof, table, network)


def refuse_unequal_scores(source: str, scores: tuple[str, ...]) -> None:
    """For an essential graph, refuse scores that differ between the networks of a class."""
    from stages.scoring.scores import SCORES

    for name in scores:
        if not SCORES[name].is_equivalent:
            raise UsageError(f"--score {name} differs between equivalent networks, and {source} is a class of them.")


def check_use(run: Run, has_networks: bool, given: Given, reading: Reading) -> None:
    """Refuse options that need an input or option that is not given, or do not go with one that is."""
    if given.families:
        run.refuse(BETWEEN, "cannot be combined with --families, which sets two networks side by side.")
    if not has_networks:
        run.refuse(
            ("data", "test", "proof", *group_options(MeasureOptions)),
            "needs a network: give NETWORK beside --strengths.",
        )
    if given.data is None and given.test is None:
        refuse_data_options(run, "needs a table: --data or --test.")
        run.refuse(["target"], "needs rows: --test DATA or --data DATA.")
    if given.data is None:
        run.refuse(("score", "ess", "smoothing", "folds"), "needs --data.")
    if given.test is None and given.folds is None and given.target is None:
        run.refuse(["smoothing"], "needs --test, --folds or --target.")
    if given.folds is None:
        run.refuse(["seed"], "needs --folds K.")
    check_prediction(run, given, reading)


def check_prediction(run: Run, given: Given, reading: Reading) -> None:
    """Refuse options of predictions, and of exact inference, where there is none."""
    if given.target is not None and reading.interventions is not None:
        raise UsageError("--target cannot be combined with --interventions: it predicts rows as they come.")
    if given.target is None:
        run.refuse(["curve"], "needs --target NAME.")
        if given.test is None or not reading.keeps_holes:
            run.refuse(("jobs", "memory"), "needs --target NAME, or --test and --missing em.")
    elif given.test is None and given.folds is not None:
        run.refuse(("jobs", "memory"), "needs --test with --folds K, which predicts by counts of rows.")


def numbered_networks(source: Any, reporter: LineReporter) -> list[tuple[dict[str, int], Network]]:
    """The networks of a source; in a stream each with its position (from 1) as ``index``."""
    networks = list(read_networks(source, reporter.warn))
    if len(networks) == 1:
        return [({}, networks[0])]
    return [({"index": number}, network) for number, network in enumerate(networks, 1)]


def judge_strengths(
    source: Any, reference: Any, truth: Network | None, reporter: LineReporter
) -> list[dict[str, Any]]:
    """The measures of a table of arc strengths, if there is one, judged by the network read from `reference`.

    Raises `UsageError`: there is no reference network.
    """
    from formats import open_arc_probabilities
    from stages.evaluate.arc_strengths import evaluate_strengths

    if source is None:
        return []
    if truth is None:
        raise UsageError("--strengths are judged against a network: give --reference NETWORK.")
    table = open_record(source, open_arc_probabilities)
    network = completed(truth.record, reference, table.header.names, source, reporter)
    found = {"network": name_of(source, "strengths"), **evaluate_strengths(table, network)}
    return [{name: found[name] for name in OF_PAIRS} if truth.is_class else found]
