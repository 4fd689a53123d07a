"""Tables from named pipes and standard input, in pieces and compressed."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading

import pytest

from formats import open_dataset


def test_fifo(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"a,b\n0,x\n1,y\n"))
    writer.start()
    dataset = open_dataset(str(path))
    writer.join()
    assert dataset.names == ("a", "b") and dataset.n_rows == 2


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [bytes, gzip.compress])
def test_standard_input(wrap):
    program = "from formats import open_dataset; print(open_dataset('-').codes.tolist())"
    done = subprocess.run(
        [sys.executable, "-c", program], input=wrap(b"a,b\n0,x\n1,y\n"), capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[[0, 1], [0, 1]]"


@pytest.mark.slow
def test_standard_input_in_small_pieces():
    program = "from formats import open_dataset; print(open_dataset('-').codes.tolist())"
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1) as process:
        for piece in (b"a", b",b\n", b"0,", b"x\n1,y\n"):
            process.stdin.write(piece)
            process.stdin.flush()
        process.stdin.close()
        assert process.stdout.read().strip() == b"[[0, 1], [0, 1]]"


def test_errors_name_standard_input():
    program = "from formats import open_dataset; open_dataset('-')"
    done = subprocess.run([sys.executable, "-c", program], input=b"a,b\n1\n", capture_output=True, check=False)
    assert b"<stdin>:2: 1 cell where 2 are expected" in done.stderr
