#!/usr/bin/env bash
# scripts/validate_gpu.sh without a GPU: the CPU parts run on the emulator, whose times mean nothing; a build without CUDA says so
# and exits with 4. Usage: validate_gpu_test.sh SOURCE_DIR BUILD_DIR [cuda]
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"
export TANTALUS_GPU_BUILD=$build TANTALUS_GPU_OUT=$work/table.csv

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

status=0
scripts/validate_gpu.sh >"$work/out" 2>"$work/err" || status=$?
[[ ${3:-} == cuda && $status == 0 ]] && exit 0 # a GPU is here and was measured
[[ $status == 4 ]] || fail "without a GPU the exit code is $status, not 4"
[[ $(wc -l <"$work/err") == 1 ]] || fail "without a GPU it says more than one line"
[[ ! -e $work/table.csv ]] || fail "without a GPU a table was stored"
[[ ${3:-} == cuda ]] && exit 0 # a build with CUDA has no emulator

TANTALUS_GPU_FLAGS=--emulate TANTALUS_GPU_CASES="lenet:2:inference lenet:1:training" scripts/validate_gpu.sh a100-80gb-pcie 2>/dev/null
table=$work/table.csv
grep -q '^# EMULATED' "$table" || fail "the table does not say that its times mean nothing"
[[ $(grep -c '^layer,lenet,2,inference' "$table") == 12 ]] || fail "not every layer of the forward pass is there"
[[ $(grep -c '^layer,lenet,1,training' "$table") == 38 ]] || fail "not every step of the training step is there"
[[ $(grep -c '^step,lenet,' "$table") == 6 ]] || fail "not every way to launch is there"
if grep -E '^(layer|step),' "$table" | awk -F, '$13 == "" { bad = 1 } END { exit !bad }'; then
  fail "a row has no prediction"
fi

# A made-up device whose layer is as fast as predicted, and one that beats the multiply-add probe.
cat >"$work/rows.csv" <<'ROWS'
probe,fma_peak,100,99,101,30,0,1e9
layer,models/networks/tiny.yaml,1,inference,conv,forward,50,49,51,30,1000,1e6
layer,models/networks/tiny.yaml,1,inference,fc,forward,1,1,1,30,1000,1e9
ROWS
cat >"$work/tiny.json" <<'JSON'
{"network": "tiny", "batch": 1, "mode": "inference", "totals": {"time_ns": 60000, "time_low_ns": 50000, "time_high_ns": 70000},
 "layers": [{"name": "conv", "pass": "forward", "time_ns": 55000, "time_low_ns": 40000, "time_high_ns": 80000},
            {"name": "fc", "pass": "forward", "time_ns": 5000, "time_low_ns": 4000, "time_high_ns": 8000}]}
JSON
scripts/gpu_table.py "$work/rows.csv" "$work/tiny.json" >"$work/tiny.csv"
grep -q '^layer,tiny,1,inference,conv,forward,50,.*,55,0.1000,40,80,$' "$work/tiny.csv" || fail "the error of a row is wrong"
grep -q 'faster than the FMA probe$' "$work/tiny.csv" || fail "a layer that beats the probe is not flagged"
grep -q '^# layers of 20 us and more: 1 rows, MAPE 10.0 %' "$work/tiny.csv" || fail "the summary is wrong"
echo "validate_gpu.sh: as it should be"
