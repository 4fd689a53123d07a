"""Messages say options as keywords of Python."""

from __future__ import annotations

import pytest

import bnsl
from bnsl.options.option import options_of
from bnsl.running.wording import in_python


@pytest.mark.parametrize(
    ("said", "in_words_of_python"),
    [
        ("no option here", "no option here"),
        ("use --missing drop to leave out 2 rows", 'use missing="drop" to leave out 2 rows'),
        ("give --tw K.", "give treewidth=K."),
        ("leave out --jobs.", "leave out jobs."),
        ("--evidence TABLE goes with --fill", "table=... goes with fill"),
        ("give SETS or --data DATA", "give sets or data=..."),
        (
            "an XMLBIF file without a NETWORK, 'DATA' or <TABLE>",
            "an XMLBIF file without a NETWORK, 'DATA' or <TABLE>",
        ),
        ("NAN and the UCLA rule", "NAN and the UCLA rule"),
        ("estimate them: bnsl fit NETWORK DATA", "estimate them: bnsl.fit(network, data)"),
        ("fit by bnsl fit --missing em, and", 'fit by bnsl.fit(missing="em"), and'),
        (
            "make one with bnsl posterior or bnsl average --strengths",
            "make one with bnsl.posterior or bnsl.average(strengths=...)",
        ),
        ("go on with bnsl parentsets --resume, or", "go on with bnsl parentsets --resume, or"),
        ("bnsl average --time searches more", "bnsl.average(time=...) searches more"),
        ("bnsl screen without --max-parents", "bnsl.screen without max_parents"),
        ("this is a bug of bnsl itself", "this is a bug of bnsl itself"),
        ("bnsl convert NETWORK --markov-blanket 'x'", 'bnsl.convert(network, markov_blanket="x")'),
        ("a hyphen-ated word, a--b", "a hyphen-ated word, a--b"),
        ("or leave it out: --drop intervened", "or leave it out: drop intervened"),
        ("--dag shows arcs as they stand", "cpdag=False shows arcs as they stand"),
        ("--json is unknown", "--json is unknown"),
    ],
)
def test_options_become_keywords(said: str, in_words_of_python: str):
    assert in_python(said) == in_words_of_python


def test_the_keywords_of_the_called_function_come_first():
    assert in_python("--data DATA or --evidence TABLE", options_of(bnsl.query)) == "data=... or table=..."
