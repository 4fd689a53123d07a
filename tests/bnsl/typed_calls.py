"""Calls that a type checker accepts or refuses; `make lint` checks that mypy does, by comments that it would miss."""

from typing import assert_type

import bnsl
from bnsl.networks import Network
from bnsl.results import ParentSets

table = {"a": [0, 1], "b": [1, 0]}


def accepted() -> None:
    """Right calls, and the types of their results."""
    sets = bnsl.parentsets(table, method="indep", max_parents=2, time="10s", quiet=True)
    assert_type(bnsl.optimize(sets, treewidth=5, require=[("a", "b")]), Network)
    assert_type(bnsl.optimize(data=table, bootstrap=3), list[Network])
    assert_type(bnsl.learn(table, columns=["a", "b"], smoothing=1.0), Network)
    bnsl.optimize(data=table, missing="em", states={"a": ["0", "1"]})
    assert_type(bnsl.convert(sets, to="jkl"), str | bytes)
    assert isinstance(sets, ParentSets)


def refused() -> None:
    """A wrong name, a wrong word, a wrong type."""
    bnsl.optimize(data=table, tree_width=3)  # type: ignore[call-overload]
    bnsl.optimize(data=table, missing="wrong")  # type: ignore[call-overload]
    bnsl.optimize(data=table, treewidth="three")  # type: ignore[call-overload]
    bnsl.entropy(table, missing="em")  # type: ignore[arg-type]
    bnsl.convert(table, boxes="wrong")  # type: ignore[call-overload]
    bnsl.learn(table, bootstrap=3)  # type: ignore[call-arg]
