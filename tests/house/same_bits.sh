#!/usr/bin/env bash
# Hashes of what the command computes: for every shipped scene the CSV of its run, as shipped, in tree and in absolute
# form, what `check` says and what `geometry --json` tells; and the table of a study. A change of structure leaves them
# as they are:
#
#   tests/house/same_bits.sh build/release/bin/torsor | diff tests/house/same_bits.txt -
#
# The recorded ones are of GCC 12 on x86-64, the same on all its processors. Where a form is refused, or is none for the
# scene, the hash is that of the message.
set -eu
torsor=$(realpath "$1")
scenes=$(realpath "$(dirname "$0")/../../scenes")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$scenes"

hash_of() { sha256sum | cut -c1-16; }
# Comments of tables hold the version.
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
