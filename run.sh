#!/usr/bin/env bash
# ./run.sh [SCENE]: installs what is missing, builds Release, runs the scene (a file or a name from scenes/; the heavy
# top by default) and prints where the result is. For a fresh Debian 12.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
scene=${1:-heavy_top_bruls}
[ $# -le 1 ] || { echo "usage: $0 [SCENE]" >&2; exit 2; }
# A path is meant from where the caller stands.
if [ -f "$scene" ]; then scene=$(realpath -- "$scene"); fi
cd -- "$here"
[ -f "$scene" ] || [ ! -f "scenes/$scene.toml" ] || scene=scenes/$scene.toml

mkdir -p build
. cmake/setup.sh
install_missing "${library_packages[@]}"
build_release OFF torsor_command
run_scene "$scene"
