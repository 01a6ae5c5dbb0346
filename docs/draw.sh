#!/usr/bin/env bash
# docs/draw.sh [TORSOR]: makes the pictures of README and docs/gallery/ with the command (default:
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
