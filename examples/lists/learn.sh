#!/usr/bin/env bash
# learn.sh WAY SECONDS OUT DATA [OPTION...]: lists made in one way and searched, in that time together.
# Writes OUT.sets.jsonl and OUT.net.jsonl; options are about reading the data.
set -euo pipefail
way=$1 seconds=$2 out=$3 data=$4
shift 4

started=$EPOCHREALTIME
left() {  # left SHARE: that share of the time that is left, as an option
  awk -v s="$started" -v now="$EPOCHREALTIME" -v t="$seconds" -v share="$1" \
    'BEGIN { left = (t - now + s) * share; printf "--time %.2fs", (left > 0.2 ? left : 0.2) }'
}
list() { bnsl parentsets -q --seed 1 "$@" "$data" -o "$out.sets.jsonl"; }
search() { bnsl optimize -q --seed 1 "$@" "$out.sets.jsonl" -o "$out.net.jsonl"; }

case $way in
  grow*) list "$@" --grow --orders "${way#grow}" $(left 0.8) ;;
  near)
    list "$@" --grow --orders 5 $(left 0.3)
    for _ in 1 2; do
      search $(left 0.2)
      cp "$out.sets.jsonl" "$out.before.jsonl"
      list "$@" --near "$out.net.jsonl" --extend "$out.before.jsonl" --orders 5 $(left 0.4)
    done
    rm "$out.before.jsonl"
    ;;
  *) list "$@" "--$way" $(left 0.5) ;;
esac
search $(left 1)
