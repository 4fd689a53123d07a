"""The wheel of a platform: the pure one, and the machine code of kernels that `build` made.

PYTHONPATH=tests python -m tools.native.wheel PURE.whl -o dist

One wheel serves all versions of Python from 3.11 on (the stable interface). It does not require numba, which is its
extra ``compile``. The same files give the same bytes: the archive is sorted and undated.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import platform
import re
import sysconfig
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path("stages", "kernels")


def platform_tag(files: list[Path]) -> str:
    """Tag of this platform; on Linux with the newest version of glibc whose functions the files call."""
    place = sysconfig.get_platform()
    if platform.libc_ver()[0] == "glibc":
        found = {
            tuple(map(int, v.split(b"."))) for f in files for v in re.findall(rb"GLIBC_(\d+\.\d+)", f.read_bytes())
        }
        place = place.replace("linux", "manylinux_{}_{}".format(*max(found)))
    return f"cp311-abi3-{re.sub(r'[-.]', '_', place)}"


def without_numba(metadata: str) -> str:
    """The metadata of a package that requires numba as its extra ``compile`` alone."""
    return re.sub(r"(?m)^Requires-Dist: numba[^;\n]*\n", "", metadata)


def pack(unpacked: Path, target: Path, tag: str) -> None:
    """Pack a folder as a wheel with this tag."""
    (info,) = unpacked.glob("*.dist-info")
    about = re.sub(r"(?m)^Tag: .*\n", "", (info / "WHEEL").read_text())
    (info / "WHEEL").write_text(about.replace("Purelib: true", "Purelib: false").rstrip() + f"\nTag: {tag}\n\n")
    (info / "METADATA").write_text(without_numba((info / "METADATA").read_text()))
    record = info / "RECORD"
    names = [str(p.relative_to(unpacked)) for p in sorted(unpacked.rglob("*")) if p.is_file() and p != record]
    lines = []
    for name in names:
        content = (unpacked / name).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    own = str(record.relative_to(unpacked))
    record.write_text("".join([*lines, f"{own},,\n"]))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in [*names, own]:
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, (unpacked / name).read_bytes())


def make(pure: Path, folder: Path) -> Path:
    """Write the wheel of this platform into a folder. Raises `SystemExit` if machine code is of other sources."""
    from .build import digest_of_sources

    with tempfile.TemporaryDirectory() as place:
        unpacked = Path(place)
        zipfile.ZipFile(pure).extractall(unpacked)
        digest = digest_of_sources(unpacked / "stages").encode()
        files = sorted(FOLDER.glob("_native_*.so"))
        if not files or any(digest not in path.read_bytes() for path in files):
            raise SystemExit(f"{FOLDER} has no machine code of the sources in {pure}: make native")
        for path in files:
            (unpacked / path).write_bytes(path.read_bytes())
        tag = platform_tag(files)
        folder.mkdir(exist_ok=True)
        target = folder / pure.name.replace("py3-none-any", tag)
        pack(unpacked, target, tag)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pure", type=Path)
    parser.add_argument("-o", dest="folder", type=Path, default=Path("dist"))
    given = parser.parse_args()
    wheel = make(given.pure, given.folder)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
