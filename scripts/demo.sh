#!/usr/bin/env bash
# From a fresh Debian 12 machine to the first answer: installs what is missing, builds the release program (no tests)
# and predicts LeNet and AlexNet on a CPU and on GPUs. Exit code 4: packages are missing and could not be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

ensure_packages "${packages_to_build[@]}"
use_ccache_when_present

# Quiet unless something goes wrong: the tables are the point.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

echo "building build/release/bin/tantalus ..." >&2
quietly cmake --preset release -DBUILD_TESTING=OFF -DTANTALUS_CUDA=OFF
quietly cmake --build --preset release --target tantalus

predict() {
  printf '\n$ tantalus predict %s\n' "$*"
  build/release/bin/tantalus predict "$@"
}

predict xeon-e5-2650-v3 lenet     # a CPU: two cores' worth of work, cache-resident
predict xeon-e5-2650-v3 alexnet   # the same CPU, bound by reading the fully connected weights
predict a100-80gb-pcie lenet      # a GPU part alone: kernels too small to fill it
predict a100-80gb-pcie alexnet
predict dgx-1-v100 lenet          # a whole system: the host that launches the kernels is the bottleneck
