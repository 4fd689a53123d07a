"""The conversions of ``bnsl convert``: which function writes which format."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from formats.records import BayesianNetwork, Dataset, Header, Network

    from .options import DataOptions
    from .reporter import Reporter


class Conversion(NamedTuple):
    """One conversion asked for; `names` is the table that names the variables, if there is one."""

    source: str
    format: str
    output: str
    names: Dataset | None
    data_options: DataOptions
    reporter: Reporter


def write_sets(task: Conversion) -> None:
    """Candidate parent sets, streamed."""
    from formats import open_parent_set_stream, write_parent_sets

    header, records = open_parent_set_stream(task.source, warn=task.reporter.warn)
    header = _named(header, task.names)
    wanted = "jsonl" if task.format == "parentsets" else task.format
    count = write_parent_sets(task.output, header, records, format=wanted)
    task.reporter.summary(f"parent sets of {count} variables")


def write_structure(task: Conversion) -> None:
    """Networks, and graphs made of them."""
    from formats import write_bayesian_network, write_graph, write_network

    from .inputs import open_learnt_network
    from .tables import network_facts

    learnt = open_learnt_network(task.source)
    network = dataclasses.replace(learnt.structure, header=_named(learnt.structure.header, task.names))
    if task.format == "network":
        write_network(task.output, network)
    elif task.format == "bif":
        write_bayesian_network(task.output, _require_parameters(task, learnt.parameters))
    elif task.format == "net":
        write_graph(task.output, _require_parameters(task, learnt.parameters), "net")
    elif task.format == "td":
        write_graph(task.output, network, "td", elimination=_find_elimination(network, task.reporter))
    else:
        write_graph(task.output, network, task.format)
    task.reporter.summary(network_facts(network))


def _find_elimination(network: Network, reporter: Reporter) -> list[int] | None:
    """An elimination order for a network whose header has none; None where it has one."""
    from stages.evaluate.treewidth import bound_treewidth
    from stages.graphs import moral_graph

    if (network.header.extra.get("treewidth") or {}).get("elimination") is not None:
        return None
    bounds = bound_treewidth(moral_graph(network.parents))
    reporter.detail(
        f"elimination order of width {bounds.upper} found; the treewidth is {bounds.lower} or more"
    )
    return bounds.elimination


def write_data(task: Conversion) -> None:
    """Data tables."""
    from formats import open_table_writer

    dataset = task.data_options.open(task.source, task.reporter)
    with open_table_writer(task.output, dataset.variables, task.format) as writer:
        writer.write(dataset.codes)
    task.reporter.summary(f"{dataset.n_variables} variables, {dataset.n_rows:,} rows")


def write_readable(task: Conversion) -> None:
    """A table to read, by the kind of the input."""
    from formats import open_forest, open_parent_set_stream
    from formats.kinds import tell_kind
    from formats.textlines import Lines

    from . import tables
    from .inputs import open_learnt_network

    lines = Lines(task.source)
    kind = tell_kind(lines)
    limit = tables.rows_shown(task.output, task.format)
    if kind == "bnsl.forest":
        tables.show_forest(task.output, open_forest(lines), limit)
    elif kind in ("bnsl.parentsets", "jkl", "pss"):
        header, records = open_parent_set_stream(lines, warn=task.reporter.warn)
        tables.show_parent_sets(task.output, _named(header, task.names).variables, records, limit)
    else:
        network = open_learnt_network(lines).structure
        network = dataclasses.replace(network, header=_named(network.header, task.names))
        tables.show_network(task.output, network, limit)


TARGETS = {
    **dict.fromkeys(("parentsets", "jkl", "pss"), write_sets),
    **dict.fromkeys(
        ("network", "bif", "net", "dot", "graphml", "adjacency", "modelstring", "gr", "td"), write_structure
    ),
    **dict.fromkeys(("csv", "parquet", "arrow"), write_data),
    "table": write_readable,
}
"""Every target format and the function that writes it."""

SUFFIXES = {
    ".sets.jsonl": "parentsets",
    ".net.jsonl": "network",
    ".jkl": "jkl",
    ".pss": "pss",
    ".bif": "bif",
    ".net": "net",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".gr": "gr",
    ".td": "td",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
"""Which target a name's ending means; .csv and .txt could be several things."""


def guess_target(output: str) -> str:
    """The target format that an output's name means.

    Raises
    ------
    click.UsageError
        It means none.
    """
    for suffix, target in SUFFIXES.items():
        if output.lower().endswith(suffix):
            return target
    raise click.UsageError(f"give the format to write: --to {'|'.join(TARGETS)}.")


def _named(header: Header, names: Dataset | None) -> Header:
    """The header with the variables of a table, if one was given."""
    if names is None:
        return header
    if names.n_variables != header.n_variables:
        raise click.UsageError(
            f"--names has {names.n_variables} columns, but the file has {header.n_variables} variables."
        )
    return dataclasses.replace(header, variables=names.variables)


def _require_parameters(task: Conversion, parameters: BayesianNetwork | None) -> BayesianNetwork:
    from formats.errors import Inconsistent
    from formats.streams import source_name

    if parameters is None:
        raise Inconsistent(
            f"this network has no parameters, and {task.format} needs them",
            source=source_name(task.source),
            remedy="estimate them from data: bnsl fit NETWORK DATA",
        )
    return parameters
