#!/usr/bin/env bash
# One way of learning from a table with holes, judged on complete rows; writes one JSON line.
#   learn.sh TRAIN HOLES TEST WAY RESULT TRUTH [SEARCH OPTION...]     TRUTH is a network, or - if there is none
set -euo pipefail
train=$1 holes=$2 test=$3 way=$4 result=$5 truth=$6
shift 6
net=${result%.json}.net.jsonl bif=${result%.json}.bif
case $way in
best | drawn) rows=$holes read="--missing em" learn="--imputation $way" ;;
complete) rows=$train read="" learn="" ;;
*) rows=$holes read="--missing $way" learn="" ;;
esac
begin=$(date +%s.%N)
if bnsl optimize -q --data "$rows" $read $learn --seed 1 "$@" -o "$net"; then
  bnsl fit -q "$net" "$rows" $read --smoothing 1 -o "$bif"
  seconds=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  right=null
  # Few rows left may lack a state that others have.
  if [[ $way != state && $way != complete ]] &&
    bnsl query -q "$bif" --evidence "$holes" --fill best -o "${result%.json}.filled.csv"; then
    right=$(python3 holes.py "$train" "$holes" "${result%.json}.filled.csv")
  fi
  reference=()
  [[ $truth == - ]] || reference=(--reference "$truth")
  bnsl evaluate -q "$bif" --test "$test" --unseen drop --no-treewidth "${reference[@]}" --json |
    sed "s/}\$/, \"right\": $right, \"seconds\": $seconds}/" > "$result" || echo '{}' > "$result" # no row to judge
else
  echo '{}' > "$result" # no row is left
fi
