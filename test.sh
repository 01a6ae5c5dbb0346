#!/usr/bin/env bash
# ./test.sh: what ./run.sh does, then builds and passes all tests. Under 25 minutes on two cores.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
mkdir -p build
. cmake/setup.sh
install_missing "${library_packages[@]}" "${test_packages[@]}"
install_browser
build_release ON all
run_scene scenes/heavy_top_bruls.toml
ctest --test-dir build/release --parallel "$(nproc)" --output-on-failure --no-tests=error
