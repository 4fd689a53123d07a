"""Calls that a type checker accepts or refuses; `make lint` checks that mypy does, by comments that it would miss."""

from typing import Any, assert_type

import bnsl
from bnsl.networks import Network
from bnsl.results import Forest, ParentSets
from bnsl.tables import Table

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
    network = bnsl.learn(table)
    assert_type(bnsl.query(network, {"a": 1}, variables=["b"]), Table)
    assert_type(network.query({"a": 1}, map="b", memory="1G"), Table)
    assert_type(network.predict(table, "b", keep="a", missing="state"), Table)
    assert_type(network.impute(table, "drawn", seed=1), Table)
    assert_type(network.explain(table, runners_up=2), Table)
    assert_type(bnsl.effects(network, data=table, measure="strength", method="sampled"), Table)


def either(asked: bool, times: int | None, file: str | None) -> None:
    """Calls whose result depends on a value that is known when they run."""
    assert_type(bnsl.parentsets(table), ParentSets)
    assert_type(bnsl.parentsets(table, dry_run=False), ParentSets)
    assert_type(bnsl.parentsets(table, dry_run=True), dict[str, Any])
    assert_type(bnsl.parentsets(table, dry_run=asked), ParentSets | dict[str, Any])
    assert_type(bnsl.screen(table, eps=0.1), Forest)
    assert_type(bnsl.screen(table, curve=True), list[dict[str, float]])
    assert_type(bnsl.screen(table, curve=asked), Forest | list[dict[str, float]])
    assert_type(bnsl.optimize(data=table, bootstrap=None), Network)
    assert_type(bnsl.optimize(data=table, bootstrap=times), Network | list[Network])
    assert_type(bnsl.convert(table, output=None), str | bytes)
    bnsl.convert(table, output="table.csv")
    assert_type(bnsl.convert(table, output=file), str | bytes | None)


def refused() -> None:
    """A wrong name, a wrong word, a wrong type."""
    bnsl.optimize(data=table, tree_width=3)  # type: ignore[call-overload]
    bnsl.optimize(data=table, missing="wrong")  # type: ignore[call-overload]
    bnsl.optimize(data=table, treewidth="three")  # type: ignore[call-overload]
    bnsl.entropy(table, missing="em")  # type: ignore[arg-type]
    bnsl.convert(table, boxes="wrong")  # type: ignore[call-overload]
    bnsl.learn(table, bootstrap=3)  # type: ignore[call-arg]
    network = bnsl.learn(table)
    network.query({"a": 1}, variable="b")  # type: ignore[call-arg]
    network.predict(table, "b", fill="best")  # type: ignore[call-arg]
    network.impute(table, "worst")  # type: ignore[arg-type]
    bnsl.explain(network)  # type: ignore[call-arg]
    bnsl.effects(network, data=table, measure="odds")  # type: ignore[arg-type]
