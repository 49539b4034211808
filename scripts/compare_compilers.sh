#!/usr/bin/env bash
# Two builds of the same program must print the same bytes: runs a list of commands with both and compares them.
# Usage: scripts/compare_compilers.sh [FIRST [SECOND]]; by default the g++ and the clang++ release builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

first=${1:-build/release/bin/tantalus}
second=${2:-build/clang/bin/tantalus}
for program in "$first" "$second"; do
  [[ -x $program ]] || { echo "error: $program is not there; build it first" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/ops.csv" <<'CSV'
op,dtype,batch,m,n,k,in_ch,in_h,in_w,out_ch,kernel_h,kernel_w,stride,pad,groups,rows,cols,inputs,trans_a,trans_b,timing,algorithm,bias,pass
gemm,fp32,1,1024,1024,1024,,,,,,,,,,,,,0,0,queued,,,
gemm,fp16,1,4096,11008,4096,,,,,,,,,,,,,0,1,queued,,,
gemm,fp32,8,1,1000,4096,,,,,,,,,,,,,0,1,single_call,,1,
conv2d,fp32,1,,,,3,224,224,64,11,11,4,2,1,,,,,,queued,auto,1,
conv2d,fp32,64,,,,64,56,56,64,3,3,1,1,1,,,,,,queued,auto,0,
conv2d,fp32,32,,,,64,27,27,192,5,5,1,2,1,,,,,,queued,auto,0,weight_gradient
relu,fp32,,,,,,,,,,,,,,4096,4096,1,,,queued,,,
add,fp16,,,,,,,,,,,,,,4096,1024,2,,,queued,,,
softmax,fp32,,,,,,,,,,,,,,128,1000,1,,,queued,,,
layernorm,fp32,,,,,,,,,,,,,,1024,768,1,,,queued,,,
maxpool,fp32,32,,,,64,55,55,64,3,3,2,0,1,,,,,,queued,,,
CSV

# One command a line; each must succeed with both programs.
commands() {
  local network convention system mode
  for network in models/networks/*.yaml; do
    for convention in macs flops lecture; do
      echo "profile $network --convention $convention --format json"
    done
    echo "profile $network --mode training --batch 16 --format csv"
  done
  for system in xeon-e5-2650-v3 epyc-9654 a100-80gb-pcie h100-sxm5 gtx1080 t4 mi210 dgx-1-v100 laptop-cpu; do
    for network in lenet alexnet resnet50; do
      for mode in inference training; do
        echo "predict $system $network --batch 32 --mode $mode --format json"
      done
    done
    echo "predict $system alexnet --format table"
    echo "ops $system $work/ops.csv"
  done
}

count=0
while read -r -a arguments; do
  for which in first second; do
    program=${!which}
    status=0
    "$program" "${arguments[@]}" >"$work/$which.out" 2>"$work/$which.err" </dev/null || status=$?
    if [[ $status -gt 1 ]]; then  # 0 is done; 1 is done and the answer is no
      echo "error: $program ${arguments[*]} exits with $status" >&2
      cat "$work/$which.err" >&2
      exit 1
    fi
    echo "exit code $status" >>"$work/$which.out"
  done
  if ! cmp "$work/first.out" "$work/second.out" >&2; then
    echo "error: the compilers differ: tantalus ${arguments[*]}" >&2
    diff "$work/first.out" "$work/second.out" | head -n 20 >&2
    exit 1
  fi
  count=$((count + 1))
done < <(commands)
echo "$count commands print the same bytes from $first and $second"
