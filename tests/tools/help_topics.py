"""The texts of `bnsl help`, made from the README's sections.

python tests/tools/help_topics.py           exit code 1 if they are out of date
python tests/tools/help_topics.py --write   bring them up to date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bnsl_cli.topics import TOPICS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bnsl_cli" / "topics"
SECTIONS = {
    "pipes": "The pipeline",
    "tour": "A tour",
    "data": "Data",
    "scores": "Scores",
    "methods": "Which method when",
    "gaps": "How to read a gap",
    "cluster": "Clusters",
    "limits": "Limits",
    "formats": "Formats",
    "exit-codes": "Exit codes",
    "reproducibility": "Reproducibility",
    "references": "References",
}
"""The heading of each topic."""


def topic_text(topic: str) -> str:
    """The section of a topic, without the README's own marks and links to its other sections."""
    readme = (ROOT / "README.md").read_text()
    section = re.split(rf"(?m)^## {re.escape(SECTIONS[topic])}\n", readme)[1]
    section = re.split(r"(?m)^## ", section)[0]
    section = re.sub(r"<!-- .*? -->\n*", "", section)
    section = re.sub(r"\[([^\]]+)\]\(#[^)]*\)", r"\1", section)
    return f"# {SECTIONS[topic]}\n\n{section.strip()}\n"


def main() -> int:
    """Check, or with --write update."""
    stale = [topic for topic in TOPICS if not _is_current(topic)]
    if "--write" in sys.argv:
        for topic in stale:
            (FOLDER / f"{topic}.md").write_text(topic_text(topic))
    elif stale:
        print(f"bnsl_cli/topics: out of date: {', '.join(stale)}; run 'make docs'", file=sys.stderr)
        return 1
    return 0


def _is_current(topic: str) -> bool:
    path = FOLDER / f"{topic}.md"
    return path.exists() and path.read_text() == topic_text(topic)


if __name__ == "__main__":
    sys.exit(main())
