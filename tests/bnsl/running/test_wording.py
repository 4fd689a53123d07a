"""Messages say options as keywords of Python."""

from __future__ import annotations

import pytest

import bnsl
from bnsl.running.wording import in_python


@pytest.mark.parametrize(
    ("said", "in_words_of_python"),
    [
        ("no option here", "no option here"),
        ("use --missing drop to leave out 2 rows", 'use missing="drop" to leave out 2 rows'),
        ("give --tw K.", "give treewidth=K."),
        ("leave out --jobs.", "leave out jobs."),
        ("--evidence TABLE goes with --fill", "table=TABLE goes with fill"),
        ("a hyphen-ated word, a--b", "a hyphen-ated word, a--b"),
        ("or leave it out: --drop intervened", "or leave it out: drop intervened"),
        ("--dag shows arcs as they stand", "cpdag=False shows arcs as they stand"),
        ("--json is unknown", "--json is unknown"),
    ],
)
def test_options_become_keywords(said: str, in_words_of_python: str):
    assert in_python(said) == in_words_of_python


def test_the_keywords_of_the_called_function_come_first():
    of_query = bnsl.query.keywords
    assert in_python("--data DATA or --evidence TABLE", of_query) == "data=DATA or table=TABLE"
