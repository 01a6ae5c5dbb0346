#!/usr/bin/env bash
# docs/draw.sh [TORSOR]: draws docs/heavy_top.svg from runs of the command (build/release/bin/torsor by default). Needs
# gnuplot-nox. The error is the distance of the mass centre after 1 s from tests/reference/heavy_top_bruls.json.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
torsor=${1:-build/release/bin/torsor}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME ARGUMENT...: a CSV result under $work.
run() {
  local name=$1
  shift
  "$torsor" run scenes/heavy_top_bruls.toml "$@" --format csv -o "$work/results/$name" --quiet
}

# columns NAME: time and position of the top, one line a sample.
columns() {
  awk -F, '/^#/ { next }
    !seen { for (i = 1; i <= NF; ++i) at[$i] = i; seen = 1; next }
    { print $1, $at["body.top.x"], $at["body.top.y"], $at["body.top.z"] }' "$work/results/$1"/*.csv
}

run trace --set run.end=10 --set run.output=0.005
columns trace > "$work/trace"

exact=$(awk '/"t": 1(\.0)?,/ { found = 1 } found && /"x":/ { gsub(/[^-0-9.e ]/, " "); print; exit }' \
  tests/reference/heavy_top_bruls.json)
for method in lie-midpoint cg3 cf4 rkmk-dopri5 rkmk-fehlberg78; do
  for step in 4e-3 2e-3 1e-3 5e-4 2.5e-4 1.25e-4 6.25e-5; do
    run sweep --set run.end=1 --set run.output=1 --set integrator.method="$method" --set integrator.step="$step"
    columns sweep | awk -v exact="$exact" -v step="$step" 'END { split(exact, x, " ")
      print step, sqrt(($2 - x[1]) ^ 2 + ($3 - x[2]) ^ 2 + ($4 - x[3]) ^ 2) }'
  done > "$work/$method"
done

gnuplot -e "work = '$work'; output = '${OUTPUT:-docs/heavy_top.svg}'; form = '${TERMINAL:-svg}'" docs/heavy_top.gp
