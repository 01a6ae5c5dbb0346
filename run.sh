#!/usr/bin/env bash
# For a fresh Debian 12: installs missing packages, builds the command and runs a scene.
set -euo pipefail
usage() {
  cat <<'TEXT'
usage: ./run.sh [SCENE]

Installs the packages that are missing, builds the command in build/release, runs SCENE (a file, or the name of a scene
in scenes/; heavy_top_bruls by default) and prints where the result is. The command is then build/release/bin/torsor.
TEXT
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
scene=${1:-heavy_top_bruls}
# Paths are relative to the caller's folder.
if [ -f "$scene" ]; then scene=$(realpath -- "$scene"); fi
if [ -n "${TORSOR_SCENES:-}" ]; then TORSOR_SCENES=$(realpath -m -- "$TORSOR_SCENES"); export TORSOR_SCENES; fi
cd -- "$here"
if [ ! -f "$scene" ] && [ -f "scenes/$scene.toml" ]; then scene=scenes/$scene.toml; fi
[ -f "$scene" ] || [ -n "${TORSOR_SCENES:-}" ] || { echo "$0: \"$scene\" is neither a file nor a scene in scenes/" >&2; exit 3; }

mkdir -p build
. cmake/setup.sh
install_missing "${library_packages[@]}"
build_release OFF torsor_command
run_scene "$scene"
