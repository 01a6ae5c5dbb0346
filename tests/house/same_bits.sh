#!/usr/bin/env bash
# Prints hashes of the results of the command. For every shipped scene: the CSV of its run as shipped, in the tree
# formulation and in the absolute formulation, the output of `check`, and the output of `geometry --json`. Then the table
# of a study. A change that only restructures the code must not change them:
#
#   tests/house/same_bits.sh build/release/bin/torsor | diff tests/house/same_bits.txt -
#
# The recorded hashes are for GCC 12 on x86-64; they are the same on all x86-64 processors. If a scene cannot run in a
# formulation, the hash is that of the error message.
set -eu
torsor=$(realpath "$1")
scenes=$(realpath "$(dirname "$0")/../../scenes")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$scenes"

hash_of() { sha256sum | cut -c1-16; }
# The comments of tables contain the version, so they are left out.
csv_of() {
  { "$torsor" run "$@" --format csv --quiet -o "$work/out" 2>&1 || true; cat "$work"/out/*.csv 2>/dev/null || true; } |
    grep -v '^#' | hash_of
  rm -rf "$work/out"
}

for scene in *.toml; do
  echo "${scene%.toml}" \
    "run $(csv_of "$scene")" \
    "tree $(csv_of "$scene" --set integrator.formulation=tree)" \
    "absolute $(csv_of "$scene" --set integrator.formulation=absolute)" \
    "check $( ("$torsor" check "$scene" 2>&1 || true) | hash_of)" \
    "geometry $( ("$torsor" geometry "$scene" --json 2>&1 || true) | hash_of)"
done
"$torsor" batch studies/chain_steps.toml -o "$work/study" >/dev/null 2>&1
echo "study chain_steps $(grep -v '^#' "$work/study/table.csv" | hash_of)"
