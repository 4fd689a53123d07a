#!/usr/bin/env bash
# Learns a network from the data of one replicate, and writes its matrix (row is parent of column) as Benchpress has it:
# a line of names, then one line for each variable.
set -euo pipefail

# What the configuration leaves open is None here.
options=(--seed "${snakemake_wildcards[seed]}" --score "${snakemake_wildcards[score]}")
[[ ${snakemake_wildcards[ess]} == None ]] || options+=(--ess "${snakemake_wildcards[ess]}")
[[ ${snakemake_wildcards[max_parents]} == None ]] || options+=(--max-parents "${snakemake_wildcards[max_parents]}")
[[ ${snakemake_wildcards[treewidth]} == None ]] || options+=(--tw "${snakemake_wildcards[treewidth]}")
[[ ${snakemake_wildcards[timeout]} == None ]] || options+=(--time "${snakemake_wildcards[timeout]}s")

# The second line holds the numbers of states; every line after it is a row, however few there are.
begun=$EPOCHREALTIME
sed 2d "${snakemake_input[data]}" | bnsl optimize --data - "${options[@]}" -o "${snakemake_output[adjmat]}.net.jsonl"
ended=$EPOCHREALTIME

bnsl convert "${snakemake_output[adjmat]}.net.jsonl" --to adjacency | cut -d, -f2- > "${snakemake_output[adjmat]}"
rm "${snakemake_output[adjmat]}.net.jsonl"
awk "BEGIN { print $ended - $begun }" > "${snakemake_output[time]}"
echo None > "${snakemake_output[ntests]}"
