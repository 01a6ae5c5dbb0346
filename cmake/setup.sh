# shellcheck shell=bash
# Sourced by run.sh and test.sh: installs packages of Debian 12, and builds the Release build in build/release.

# shellcheck disable=SC2034
library_packages=(g++ cmake ninja-build libeigen3-dev libboost-dev libboost-context-dev libcli11-dev libfmt-dev
  libtomlplusplus-dev nlohmann-json3-dev libvalijson-dev libhdf5-dev libsqlite3-dev libxxhash-dev librandom123-dev librsvg2-dev pkg-config)
# shellcheck disable=SC2034
test_packages=(doctest-dev clang-14 libclang-rt-14-dev libbenchmark-dev qemu-user libopenmpi-dev openmpi-bin dpkg-dev file
  pybind11-dev python3-dev python3-numpy python3-pandas python3-matplotlib mypy)

# install_missing PACKAGE...: installs the packages that are missing. Uses the network only if one is missing.
install_missing() {
  local missing=() package status
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=missing
    [ "$status" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "Installing: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Please install these packages, or sudo, and try again." >&2; return 1; }
    as_root=(sudo)
  fi
  # The package lists on the machine may suffice; they are updated only if the installation fails.
  apt_install() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; }
  apt_install >/dev/null 2>&1 || { "${as_root[@]}" apt-get update -q && apt_install; }
}

# install_browser: installs Chromium, Node.js and npm, and in build/page the npm packages of
# lib/io/page/package-lock.json. Only the tests of pages and of the schemas in editors need them. If they cannot be
# installed, these tests are skipped with a message.
install_browser() {
  local packages=(chromium)
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
  install_missing "${packages[@]}" || { echo "No browser: the tests of pages will be skipped." >&2; return 0; }
  mkdir -p build/page
  cmp -s lib/io/page/package-lock.json build/page/node_modules/.locked && return 0
  cp lib/io/page/package.json lib/io/page/package-lock.json lib/io/page/.npmrc build/page/
  (cd build/page && npm ci --ignore-scripts) >build/page/install.log 2>&1 ||
    { tail -n 3 build/page/install.log; echo "No playwright-core: the tests of pages will be skipped." >&2; return 0; }
  cp lib/io/page/package-lock.json build/page/node_modules/.locked
}

# compilations: prints the number of parallel compilations: one per core, limited by the free memory at 2 GiB each.
compilations() {
  awk -v cores="$(nproc)" '/^MemAvailable/ { n = int($2 / 2097152) } END { print (n < 1 ? 1 : n < cores ? n : cores) }' /proc/meminfo
}

# build_release ON|OFF TARGET...: configures build/release with or without the tests and the Python package, and builds
# the targets. Warnings are not errors in this build, because other compilers have other warnings.
build_release() {
  local tests=$1
  shift
  cmake --preset release -D TORSOR_BUILD_COMMAND=ON -D TORSOR_BUILD_TESTS="$tests" -D TORSOR_PYTHON="$tests" \
    -D TORSOR_BUILD_BENCHMARKS=OFF -D CMAKE_COMPILE_WARNING_AS_ERROR=OFF >build/configure.log 2>&1 || { cat build/configure.log; return 1; }
  cmake --build build/release --parallel "$(compilations)" --target "$@"
}

# run_scene SCENE: runs the scene and makes a replay and a report. The results go to results/ in the current
# folder, which must be the checkout.
run_scene() {
  local folder
  folder="$PWD/results/$(basename -- "$1" .toml)"
  build/release/bin/torsor run "$1" -o "$folder"
  build/release/bin/torsor view "$folder"
  build/release/bin/torsor report "$folder"
}
