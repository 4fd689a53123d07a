#!/usr/bin/env bash
# The main pipeline on real data: from a table of measurements to a network and its evaluation.
set -eo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p out
data=../bnsl/bundled/wdbc.csv

say() { printf '\n== %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }

say "569 tumours, 30 measurements and the diagnosis; each measurement is cut at its median"
say "Candidate parent sets, then the best network of treewidth at most 5"
show "bnsl parentsets --discretize median $data | bnsl optimize --asobs --tw 5 --evaluations 2000 -o out/wdbc.net.jsonl"
bnsl parentsets --discretize median "$data" | bnsl optimize --asobs --tw 5 --evaluations 2000 -o out/wdbc.net.jsonl

say "The network"
show "bnsl convert --to table out/wdbc.net.jsonl"
bnsl convert --to table out/wdbc.net.jsonl

say "Its evaluation, computed anew from the arcs and the data"
show "bnsl evaluate --data $data --discretize median --score bic --score bdeu --folds 10 --format table out/wdbc.net.jsonl"
bnsl evaluate --data "$data" --discretize median --score bic --score bdeu --folds 10 --format table out/wdbc.net.jsonl

say "A picture of it: bnsl convert examples/out/wdbc.net.jsonl -o wdbc.svg (or wdbc.html, to look around in)"
