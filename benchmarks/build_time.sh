#!/usr/bin/env bash
# build_time.sh [run] [test] [touch]: measures the CPU time of building, in units of U: the CPU time that the compiler
# needs on this machine for a file that only includes <Eigen/Dense>. The measurements use clean clones of the last
# commit, without a compiler cache:
#   run    ./run.sh
#   test   ./test.sh
#   touch  a rebuild of the command after a change of explicit_pair.hpp
# By default all three are measured. Every package must be installed, so that no time goes into downloads.
set -euo pipefail
top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
[ $# -gt 0 ] || set -- run test touch
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
export CCACHE_DISABLE=1
unset CMAKE_CXX_COMPILER_LAUNCHER

# cpu COMMAND...: prints the CPU seconds, user and system, of the command and all its children. The output of the
# command goes to $work/log.
cpu() {
  local TIMEFORMAT='%U %S'
  { time "$@" >"$work/log" 2>&1; } 2>"$work/time" || { tail -n 20 "$work/log" >&2; return 1; }
  awk '{print $1 + $2}' "$work/time"
}

echo '#include <Eigen/Dense>' >"$work/unit.cpp"
eigen=$(pkg-config --cflags-only-I eigen3 | xargs)
unit() { cpu g++ -std=c++20 -O3 "$eigen" -c "$work/unit.cpp" -o "$work/unit.o"; }
unit=$(for _ in 1 2 3; do unit; done | sort -g | head -n 1)
echo "U = $unit s of CPU time on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"

# report NAME GOAL COMMAND...: the script ends if the command fails.
report() {
  local seconds
  seconds=$(cpu "${@:3}")
  awk -v name="$1" -v goal="$2" -v s="$seconds" -v u="$unit" 'BEGIN { printf "%-6s %7.1f s = %6.1f U (goal %s U)\n", name, s, s / u, goal }'
}
clone() { git clone -q -- "$top" "$work/$1"; }

for what in "$@"; do
  case $what in
    run) clone run; report run 250 "$work/run/run.sh" ;;
    test) clone test; report test 800 "$work/test/test.sh" ;;
    touch)
      [ -d "$work/run" ] || { clone run; "$work/run/run.sh" >/dev/null; }
      touch "$work/run/include/torsor/integrators/detail/explicit_pair.hpp"
      report touch 25 cmake --build "$work/run/build/release" --target torsor_command
      ;;
    *) echo "usage: $0 [run] [test] [touch]" >&2; exit 2 ;;
  esac
done
