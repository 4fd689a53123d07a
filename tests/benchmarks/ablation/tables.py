"""Tables of different kinds: public data where they are at hand, and tables generated here."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..cases import SHARED, sampled
from ..run import RESULTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Table(NamedTuple):
    """Where a table comes from."""

    kind: str
    path: Callable[[], Path | None]  # makes it if necessary; None if it is not at hand


def _public(name: str) -> Callable[[], Path | None]:
    paths = [SHARED / "data" / f"{name}.csv{ending}" for ending in (".gz", "")]
    return lambda: next((path for path in paths if path.exists()), None)


def _written(name: str, make: Callable[[Path], None]) -> Path:
    path = RESULTS / "tables" / f"{name}.csv.gz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path)
    return path


def _generated(name: str, rows: int, columns: int, states: int, noise: ArrayLike) -> Callable[[], Path | None]:
    def make(path: Path) -> None:
        dataset = sampled(rows, columns, states, noise=noise)
        with gzip.open(path, "wt") as file:
            file.write(",".join(dataset.names) + "\n")
            np.savetxt(file, np.array(dataset.codes).T, fmt="%d", delimiter=",")

    return lambda: _written(name, make)


def _drawn(name: str, **of: Any) -> Path:
    def make(path: Path) -> None:
        import pyarrow.csv

        import bnsl

        with gzip.open(path, "wb") as file:
            pyarrow.csv.write_csv(bnsl.sample(**of, seed=1, quiet=True).to_arrow(), file)

    return _written(name, make)


def _of_network(name: str, rows: int) -> Callable[[], Path | None]:
    network = SHARED / "data" / "networks" / f"{name}.bif.gz"
    return lambda: _drawn(name, network=str(network), rows=rows) if network.exists() else None


TABLES = {
    "nltcs": Table("16,181 rows, 16 columns", _public("debd/nltcs.train")),
    "plants": Table("dense lists, 17,412 rows, 69 columns", _public("debd/plants.train")),
    "pumsb_star": Table("dense lists, 12,262 rows, 163 columns", _public("debd/pumsb_star.train")),
    "accidents": Table("dense lists, 12,758 rows, 111 columns", _public("debd/accidents.train")),
    "kdd": Table("180,092 rows, 64 columns", _public("debd/kdd.train")),
    "states": Table("12 states, 10,000 rows, 30 columns", _generated("states", 10_000, 30, 12, 0.4)),
    "tmovie": Table("4,524 rows, 500 columns", _public("debd/tmovie.train")),
    "ad": Table("2,461 rows, 1,556 columns", _public("debd/ad.train")),
    "wide": Table(
        "sampled from a random ternary network, 500 rows, 2,000 columns",
        lambda: _drawn("wide", random=2000, states=(3, 3), rows=500),
    ),
    "broad": Table(
        "sampled from a random ternary network, 500 rows, 10,000 columns",
        lambda: _drawn("broad", random=10_000, states=(3, 3), rows=500),
    ),
    "vast": Table(
        "sampled from a random ternary network, 500 rows, 30,000 columns",
        lambda: _drawn("vast", random=30_000, states=(3, 3), rows=500),
    ),
    "ternary": Table("ternary, 5,000 rows, 60 columns", _generated("ternary", 5000, 60, 3, 0.4)),
    "deterministic": Table(
        "30 columns are functions of 10 others, ternary, 1,000 rows",
        _generated("deterministic", 1000, 40, 3, [1.0] * 10 + [0.0] * 30),
    ),
    "copies": Table(
        "10 columns are noisy functions of 4 others, ternary, 500 rows",
        _generated("copies", 500, 14, 3, [1.0] * 4 + [0.05] * 10),
    ),
    "sachs": Table("5,400 rows, 11 columns", _public("classic/sachs5400")),
    "zoo": Table("101 rows, 17 columns", _public("uci/zoo")),
    "alarm": Table("sampled from alarm, 5,000 rows", _of_network("alarm", 5000)),
    "hailfinder": Table("sampled from hailfinder, 2,000 rows", _of_network("hailfinder", 2000)),
    "win95pts": Table("sampled from win95pts, 10,000 rows", _public("classic/win95pts-10000")),
    "diabetes": Table("sampled from diabetes, up to 21 states, 5,000 rows", _of_network("diabetes", 5000)),
    "andes": Table("sampled from andes, 1,000 rows", _of_network("andes", 1000)),
}
