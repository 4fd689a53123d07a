"""The stream of networks that ``--bootstrap`` writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .recording import record_command, write_stats
from .reporter import Reporter

if TYPE_CHECKING:
    from formats.records import Network
    from stages.runtime.remote_workers import RemoteWorkers


def write_replicates(
    output: str,
    n_replicates: int,
    found: Iterator[tuple[Network, dict[str, Any]]],
    recorded: dict[str, Any],
    stats: str | None,
    reporter: Reporter,
    remote: RemoteWorkers | None,
) -> None:
    """Write the networks of bootstrap replicates one behind the other, each as soon as it is there."""
    from formats.json_lines.network_lines import network_text
    from formats.streams import open_output
    from stages.runtime.remote_workers import workers_fact

    figures: list[dict[str, Any]] = []
    with open_output(output) as stream:
        for network, of_one in found:
            network = replace(network, header=record_command(network.header, "optimize", recorded))
            stream.write(network_text(network).encode())
            stream.flush()
            figures.append(of_one)
            reporter.progress(len(figures), n_replicates, "replicates", **workers_fact(remote))
    reporter.pause()
    early = f" of {n_replicates:,}, interrupted" if len(figures) < n_replicates else ""
    reporter.summary(f"networks of {len(figures):,} replicates{early}; bnsl average makes one of them")
    write_stats(stats, {"replicates": figures})
