#!/usr/bin/env bash
# processors.sh TORSOR EXAMPLE BENCH_LIE SCENES WORK: runs the built programs on emulated processors, from the x86-64
# baseline to the one with the most instruction sets of qemu-user: run, view, batch with and without lanes, an example
# with lanes, and the kernels of bench_lie. Runs and the batch without lanes must write the same numbers on all of them.
set -euo pipefail
torsor=$1 example=$2 bench_lie=$3 scenes=$4 work=$5
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: qemu-x86_64 is not installed"; exit 0; }
rm -rf -- "$work"
mkdir -p -- "$work"
fail() { echo "processors: $*" >&2; exit 1; }

# End times, s, and intervals between the rows of the tables if not 0.01 s. Times are short and rows are few because an
# emulated processor is about twenty times slower.
declare -A end=([heavy_top_bruls]=0.02 [fourbar_driven]=0.05 [kapitza_inverted]=0.05 [curved_sleigh]=0.2 [n_fourbar_2]=0.1
  [chain3_spherical]=0.1 [bricard]=0.05 [satellite_libration]=100 [functions]=2)
declare -A output=([satellite_libration]=1)
cat >"$work/tops.toml" <<EOF
schema = "torsor/study/1"
scene = "heavy_top_bruls"
seed = 1
draws = 9
[[parameter]]
kind = "rotation"
key = "body.top.quaternion_wxyz"
[[parameter]]
kind = "list"
key = "run.end"
values = [0.02]
[keep]
columns = ["body.top.z"]
times = [0.02]
EOF

# A pendulum whose support moves by expressions that use most elementary functions.
sed -e 's|^from.position = .*|from.position = ["0.1*sinh(sin(t))*acos(exp(-t)/2)", "log(2+t)^1.7*asin(t/3)", "tanh(t)*atan(t)+atan2(1+t,2)^t+cosh(t)/9"]|' \
  -e 's|^position = .*|position = [0, 0, "1/9"]|' -e 's|^velocity_world = .*|velocity_world = [0, 0.3, "log(atan2(1,2))"]|' \
  "$scenes/kapitza_inverted.toml" >"$work/functions.toml"
cp -- "$scenes"/*.toml "$work"
scenes=$work

# The comments at the head of a table contain the wall time, so they are left out.
same_numbers() { cmp -- <(grep -v '^#' "$1") <(grep -v '^#' "$2"); }

# on NAME COMMAND...: runs the command on the emulated processor of that name; `native` is this processor.
on() {
  local processor=$1
  shift
  if [ "$processor" = native ]; then "$@"; else qemu-x86_64 -cpu "$processor" "$@" 2> >(grep -v "TCG doesn't support" >&2); fi
}
for processor in native qemu64 Nehalem Haswell max; do
  here=$work/$processor
  mkdir -p -- "$here"
  on "$processor" "$torsor" --version >/dev/null || fail "$processor: torsor --version"
  for scene in "${!end[@]}"; do
    on "$processor" "$torsor" run "$scenes/$scene.toml" --set "run.end=${end[$scene]}" \
      --set "run.output=${output[$scene]:-0.01}" -o "$here/$scene" --quiet >"$here/log" 2>&1 || fail "$processor: run $scene: $(cat "$here/log")"
    for csv in "$here/$scene"/*.csv; do
      same_numbers "$csv" "$work/native/$scene/${csv##*/}" || fail "$processor: $scene has other bits than the native run"
    done
  done
  on "$processor" "$torsor" view "$here/heavy_top_bruls" >/dev/null || fail "$processor: view"
  on "$processor" "$torsor" batch "$work/tops.toml" -o "$here/tops" -j 1 --quiet || fail "$processor: batch in lanes"
  on "$processor" "$torsor" batch "$work/tops.toml" -o "$here/alone" -j 1 --lanes off --quiet || fail "$processor: batch"
  cmp -- "$here/alone/table.csv" "$work/native/alone/table.csv" || fail "$processor: a batch without lanes has other bits"
  on "$processor" "$example" >"$here/example" || fail "$processor: example"
  on "$processor" "$bench_lie" --benchmark_min_time=0.001 --benchmark_filter=exp >"$here/bench" 2>&1 ||
    fail "$processor: bench_lie: $(cat "$here/bench")"
done
echo "qemu64, Nehalem, Haswell and max: same bits as this processor"
