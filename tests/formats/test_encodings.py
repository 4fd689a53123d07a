"""Messages about text that is not UTF-8: the command that they give converts it."""

from __future__ import annotations

import re
import subprocess

import pytest

from formats import open_dataset
from formats.errors import Malformed

TABLES = {
    "gbk": "\u5e74\u9f84,\u5438\u70df\n\u9752\u5e74,\u662f\n\u8001\u5e74,\u5426\n\u4e2d\u5e74,\u662f\n",
    "big5": "\u5e74\u9f61,\u5438\u7159\n\u9752\u5e74,\u662f\n\u8001\u5e74,\u5426\n",
    "shift_jis": "\u5e74\u9f62,\u55ab\u7159\n\u306f\u3044,\u3044\u3044\u3048\n\u3044\u3044\u3048,\u306f\u3044\n",
    "euc-kr": "\ub098\uc774,\ud761\uc5f0\n\uc608,\uc544\ub2c8\uc624\n\uc544\ub2c8\uc624,\uc608\n",
    "cp1252": "\u00e2ge,fum\u00e9\n\u00e9lev\u00e9,non\nbas,\u00e7a\n",
    "cp1251": "\u0432\u043e\u0437\u0440\u0430\u0441\u0442,\u043a\u0443\u0440\u0438\u0442\n"
    "\u0434\u0430,\u043d\u0435\u0442\n\u043d\u0435\u0442,\u0434\u0430\n",
}


@pytest.mark.parametrize("encoding", TABLES)
def test_a_command_of_the_message_converts_the_table(tmp_path, encoding):
    path, new = tmp_path / "d.csv", tmp_path / "new.csv"
    path.write_bytes(TABLES[encoding].encode(encoding))
    with pytest.raises(Malformed) as caught:
        open_dataset(str(path))
    remedy = str(caught.value.remedy)
    assert "latin1" not in remedy and f"-f {encoding} " in remedy
    assert re.match(r"convert it first: iconv -f \S+ -t utf-8 FILE > NEW, if it is ", remedy)
    new.write_bytes(subprocess.run(["iconv", "-f", encoding, "-t", "utf-8", str(path)], capture_output=True).stdout)
    assert list(open_dataset(str(new)).names) == TABLES[encoding].splitlines()[0].split(",")


@pytest.mark.parametrize("encoding", ["gbk", "cp1252"])
def test_the_likeliest_stands_first(tmp_path, encoding):
    path = tmp_path / "d.csv"
    path.write_bytes(TABLES[encoding].encode(encoding))
    with pytest.raises(Malformed, match=f"iconv -f {encoding} -t"):
        open_dataset(str(path))


def test_bytes_of_no_known_encoding(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"a,b\n\x81\x98\xff\xff\x80,1\n")
    with pytest.raises(Malformed, match="from the encoding that it has: iconv -f ENCODING"):
        open_dataset(str(path))


def test_utf_16(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16"))
    with pytest.raises(Malformed, match=r"UTF-16 text, not a data table\n.*iconv -f utf-16 -t utf-8 FILE"):
        open_dataset(str(path))
