#!/usr/bin/env bash
# strengths.sh METHOD SECONDS REPLICATES SCORE DATA OUT: strengths of arcs, in so many seconds of processor time together.
#   posterior  complete lists of sets, then sampled networks
#   bootstrap  hill climbing with restarts on replicates of the rows, each for the same time
#   single     the same lists as for the posterior, then search for the best network
# Writes OUT.arcs.arrows, and the processor time taken to OUT.stats.json.
set -euo pipefail
method=$1 seconds=$2 replicates=$3 data=$5 out=$6
score=(--score "$4" --max-parents 3)

# What every command takes before and after its work.
START=0.6

count() {  # processor seconds of all commands so far, to `taken`; `times` counts those of this very shell
  times > "$out.times"
  taken=$(awk -F '[ms ]+' 'NR == 2 { print 60 * $1 + $2 + 60 * $3 + $4 }' "$out.times")
}
limit() {  # limit PARTS: what is left of the time, divided by so many, to `left`
  count
  left=$(awk -v t="$seconds" -v taken="$taken" -v start="$START" -v parts="$1" \
    'BEGIN { left = (t - taken - start) / parts; printf "%.3fs", (left > 0.01 ? left : 0.01) }')
}
list() { bnsl parentsets -q "$data" --sequential "${score[@]}" --keep-mass 1e-3 -o "$out.sets.jsonl"; }

case $method in
  posterior)
    list
    limit 1
    bnsl posterior -q "$out.sets.jsonl" --sampled --seed 1 --time "$left" -o "$out.arcs.arrows"
    ;;
  bootstrap)
    limit $((replicates + 1))
    # The network of all rows, from which replicates start, takes as long as a replicate.
    bnsl optimize -q --data "$data" --hc --tabu 10 --restarts 1000000 "${score[@]}" --bootstrap "$replicates" --seed 1 \
      --time "$left" -o "$out.all.jsonl"
    bnsl average -q --dag "$out.all.jsonl" --strengths "$out.arcs.arrows" --time 0.1s --seed 1 -o "$out.net.jsonl"
    ;;
  single)
    list
    limit 1
    bnsl optimize -q "$out.sets.jsonl" --seed 1 --time "$left" -o "$out.net.jsonl"
    bnsl average -q --dag "$out.net.jsonl" --strengths "$out.arcs.arrows" --seed 1 -o /dev/null
    ;;
esac
count
printf '{"seconds": %s}\n' "$taken" > "$out.stats.json"
rm "$out.times"
