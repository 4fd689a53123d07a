"""What the last release had and this one has not, and what to use instead.

A key is a command, an option of one command (``optimize --resume``) or of all (``--log``), a value of an option, or
the ending of a file. It is looked up only where a name is unknown.
"""

from __future__ import annotations

import os

_CLIMBS = "--start FILE goes on from a network; -o FILE of the command holds the best one so far"
_CHAINS = "the first Ctrl-C, or --time, ends the chains with the estimate so far"
_PROGRESS = "verbose runs, and terminals, show the progress and the time left"
_GRAPHS = "convert to dot, graphml, arcs or adjacency"
_PICTURES = "draw as svg, html, png or pdf, or convert to dot or graphml"
_NETWORKS = "networks are read and written as BIF, NET, XMLBIF, XDSL and UAI"
_GRAPH_QUESTIONS = "--separated and --effect stay; dagitty, DoWhy and pcalg answer further questions about graphs"
_VIRTUAL = "pyAgrum takes such evidence"
_MARKOV = "toulbar2 and pyAgrum answer for Markov networks and for evidence files of UAI"

REMOVED = {
    "plan": "examples/cluster.md has short scripts for Slurm, GNU parallel, Snakemake and Make",
    "merge": "parts of one run are one list, cat part*.jsonl | bnsl optimize",
    "compare": "bnsl evaluate --format csv writes a table for pandas, and scipy has the rank tests",
    "warm-up": "wheels have compiled kernels; in a checkout 'make native' compiles them, else their first use does",
    "plugin": "solvers and scores of your own join by files, parent sets and networks",
    "optimize --resume": _CLIMBS,
    "optimize --save-every": _CLIMBS,
    "optimize --dry-run": _PROGRESS,
    "posterior --resume": _CHAINS,
    "posterior --save-every": _CHAINS,
    "posterior --dry-run": _PROGRESS,
    "posterior --workers": "-j runs the chains on the cores of one machine",
    "--log": "messages are text; quiet runs show errors alone, and --stats FILE of searches has figures as JSON",
    "--best-classes": "bnsl posterior, on lists made with bnsl parentsets --keep-mass",
    "--blanket": "--tan, --kdb and --cll learn classifiers",
    "--method blanket": "--tan, --kdb and --cll learn classifiers",
    "query --likelihood": _VIRTUAL,
    "query --jeffrey": _VIRTUAL,
    "query --uai-evidence": _MARKOV,
    "query --format uai": _MARKOV,
    "query --by": _GRAPH_QUESTIONS,
    "query --relatives": _GRAPH_QUESTIONS,
    "query --independencies": _GRAPH_QUESTIONS,
    "query --permutations": _GRAPH_QUESTIONS,
    "--merge": "join labels before, with pandas for example",
    "--to uai-markov": _MARKOV,
    **dict.fromkeys(("--to gr", "--to td", ".gr", ".td"), _GRAPHS),
    **dict.fromkeys(("--to cyjs", "--to tikz", ".cyjs", ".tikz"), _PICTURES),
    **dict.fromkeys(("--to dsl", "--to dne", "--to dsc", ".dsl", ".dne", ".dsc"), _NETWORKS),
}


def removed(name: str, *keys: str) -> str | None:
    """The sentence about `name` if one of the keys, or the name, was removed; else None."""
    found = next((REMOVED[key] for key in (*keys, name) if key in REMOVED), None)
    return found and f"{name} was removed: {found}."


def removed_format(path: str) -> str | None:
    """The sentence about the format that the ending of an output names, if it was removed; else None."""
    ending = os.path.splitext(path)[1].lower()
    return removed(f"{path}: the format {ending}", ending)


def removed_input(path: str) -> str | None:
    """The same of an input: it says what converts such a file, where `formats.unread` knows it."""
    from formats.unread import UNREAD

    sentence, ending = removed_format(path), os.path.splitext(path)[1].lower()
    remedy = next((row.remedy for row in UNREAD if f".{row.name}" == ending), "")
    return sentence.replace(REMOVED[ending], remedy or REMOVED[ending]) if sentence else None
