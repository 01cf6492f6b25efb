#!/usr/bin/env bash
# Cancels what is queued on the test cluster, stops the daemons that up.sh started, by their pid files; --purge removes all.
set -uo pipefail

dir=${SLURM_TEST_DIR:-/var/tmp/plasticity-slurm}
export SLURM_CONF=$dir/etc/slurm.conf
[ -e "$SLURM_CONF" ] || { echo "slurm: no test cluster in $dir" >&2; exit 0; }

is() { grep -qsa "$1" "/proc/$2/cmdline"; } # a zombie has no command line

if timeout 5 scontrol ping 2>/dev/null | grep -q "is UP"; then
  squeue -ah -o %A | sort -u | xargs -r scancel
  for _ in $(seq 100); do [ -z "$(squeue -ah)" ] && break; sleep 0.2; done
fi
for file in "$dir"/run/slurmd.*.pid "$dir"/run/{slurmctld,slurmdbd,mariadbd,munged}.pid; do
  pid=$(cat "$file" 2>/dev/null) || continue
  daemon=$(basename "$file" .pid)
  daemon=${daemon%.*}
  if is "$daemon" "$pid"; then kill "$pid"; fi
  for _ in $(seq 150); do is "$daemon" "$pid" || break; sleep 0.1; done
  if is "$daemon" "$pid"; then echo "slurm: $daemon ($pid) does not stop" >&2; else rm -f "$file"; fi
done
[[ " $* " != *" --purge "* ]] || rm -rf "$dir"
