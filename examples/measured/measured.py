"""The table of the README: score, gap and processor seconds of networks, read off their headers.

measured.py NAME.net.jsonl...    beside each file NAME.net.jsonl.seconds: user and system seconds of the run
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]]
    latest = datetime.fromtimestamp(max(path.stat().st_mtime for path in paths), UTC)
    print(f"Recorded on {latest:%Y-%m-%d}, commit {commit()}.\n")
    print("| data | rows x variables | BIC | gap | processor seconds |\n|---|---|---|---|---|")
    for path in paths:
        with open(path) as lines:
            header = json.loads(lines.readline())
        seconds = sum(map(float, path.with_name(f"{path.name}.seconds").read_text().split()[-2:]))
        gap = f"{100 * header['gap'] / -header['total']:.2g} %" if "gap" in header else "-"
        size = f"{header['rows']:,} x {len(header['variables']):,}"
        print(f"| {path.name.split('.')[0]} | {size} | {header['total']:,.0f} | {gap} | {seconds:.0f} |")


def commit() -> str:
    """The commit that the folder stands at; "unknown" outside a repository."""
    found = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


main()
