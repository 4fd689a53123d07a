"""Facts in the header of a network, in one line: score, size, width, claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, Any

from formats.bounds import bound_in, gap_in
from formats.wording import out_of, plural

if TYPE_CHECKING:
    from formats.records import Header, NetworkRecord

LEAST_PERCENT = 0.001
"""Gaps of a smaller share of the score are told in nats alone."""
LONGEST_VALUE = 40
"""Characters of the longest value of an option that is told."""


def _certificate_facts(claim: dict[str, Any]) -> str:
    """The treewidth that the elimination order in a header proves, and the limit on it if that is another number."""
    facts = f"treewidth at most {claim.get('width')}{_limit(claim.get('width'), claim.get('bound'))}"
    if claim.get("max_table") is not None:
        facts += f", tables of at most {claim.get('table')} cells{_limit(claim.get('table'), claim['max_table'])}"
    return facts


def _limit(reached: int | None, limit: int | None) -> str:
    return "" if limit in (None, reached) else f" (limit {limit})"


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
        parts.append(f"{extra['undecided_ktrees']:,} of {extra['ktrees']:,} k-trees not proved the most informative")
    if "unproved" in extra:
        n_solved = extra["ktrees"] - extra["unproved"]
        parts.append(_solved_text(n_solved, extra["ktrees"], "k-tree", extra["unproved_gap"]))
    if "decided" in extra:
        n_orders = extra["decided"] + extra.get("undecided", 0)
        parts.append(_solved_text(extra["decided"], n_orders, "order", extra.get("undecided_gap")))
    if extra.get("interrupted"):
        parts.append("interrupted")
    claim = gap_text(network)
    return ", ".join(parts if claim is None else [*parts, claim])


def told_facts(network: NetworkRecord) -> str:
    """One line about a network, as `consensus_facts` tells it of a consensus and `network_facts` of any other."""
    return (consensus_facts if "agreement" in network.header.extra else network_facts)(network)


def origin_facts(header: Header) -> str:
    """How a network was made: rows of the data, commands with their options, day; empty if none of it is known."""
    rows = f"from {plural(header.rows, 'row')}" if header.rows else ""
    commands = ", then ".join(filter(None, map(_command_text, header.by)))
    parts = [rows, f"by {commands}" if commands else "", f"on {header.created[:10]}" if header.created else ""]
    return f"Made {' '.join(filter(None, parts))}." if rows or commands else ""


def _command_text(entry: Mapping[str, Any]) -> str:
    """A command in a header with the options that differ from their defaults; a long value is left out."""
    import bnsl

    from .options.option import options_of

    told, options, stage = [], entry.get("options"), str(entry.get("stage", ""))
    known = options_of(getattr(bnsl, stage)) if stage in bnsl.FUNCTIONS else {}
    for option, value in options.items() if isinstance(options, dict) else ():  # a file may say anything
        if value is None or value is False or (option in known and value == known[option].default):
            continue
        text = f"{value:g}" if isinstance(value, float) else str(value)
        is_short = value is not True and len(text) <= LONGEST_VALUE
        told.append(" ".join([option.replace("_", " "), *([text] if is_short else [])]))
    return f"{stage} ({', '.join(told)})" if told else stage


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


def _solved_text(n_solved: int, number: int, noun: str, gap: Mapping[str, float] | None) -> str:
    """How many of the orders or k-trees tried were solved exactly, and how much the others may lack."""
    solved = f"{out_of(n_solved, number, noun)} solved exactly"
    if gap is None:
        return solved
    return f"{solved}, the others to within {rounded_up(gap['largest'], 4)} nats (mean {rounded_up(gap['mean'], 4)})"


def consensus_facts(network: NetworkRecord) -> str:
    """One line about a consensus: arcs, networks, threshold, agreement."""
    extra = network.header.extra
    parts = [f"{plural(network.n_variables, 'variable')}, {plural(network.n_arcs, 'arc')}"]
    if "networks" in extra:
        parts.insert(0, f"consensus of {plural(extra['networks'], 'network')}")
    parts.append(f"joins pairs of strength above {extra['threshold']:.4g}")
    if "treewidth" in extra:
        parts.append(_certificate_facts(extra["treewidth"]))
    agreement, bound = extra["agreement"], extra.get("agreement_bound")
    if bound is None:
        possible = ""
    elif bound == agreement:
        possible = ", the highest possible"
    else:
        possible = f" (at most {rounded_up(bound, 4)} is possible)"
    parts.append(f"agreement {agreement:,.4g}{possible}")
    if extra.get("interrupted"):
        parts.append("interrupted")
    return ", ".join(parts)


def fit_facts(network: NetworkRecord, figures: Mapping[str, Any], is_interrupted: bool) -> str:
    """One line about the parameters of a network: rows, and where cells are missing how far the estimation came.

    `figures` comes from the run of `bnsl.fit`.
    """
    size = f"{plural(network.n_variables, 'variable')}, {plural(network.n_arcs, 'arc')}"
    rows = f"{size}, {plural(figures['rows'], 'row')}"
    if "holes" not in figures:
        return rows
    ended = "converged" if figures["converged"] else "interrupted" if is_interrupted else "not converged"
    n_iterations = len(figures["objective"][figures["best_start"] - 1]) - 1
    return (
        f"{rows}, {plural(figures['holes'], 'missing cell')}; "
        f"log-likelihood {figures['log_likelihood']:,.2f} after {plural(n_iterations, 'iteration')}, {ended} (one "
        f"more iteration changes a probability by at most {figures['change']:.1g})"
    )


def gap_text(network: NetworkRecord) -> str | None:
    """What is proved about a network: that it is optimal, or how much a better one could score; None if nothing is.

    A gap that rounding errors alone explain counts as none.
    """
    from stages.optimize.bounds.rounding import optimality_tolerance

    extra = network.header.extra
    bound, gap = bound_in(extra), gap_in(extra)
    if bound is None or gap is None:
        return None
    if gap <= optimality_tolerance(network.scores):
        return f"optimal among {bound.networks}"
    best = f"the best of {bound.networks}"
    if bound.networks.startswith("networks "):
        best = f"the best network{bound.networks.removeprefix('networks')}"
    percent = 100 * gap / abs(extra["total"]) if extra["total"] else 0.0
    share = f" ({rounded_up(percent, 2)} %)" if percent >= LEAST_PERCENT else ""
    return f"within {rounded_up(gap, 4)} nats{share} of {best}"


def rounded_up(value: float, digits: int) -> str:
    """The least number with that many significant digits that is not below `value`; whole if it has more digits."""
    if value >= 10 ** (digits - 1):
        return f"{math.ceil(value):,}"
    return f"{float(Context(digits, ROUND_CEILING).create_decimal(repr(float(value)))):.{digits}g}"
