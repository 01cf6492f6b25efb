#!/usr/bin/env bash
# What the test cluster needs of the system: Debian's packages of SLURM, munge and MariaDB (root). Idempotent. It starts
# nothing, and tests never call it: tests/slurm/up.sh starts the cluster where this has been run.
set -euo pipefail

packages=(slurmctld slurmd slurm-client slurmdbd munge mariadb-server-core mariadb-client-core)

say() { echo "slurm: $*" >&2; }

installed=$(dpkg-query -W -f '${db:Status-Status}\n' "${packages[@]}" 2>/dev/null | grep -cx installed || true)
[ "$installed" -ne ${#packages[@]} ] || exit 0
[ "$(id -u)" -eq 0 ] || { say "installing packages needs root"; exit 1; }
command -v apt-get >/dev/null || { say "needs Debian's apt-get, or the programs of ${packages[*]} by other means"; exit 1; }
say "installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq -o DPkg::Lock::Timeout=300 update
apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${packages[@]}" >/dev/null
