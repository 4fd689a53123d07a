"""Small tables for the tests of readers."""

from __future__ import annotations

import pytest

from formats import open_dataset


@pytest.fixture
def read(tmp_path):
    """Write columns (lists of cells) as CSV and open them as a data set."""

    def run(warn=None, **columns_and_options):
        columns = {k: v for k, v in columns_and_options.items() if isinstance(v, list)}
        options = {k: v for k, v in columns_and_options.items() if not isinstance(v, list)}
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
        path = tmp_path / "d.csv"
        path.write_text("\n".join(lines) + "\n")
        return open_dataset(str(path), warn=warn, **options)

    return run
