"""The topics of ``bnsl help``: the README's sections, one file each, written by ``make docs``."""

TOPICS = {
    "pipes": "The stages and how they join.",
    "tour": "What one does with them, by examples.",
    "data": "What tables may look like; missing cells, numbers, discretization.",
    "scores": "What is maximised.",
    "methods": "Which method when, and what it costs.",
    "gaps": "How to read a gap, and what is proved.",
    "cluster": "Job arrays, shards, merging.",
    "limits": "What is too large, and how much memory is taken.",
    "formats": "Files of our own and of other programs; your own solver in the pipe.",
    "exit-codes": "What a command ends with.",
    "reproducibility": "When two runs give the same bytes.",
    "references": "The papers.",
}
"""Name and one line on each, in the order of the README."""
