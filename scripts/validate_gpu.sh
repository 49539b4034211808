#!/usr/bin/env bash
# On a machine with an NVIDIA GPU and CUDA 12 or later: builds, finds the device's file, measures every kernel, network and batch
# with the project's own CUDA kernels, lays the prediction beside, and stores validate/baselines/MACHINE.csv. About six minutes.
# Without a GPU it says so and exits with 4. Usage: scripts/validate_gpu.sh [SYSTEM]
#
# SYSTEM names a file of hw_configs/devices; without it the driver's name of the device chooses one.
# For the tests: TANTALUS_GPU_BUILD names a build folder to use as it is, TANTALUS_GPU_FLAGS goes to tantalus-gpu, TANTALUS_GPU_OUT
# is written instead of the baseline, TANTALUS_GPU_CASES replaces the cases (NETWORK:BATCH:MODE ...).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${TANTALUS_GPU_BUILD:-build/cuda}
if [[ -z ${TANTALUS_GPU_BUILD:-} ]]; then
  # shellcheck source=scripts/packages.sh
  source scripts/packages.sh
  use_ccache_when_present
  if ! cmake --preset cuda -DBUILD_TESTING=OFF >&2; then
    echo "error: CUDA 12 or later is missing (see above)" >&2
    exit 4
  fi
  cmake --build --preset cuda --target tantalus tantalus-gpu >&2
fi
tantalus=$build/bin/tantalus
read -r -a flags <<<"${TANTALUS_GPU_FLAGS:-}"
gpu() { "$build/bin/tantalus-gpu" "${flags[@]}" "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gpu facts >"$work/facts.csv" || exit $?
name=$(sed -n 's/^gpu,name,//p' "$work/facts.csv" | tr -d '"')

# The device file whose stem has the most words of the driver's name ("NVIDIA A100 80GB PCIe" is a100-80gb-pcie).
system_of() {
  local best="" most=0 file stem score word name=${1//-/ }
  for file in hw_configs/devices/*.yaml; do
    stem=$(basename "$file" .yaml)
    score=0
    for word in ${stem//-/ }; do
      if [[ " ${name,,} " == *" $word "* ]]; then score=$((score + 2)); else score=$((score - 1)); fi
    done
    if ((score > most)); then
      best=$stem
      most=$score
    fi
  done
  echo "$best"
}
system=${1:-$(system_of "$name")}
if [[ -z $system ]]; then
  echo "error: no file of hw_configs/devices has the name of '$name': name one, or copy the nearest and change it" >&2
  exit 3
fi
echo "device: $name; system: $system" >&2

cases=()
for mode in inference training; do
  for batch in 1 64 512; do cases+=("lenet:$batch:$mode"); done
  for network in alexnet alexnet-2012; do
    for batch in 1 16 128; do cases+=("$network:$batch:$mode"); done
  done
done
[[ -z ${TANTALUS_GPU_CASES:-} ]] || read -r -a cases <<<"$TANTALUS_GPU_CASES"

machine=$(tr -cs 'a-z0-9' '-' <<<"${name,,}" | sed 's/^-*//; s/-*$//')
out=${TANTALUS_GPU_OUT:-validate/baselines/$machine.csv}
mkdir -p "$(dirname "$out")"
{
  echo "# $name, predicted as $system by tantalus $("$tantalus" --version | head -1); $(date -u +%Y-%m-%d)"
  gpu probes
} >"$work/rows.csv"
for case in "${cases[@]}"; do
  IFS=: read -r network batch mode <<<"$case"
  echo "measuring $network, batch $batch, $mode" >&2
  "$tantalus" predict "$system" "$network" --batch "$batch" --mode "$mode" --stack tantalus-cuda --format json \
    >"$work/$network-$batch-$mode.json"
  gpu network "models/networks/$network.yaml" "$batch" "$mode" "$work/$network-$batch-$mode.json" | grep -v '^gpu,' \
    >>"$work/rows.csv"
done
scripts/gpu_table.py "$work/rows.csv" "$work"/*.json >"$out"
echo "stored $out" >&2
