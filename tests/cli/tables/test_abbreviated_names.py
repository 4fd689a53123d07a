"""Names abbreviated in the middle: short, and different where the names are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.printable import abbreviated


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        (["short", "a_rather_long_name"], 9, ["short", "a_ra…name"]),
        (["network_1_of_many", "network_2_of_many"], 9, ["net…1…any", "net…2…any"]),
        (["aaaaaaaa1", "aaaaaaaa2"], 5, ["aa…a1", "aa…a2"]),
        (["1bbbbbbbbbbb", "2bbbbbbbbbbb"], 5, ["1b…bb", "2b…bb"]),
        (["same", "same"], 4, ["same", "same"]),
        ([], 5, []),
    ],
)
def test_examples(names: list[str], width: int, expected: list[str]):
    assert abbreviated(names, width) == expected


@given(names=st.lists(st.text("ab…", max_size=12)), width=st.integers(3, 9))
def test_different_names_stay_different(names: list[str], width: int):
    found = abbreviated(names, width)
    assert len(dict(zip(names, found))) == len(set(names)) == len(set(found))
    assert all(short == name for name, short in zip(names, found) if len(name) <= width)


def test_many_like_names_stay_short():
    names = [f"a_prefix_of_some_length_{i}_and_a_suffix" for i in range(1000)]
    assert max(map(len, abbreviated(names, 30))) <= 40
