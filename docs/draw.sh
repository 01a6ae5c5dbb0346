#!/usr/bin/env bash
# docs/draw.sh [TORSOR]: makes the pictures of README, docs/gallery/ and docs/connections/ with the command (default:
# build/release/bin/torsor). The picture of the replay needs Chromium and build/page, which ./test.sh installs.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
torsor=${1:-build/release/bin/torsor}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$torsor" run scenes/heavy_top_bruls.toml --set run.output=0.005 --format h5 -o "$work/top" --quiet
"$torsor" view "$work/top" >/dev/null
node lib/io/page/shoot.mjs "$work/top/replay.html" docs/heavy_top.png 1.2
"$torsor" compare --gallery -o docs/gallery
"$torsor" batch constraint_dynamics -o "$work/study" --quiet
"$torsor" plot "$work/study" --columns error --over dynamic.rate --by dynamic.damping_ratio --log --log-over \
  --title "Constraints as equations of motion, rkmk4 with steps of 20 ms" -o docs/gallery/constraint_dynamics.svg >/dev/null

# docs/connections.md
pictures=docs/connections
plot() { "$torsor" plot "$@" >/dev/null; }
"$torsor" geometry spherical_motion_313_canonical --follow 5 --direction w1=0.6,w3=1.1 --curves "$work/curves.csv" >/dev/null
plot "$work/curves.csv" --columns autoparallel.christoffel.coordinate.theta,autoparallel.canonical-plus.coordinate.theta \
  --over "*.coordinate.phi" --size 560x360 -o $pictures/spherical.svg
"$torsor" compare heavy_top_slow --connections canonical-plus,christoffel --methods lie-verlet,geodesic-verlet \
  -o "$work/heavy_top" --quiet
cp "$work/heavy_top/compare.svg" $pictures/heavy_top.svg
"$torsor" geometry chaplygin_sleigh_connections --follow 3 --curves "$work/sleigh.csv" >/dev/null
plot "$work/sleigh.csv" --over "*.coordinate.x" --size 560x640 -o $pictures/sleigh.svg \
  --columns "autoparallel.christoffel.coordinate.y,autoparallel.canonical-plus.coordinate.y,autoparallel.in-use.coordinate.y,motion.coordinate.y"
"$torsor" run sphere_on_turntable_constant -o "$work/turntable" --quiet
plot "$work/turntable" --columns body.sphere.y --over body.sphere.x --size 480x470 -o $pictures/turntable.svg
"$torsor" batch strong_friction -o "$work/friction" --quiet
plot "$work/friction" --columns error --over friction.eps --log --log-over -o $pictures/friction.svg
