"""Lists of instances of ASlib BNSL-2016, made anew from the tables, since the score files themselves are lost.

aslib.py FOLDER                     names of the instances whose table lies in FOLDER
aslib.py FOLDER INSTANCE SETS       write the lists of one; fails if their number of sets is not the known one

FOLDER holds bnsl-2016.csv, whose columns are instance, variables, parent_sets and best_seconds (of the fastest of
eight solvers), and tables such as lung-cancer.csv. An instance is DATA_SCORE[-ESS][-PARENTS], such as
lung-cancer_bdeu-1-3; DATA_63 are the first 63 columns. Constant columns and names of rows are dropped, missing cells
are a state. An equal number of sets is a fingerprint, no proof of equal scores.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path


def main(folder: str, instance: str = "", sets: str = "") -> None:
    with open(Path(folder) / "bnsl-2016.csv") as file:
        counts = {row["instance"]: int(row["parent_sets"]) for row in csv.DictReader(file)}
    if instance:
        found = write_lists(Path(folder), instance, sets)
        if found != counts[instance]:
            sys.exit(f"{instance}: {found:,} sets, not {counts[instance]:,}; the table differs from theirs")
    else:
        print(*(name for name in counts if table_of(Path(folder), name).exists()))


def table_of(folder: Path, instance: str) -> Path:
    return folder / f"{instance.split('_')[0]}.csv"


def write_lists(folder: Path, instance: str, sets: str) -> int:
    """Write the lists of an instance; returns their number of sets."""
    with open(table_of(folder, instance)) as file:
        header, *rows = csv.reader(file)
    *parts, score = instance.split("_")
    columns = range(int(parts[1]) if len(parts) > 1 else len(header))
    states = [len({row[column] for row in rows}) for column in columns]
    dropped = [header[c] for c in range(len(header)) if c not in columns or states[c] == 1 or states[c] == len(rows)]
    name, *numbers = score.split("-")
    options = ["--score", name]
    if name == "bdeu":
        options += ["--ess", numbers.pop(0)]
    if numbers:
        options += ["--max-parents", numbers[0]]
    drop = ["--drop", ",".join(dropped)] if dropped else []
    words = ["bnsl", "parentsets", "-q", "--sequential", "--missing", "state", *drop, *options]
    subprocess.run([*words, str(table_of(folder, instance)), "-o", sets], check=True)
    with open(sets) as lines:
        next(lines)
        return sum(len(json.loads(line)["parents"]) for line in lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
