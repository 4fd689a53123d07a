#!/usr/bin/env bash
# A tour of all stages on the bundled data; every step is an ordinary pipe. Results go to examples/out/.
set -eo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../bnsl/bundled"
out=../../examples/out
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }

step "What is read and written"
bnsl formats

step "Entropies: which variables nearly determine others?"
bnsl entropy --discretize median wdbc.csv -o "$out/wdbc.entropy.arrow"
bnsl entropy --discretize median --format table wdbc.csv | sed -n 1,8p

step "Screening: how many roots remain at which threshold, and the forest that leaves half of them"
bnsl screen --curve "$out/wdbc.entropy.arrow" --format table | sed -n 1,8p
bnsl screen --roots 0.5 "$out/wdbc.entropy.arrow" -o "$out/wdbc.forest.jsonl"

step "Candidate parent sets: with the screening forest (qds-BNSL), and without"
bnsl parentsets --screen "$out/wdbc.forest.jsonl" --discretize median wdbc.csv -o "$out/screened.sets.jsonl"
bnsl parentsets --discretize median wdbc.csv -o "$out/wdbc.sets.jsonl"

step "Networks: screened, unbounded, and of treewidth at most 3"
bnsl optimize "$out/screened.sets.jsonl" --asobs --seed 1 --evaluations 500 -o "$out/screened.net.jsonl"
bnsl optimize "$out/wdbc.sets.jsonl" --asobs --seed 1 --evaluations 500 -o "$out/wdbc.net.jsonl"
bnsl optimize "$out/wdbc.sets.jsonl" --tw 3 --seed 1 --evaluations 500 -o "$out/wdbc.tw3.net.jsonl"

step "Side by side on the data, with 10-fold cross-validation"
(cd "$out" && bnsl evaluate screened.net.jsonl wdbc.net.jsonl wdbc.tw3.net.jsonl \
  --data ../../bnsl/bundled/wdbc.csv --discretize median --folds 10 --format table)

step "A round of growing sets near the network found, and searching again"
bnsl parentsets --near "$out/wdbc.net.jsonl" --discretize median wdbc.csv |
  bnsl optimize --asobs --seed 2 --evaluations 500 -o "$out/wdbc.round2.net.jsonl"

step "Parameters, and rows drawn from the fitted network"
bnsl fit "$out/wdbc.net.jsonl" wdbc.csv --discretize median --smoothing 1 -o "$out/wdbc.bif"
bnsl sample "$out/wdbc.bif" --rows 1000 --seed 1 -o "$out/wdbc.sampled.parquet"

step "Where the truth is known: how much of it is found?"
bnsl parentsets random80.csv.gz |
  bnsl optimize --asobs --seed 1 --evaluations 500 |
  bnsl evaluate --data random80.csv.gz --reference random80.bif --format table

step "Other programs' formats"
bnsl convert "$out/wdbc.sets.jsonl" --to jkl -o "$out/wdbc.jkl"
bnsl optimize "$out/wdbc.jkl" --seed 1 --evaluations 100 | bnsl convert --to dot -o "$out/wdbc.dot"
bnsl convert "$out/wdbc.net.jsonl" --to modelstring | cut -c 1-70

step "Solvers of one's own, at either place of the pipe"
bnsl discretize --discretize median wdbc.csv -o "$out/wdbc.cut.csv"
bnsl parentsets "$out/wdbc.cut.csv" | python3 ../../examples/solvers/choose.py |
  bnsl evaluate --data "$out/wdbc.cut.csv" --format table
python3 ../../examples/solvers/list_pairs.py "$out/wdbc.cut.csv" | bnsl optimize --seed 1 --evaluations 100 |
  bnsl evaluate --data "$out/wdbc.cut.csv" --format table

step "The same input, options and seed give the same bytes, for any number of threads"
export SOURCE_DATE_EPOCH=0
bnsl parentsets --indep --evaluations 300 --seed 5 random80.csv.gz | sha256sum
bnsl parentsets --indep --evaluations 300 --seed 5 -j 2 random80.csv.gz | sha256sum
