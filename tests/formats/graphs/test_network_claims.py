"""The header of a network against its records: what the file itself belies is refused, with the line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from formats import open_network, open_parent_sets
from formats.errors import FormatError

SOUND = {"total": -6.0, "bound": -5.5, "gap": 0.5, "treewidth": {"bound": 2, "width": 1, "elimination": [2, 0, 1]}}
RECORDS = [
    {"child": 0, "parents": [[]], "scores": [-1.0]},
    {"child": 1, "parents": [[0]], "scores": [-2.0]},
    {"child": 2, "parents": [[1]], "scores": [-3.0]},
]


def network_file(**claims: Any) -> io.BytesIO:
    header = {"format": "bnsl.network", "version": 1, "variables": [{"name": name} for name in "abc"]}
    rows = [header | SOUND | claims, *RECORDS]
    return io.BytesIO(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def certificate(**claims: Any) -> dict[str, Any]:
    return {"treewidth": SOUND["treewidth"] | claims}


def test_sound_claims_are_read():
    assert open_network(network_file()).header.extra == SOUND
    assert open_parent_sets(network_file()).n_sets == 3


@pytest.mark.parametrize(
    "claims", [{"total": None}, {"total": -6.0000000001}, {"gap": 0.50000001}, certificate(elimination=[0, 1, 2])]
)
def test_rounding_and_other_orders_are_no_contradiction(claims: dict):
    open_network(network_file(**claims))


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"total": -1.0}, "total of -1.0, the local scores sum to -6.0"),
        ({"bound": -7.0}, "bound of -7.0, below the total"),
        ({"gap": 0.0}, "gap of 0.0, but bound minus total is 0.5"),
        ({"bound": -6.5, "gap": -0.5, "total": None}, "negative gap"),
        ({"unscored": [3]}, "'unscored'"),
        ({"screened": [-1]}, "'screened' must be a list of variable indices"),
        (certificate(bound=[2]), "key 'bound' must be of type integer, not list"),
        (certificate(width="1"), "key 'width' must be of type integer, not string"),
        (certificate(elimination=1.5), "key 'elimination' must be of type list"),
        (certificate(elimination=[2, "0", 1]), "a list of variable indices"),
        (certificate(elimination=[2.0, 0, 1]), "a list of variable indices"),
        (certificate(elimination=[0, 0, 1]), "no permutation of the 3 variables"),
        (certificate(elimination=[1, 0, 2]), "width more than 1, the header says 1"),
        (certificate(width=2), "width 1, the header says 2"),
        (certificate(bound=0), "width of 1, more than its bound 0"),
    ],
)
@pytest.mark.parametrize("read", [open_network, open_parent_sets])
def test_what_the_file_belies_is_refused_with_the_line(claims: dict, words: str, read):
    with pytest.raises(FormatError) as error:
        read(network_file(**claims))
    assert words in str(error.value)
    assert error.value.line == 1


def test_lists_of_single_sets_read_as_a_network_are_checked_too():
    text = network_file(total=-1.0).read().replace(b"bnsl.network", b"bnsl.parentsets")
    text = text.replace(b'"scores"', b'"fixed": true, "scores"')
    with pytest.raises(FormatError, match="local scores sum"):
        open_network(io.BytesIO(text))
