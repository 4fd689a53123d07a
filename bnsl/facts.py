"""Facts in the header of a network, in one line: score, size, width, claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from formats.bounds import bound_in, gap_in
from formats.wording import plural

if TYPE_CHECKING:
    from formats.records import NetworkRecord


def _certificate_facts(claim: dict[str, Any]) -> str:
    """The width of the elimination order in a header, an upper bound on the treewidth."""
    facts = f"width at most {claim.get('width')} (bound {claim.get('bound')})"
    if claim.get("max_table") is not None:
        facts += f", tables of {claim.get('table')} cells (bound {claim['max_table']})"
    return facts


def network_facts(network: NetworkRecord) -> str:
    """One line about a network: score, arcs, treewidth, method."""
    extra = network.header.extra
    screened = f" ({len(extra['screened'])} screened)" if extra.get("screened") else ""
    parts = [f"{plural(network.n_variables, 'variable')}{screened}, {plural(network.n_arcs, 'arc')}"]
    if extra.get("total") is not None:
        parts.insert(0, _score_text(network))
    if isinstance(extra.get("treewidth"), dict):
        parts.append(_certificate_facts(extra["treewidth"]))
    if extra.get("method"):
        decoding = f" ({extra['decoding']})" if "decoding" in extra else ""
        parts.append(f"method {extra['method']}{decoding}")
    if "information" in extra:
        parts.append(f"information of {extra['information']}")
    if "undecided_ktrees" in extra:
        parts.append(f"{extra['undecided_ktrees']:,} of {extra['ktrees']:,} k-trees not proved most informative")
    if "unproved" in extra:
        gap = extra["unproved_gap"]
        lack = f"by at most {gap['largest']:,.4g} (mean {gap['mean']:,.4g})"
        parts.append(f"{extra['unproved']:,} of {extra['ktrees']:,} k-trees not solved to the end, {lack}")
    if "decided" in extra:
        parts.append(decided_text(extra))
    return ", ".join(parts + _standing(network))


def _score_text(network: NetworkRecord) -> str:
    """The score in a header; of rows with holes that of the observed cells first, then that of the completed rows."""
    from formats.arc_priors import KEY

    header, extra = network.header, network.header.extra
    score = "score" if header.score == "unknown" else header.score
    total = f"{extra['total']:,.4f}{' with a prior of arcs' if KEY in extra else ''}"
    if "imputation" not in extra:
        return f"{score} {total}"
    observed = f"{extra['observed_score']:,.4f} of the observed cells, " if "observed_score" in extra else ""
    return f"{score} {observed}{total} of the completed rows"


def _standing(network: NetworkRecord) -> list[str]:
    """How a network compares with others: its gap; and whether the search ended early."""
    extra, parts = network.header.extra, []
    if extra.get("interrupted"):
        parts.append("interrupted")
    claim = gap_text(network)
    return parts if claim is None else [*parts, claim]


def consensus_facts(network: NetworkRecord) -> str:
    """One line about a consensus: arcs, networks, threshold, agreement."""
    extra = network.header.extra
    parts = [f"{plural(network.n_variables, 'variable')}, {plural(network.n_arcs, 'arc')}"]
    if "networks" in extra:
        parts[0] += f" of {plural(extra['networks'], 'network')}"
    parts.append(f"pairs of strength above {extra['threshold']:.4g}")
    if "treewidth" in extra:
        parts.append(_certificate_facts(extra["treewidth"]))
    agreement, bound = extra["agreement"], extra.get("agreement_bound")
    parts.append(f"agreement {agreement:,.4f}")
    if bound is not None:
        parts[-1] += ", the most of any network" if bound == agreement else f" of at most {bound:,.4f}"
    parts[-1] += " (the arcs' strengths, each less half the threshold)"
    if extra.get("interrupted"):
        parts.append("interrupted")
    return ", ".join(parts)


def fit_facts(network: NetworkRecord, figures: Mapping[str, Any], is_interrupted: bool) -> str:
    """One line about the parameters of a network: rows, and where cells are missing how far the estimation came.

    `figures` are those of `bnsl.fit`.
    """
    size = f"{plural(network.n_variables, 'variable')}, {plural(network.n_arcs, 'arc')}"
    rows = f"{size}, {plural(figures['rows'], 'row')}"
    if "holes" not in figures:
        return rows
    ended = "converged" if figures["converged"] else "interrupted" if is_interrupted else "not converged"
    n_iterations = len(figures["objective"][figures["best_start"] - 1]) - 1
    return (
        f"{rows}, {plural(figures['holes'], 'hole')}; "
        f"log-likelihood {figures['log_likelihood']:,.2f} after {plural(n_iterations, 'iteration')}, {ended}: "
        f"a further one changes a probability by at most {figures['change']:.1g}"
    )


def decided_text(extra: Mapping[str, Any]) -> str:
    """The number of orders of k-A* with an optimal choice of cliques, and the gap of the others."""
    decided, undecided = extra["decided"], extra.get("undecided", 0)
    if not undecided:
        return f"all {decided:,} orders decided" if decided > 1 else "its one order decided"
    gap = extra["undecided_gap"]
    lack = f"the others by at most {gap['largest']:,.4g} (mean {gap['mean']:,.4g}) below their best"
    return f"{decided:,} of {decided + undecided:,} orders decided, {lack}"


def gap_text(network: NetworkRecord) -> str | None:
    """The gap in a header and the networks that it is about, in two sentences; one phrase if it is proved optimal.

    None if the header states no bound.
    """
    from stages.optimize.bounds.claims import ALL
    from stages.optimize.bounds.rounding import optimality_tolerance

    extra = network.header.extra
    bound, gap = bound_in(extra), gap_in(extra)
    if bound is None or gap is None:
        return None
    among, total = bound.about, extra["total"]
    share = f" ({100 * gap / abs(total):.3g} %)" if total else ""
    # Lists of unknown data, as other programs write them, do not state which sets they omit.
    further = "; whether more sets exist is not known" if network.header.data is None else "; more sets exist"
    if among.startswith(ALL):
        further = ""
    if gap <= optimality_tolerance(network.scores):
        if not further:
            return f"optimal (to rounding) among {among}"
        return f"best found. No gap: none better (to rounding) among {among}{further}"
    return f"best found. Gap: the best of {among} scores at most {gap:,.4g} nats{share} higher{further}"
