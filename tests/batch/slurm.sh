#!/usr/bin/env bash
# slurm.sh BUILD: runs an array of eight Slurm tasks, each with one shard of a study, and merges them. The table must
# equal the table of one process. Run it as root on a machine where Slurm is not running: it starts a Slurm of its own
# on this machine, from slurm-wlm and munge, and ends it again.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 BUILD" >&2; exit 2; }
torsor=$(realpath -- "$1/bin/torsor")
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || { echo "needs slurm-wlm and munge: $tool is missing" >&2; exit 2; }
done

work=$(mktemp -d)
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"
mkdir "$work/munge" "$work/state" "$work/spool"
chmod 700 "$work/munge"
host=$(hostname -s)

dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 400 "$work/munge/key"
munged --foreground --force --key-file "$work/munge/key" --socket "$work/munge.socket" --pid-file "$work/munge/pid" \
  --log-file "$work/munge/log" --seed-file "$work/munge/seed" &>"$work/munged.out" &
started+=($!)

cat >"$work/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -D -c &>"$work/slurmctld.out" &
started+=($!)
slurmd -D -c &>"$work/slurmd.out" &
started+=($!)
for _ in $(seq 30); do
  if sinfo -h -o %T 2>/dev/null | grep -q idle; then break; fi
  sleep 1
done

cat >"$work/task.sh" <<TASK
#!/bin/bash
exec "$torsor" batch chain_steps -o "$work/\$SLURM_ARRAY_TASK_ID" --shard "\$SLURM_ARRAY_TASK_ID/8" -j 1 --resume
TASK
sbatch --wait --chdir="$work" --array=1-8 "$work/task.sh"
"$torsor" merge "$work"/[1-8] -o "$work/merged"
"$torsor" batch chain_steps -o "$work/whole" --quiet
cmp "$work/merged/table.csv" "$work/whole/table.csv"
echo "the table of eight tasks is that of one process"
