#!/usr/bin/env bash
# A real SLURM with accounting, on loopback (root, no systemd), of as many nodes as wanted. Idempotent.
#   tests/slurm/install.sh          once: installs Debian's packages; nothing else here installs anything
#   eval "$(tests/slurm/up.sh)"     starts it and points this shell at it
# Everything it writes lies in $SLURM_TEST_DIR; a SLURM that the machine has already is neither used nor touched.
# SLURM_TEST_NODES (1: each is one more slurmd), SLURM_TEST_CPUS (8 per node: more than there are, so that several small
# jobs run at once), SLURM_TEST_ARRAY (MaxArraySize). It is a strict site: no job is requeued that does not ask for it
# (JobRequeue=0), one that takes more memory than it asked for is killed, and jobs in the partition urgent preempt those
# in main, at once, and those in graceful, after a SIGTERM and 20 seconds.
set -euo pipefail

dir=${SLURM_TEST_DIR:-/var/tmp/plasticity-slurm}
cpus=${SLURM_TEST_CPUS:-8}
array=${SLURM_TEST_ARRAY:-1001}
nodes=${SLURM_TEST_NODES:-1}
node=$(hostname -s)
memory=100000 # MB per node: asked for, never all used
programs=(sbatch srun slurmctld slurmd slurmdbd munge munged mariadb mariadbd mariadb-install-db)
CANNOT_BE_HERE=2 # the exit code that means: this machine is not set up for it
export SLURM_CONF=$dir/etc/slurm.conf

say() { echo "slurm: $*" >&2; }

alive() { # by its pid file, and only if the process still is what the file says
  local pid
  pid=$(cat "$dir/run/$1.pid" 2>/dev/null) && grep -qsa "${1%.*}" "/proc/$pid/cmdline"
}

wait_for() {
  for _ in $(seq 100); do timeout 5 "$@" >/dev/null 2>&1 && return; sleep 0.1; done
  say "gave up waiting for: $*"
  tail -n 20 "$dir"/log/* >&2 || true
  return 1
}

configure() {
  mkdir -p "$dir"/{etc,run,log,state,spool}
  for number in $(seq "$nodes"); do mkdir -p "$dir/spool/n$number"; done
  chmod 755 "$dir" "$dir"/{etc,run,log}
  cat >"$dir/etc/new.conf" <<EOF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=16819
AccountingStoragePass=$dir/run/munge.socket
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1,sched_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MaxArraySize=$array
MaxJobCount=20000
JobRequeue=0
KillWait=5
ReturnToService=2
GresTypes=gpu,shard
PartitionName=DEFAULT Nodes=ALL DefMemPerCPU=256 DefaultTime=10
PartitionName=main Default=YES PriorityTier=1
PartitionName=graceful PriorityTier=1 GraceTime=20
PartitionName=urgent PriorityTier=10 PreemptMode=OFF
EOF
  for number in $(seq "$nodes"); do
    echo "NodeName=n$number NodeHostname=$node NodeAddr=127.0.0.1 Port=$((17000 + number)) CPUs=$cpus RealMemory=$memory" \
      "Gres=gpu:2,shard:8 State=UNKNOWN"
  done >>"$dir/etc/new.conf"
  # Two devices that every machine has stand for GPUs; SLURM only counts and numbers them.
  printf 'Name=gpu Count=2 File=/dev/tty[0-1]\nName=shard Count=8\n' >"$dir/etc/gres.conf"
  (
    umask 077
    cat >"$dir/etc/slurmdbd.conf" <<EOF
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CommunicationParameters=NoInAddrAny
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=16819
SlurmUser=root
PidFile=$dir/run/slurmdbd.pid
LogFile=$dir/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16806
StorageUser=root
StoragePass=none
EOF
  )
  if ! cmp -s "$dir/etc/new.conf" "$SLURM_CONF"; then
    if alive slurmctld; then "$(dirname "$0")/down.sh"; fi
    mv "$dir/etc/new.conf" "$SLURM_CONF"
  fi
  rm -f "$dir/etc/new.conf"
}

start_munge() {
  [ -e "$dir/etc/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom >"$dir/etc/munge.key")
  alive munged || munged --key-file="$dir/etc/munge.key" --socket="$dir/run/munge.socket" --force \
    --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/state/munge.seed" \
    2>>"$dir/log/munged.log"
  wait_for munge --socket="$dir/run/munge.socket" -n
}

start_accounting() { # without it a job that dies leaves no trace
  [ -d "$dir/db/mysql" ] ||
    mariadb-install-db --no-defaults --user=root --datadir="$dir/db" --skip-test-db >"$dir/log/db-install.log" 2>&1
  if ! alive mariadbd; then
    setsid mariadbd --no-defaults --user=root --datadir="$dir/db" --socket="$dir/run/db.socket" \
      --pid-file="$dir/run/mariadbd.pid" --bind-address=127.0.0.1 --port=16806 --skip-grant-tables \
      --skip-name-resolve --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 \
      --innodb-flush-log-at-trx-commit=0 >"$dir/log/mariadbd.log" 2>&1 </dev/null &
  fi
  wait_for mariadb --no-defaults -S "$dir/run/db.socket" -e 'select 1'
  alive slurmdbd || slurmdbd
  wait_for sacctmgr -n show cluster
}

start_slurm() {
  alive slurmctld || slurmctld
  wait_for sh -c 'scontrol ping | grep -q UP'
  for number in $(seq "$nodes"); do alive "slurmd.n$number" || slurmd -N "n$number"; done
  wait_for sh -c "! sinfo -hN -o %T | grep -Evq '^(idle|mixed|allocated|down|drained)$'"
  # Some may be, from the last time; SLURM refuses to resume one that is not.
  for name in $(sinfo -hN -p main -o '%N %T' | awk '/down|drain/ {print $1}'); do
    scontrol update NodeName="$name" State=RESUME
  done
  wait_for sh -c "! sinfo -hN -o %T | grep -Evq '^(idle|mixed|allocated)$'"
}

[ "$(id -u)" -eq 0 ] || { say "starting a cluster needs root"; exit $CANNOT_BE_HERE; }
missing=$(for program in "${programs[@]}"; do command -v "$program" >/dev/null || echo -n "$program "; done)
[ -z "$missing" ] || { say "no ${missing% } here; tests/slurm/install.sh gets them (root, Debian)"; exit $CANNOT_BE_HERE; }
configure
start_munge
start_accounting
start_slurm
say "$(sinfo -h -o '%P %T %c CPUs %m MB %G' | tr '\n' ' ')"
echo "export SLURM_CONF=$SLURM_CONF"
