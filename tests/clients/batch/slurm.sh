#!/usr/bin/env bash
# The array of editors/ci/slurm in a real Slurm: Debian's, one machine, as root, with all its files in a folder that goes. Its table is that of one
# run. Without Slurm, or root to start it, this says so. Needs PINTLE_BIN.
set -euo pipefail
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
ci=$(cd "$(dirname "$0")/../../../editors/ci/slurm" && pwd)
export PATH=$PATH:/usr/sbin
if [ "$(id -u)" != 0 ] || ! "$(dirname "$0")/../../tool" slurm >/dev/null; then
  echo "tests/clients/batch: no Slurm" | tee -a "${PINTLE_SKIPS:-/dev/null}"
  exit 0
fi

folder=$(mktemp -d)
chmod 700 "$folder"
cd "$folder"
end() {
  for part in slurmd slurmctld munge; do
    if [ -s "$part.pid" ]; then
      pid=$(cat "$part.pid")
      kill "$pid" 2>/dev/null || true
      # It writes what it knows into the folder before it ends.
      timeout 20 tail --pid="$pid" -f /dev/null || kill -9 "$pid" 2>/dev/null || true
    fi
  done
  rm -rf "$folder"
}
trap end EXIT
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
host=$(hostname -s)
mkdir state spool bin
ln -s "$PINTLE_BIN" bin/pintle
head -c 128 /dev/urandom >key
chmod 600 key
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.sock
CredType=cred/munge
SlurmctldPort=$(port)
SlurmdPort=$(port)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 RealMemory=20000 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
munged --force --key-file="$folder/key" --socket="$folder/munge.sock" --pid-file="$folder/munge.pid" \
  --log-file="$folder/munge.log" --seed-file="$folder/munge.seed"
slurmctld -c
slurmd
# The machine is there once its daemon has said so.
timeout 60 bash -c 'until [ "$(sinfo --noheader --format %T)" = idle ]; do sleep 0.1; done' || {
  cat slurmctld.log slurmd.log
  exit 1
}

export PINTLE_HOME=$folder/home PATH=$folder/bin:$PATH
# The same model for the array and for the one run, whose costs are compared.
export PINTLE_MODEL=anthropic/claude-sonnet-4-6
for task in $(seq 12); do
  echo "{\"id\": \"t$task\", \"prompt\": \"say $task\"}"
done >tasks.jsonl
# A worker takes the next reply for each of its tasks.
jq -n '{replies: [range(12) | {blocks: [{text: "done"}]}]}' >script.json
sbatch --test-only "$ci/batch.sbatch" tasks.jsonl results
# Without waiting for a node that is not there.
timeout 120 sbatch --wait --quiet "$ci/batch.sbatch" tasks.jsonl results --script script.json || {
  cat slurmctld.log slurmd.log pintle-*.log | tail -60
  echo "tests/clients/batch: the array failed"
  exit 1
}
[ "$(ls -d results/shard-*)" = "$(printf 'results/shard-%s\n' 1 2 3 4)" ]
pintle batch merge results/shard-* --out results/all >/dev/null
pintle batch tasks.jsonl --quiet --script script.json --out one >/dev/null
table() { jq -S '[.rows[] | del(.sessionId, .durationMs)]' "$1/summary.json"; }
diff <(table one) <(table results/all)
[ "$(table one | jq length)" = 12 ]
echo "Slurm: an array of four shards has the table of one run"
