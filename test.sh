#!/usr/bin/env bash
# For a fresh Debian 12: does the same as ./run.sh, then builds and runs all tests. This takes about half an hour on
# two cores.
set -euo pipefail
if [ $# -gt 0 ]; then
  case $1 in -h | --help) out=1 code=0 ;; *) out=2 code=2 ;; esac
  echo "usage: ./test.sh: installs the packages that are missing, builds build/release and runs all tests" >&$out
  exit $code
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
mkdir -p build
. cmake/setup.sh
install_missing "${library_packages[@]}" "${test_packages[@]}"
install_browser
build_release ON all
run_scene scenes/heavy_top_bruls.toml
ctest --test-dir build/release --parallel "$(nproc)" --output-on-failure --no-tests=error
