#!/usr/bin/env bash
# Counter for counter equal to valgrind's cachegrind: each program is run under cachegrind and under lackey, whose trace goes through
# `tantalus cache` with the same caches. Skipped (exit 77) where valgrind is not installed. Usage: cachegrind_test.sh TANTALUS.
set -euo pipefail
tantalus=$(realpath "$1")

command -v valgrind >/dev/null || { echo "valgrind is not installed: nothing is compared"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Input that is the same everywhere.
awk 'BEGIN { for (i = 0; i < 400; ++i) { x = (x * 7919 + 31) % 10007; print x, "word" x % 13, i } }' >input.txt

# Programs must run the same each time: sort, for one, sizes its buffer by the memory that is free at the moment, unless told.
programs=(
  "true"
  "echo one two three"
  "expr 12345 * 6789"
  "cat input.txt"
  "wc input.txt"
  "cut -d\  -f2 input.txt"
  "tr a-z A-Z"
  "sort --parallel=1 -S 1M -n input.txt"
  "sed -n s/word/x/p input.txt"
  "md5sum input.txt"
)
# Total bytes, ways and line length of the instruction cache, the data cache and the last level.
caches=(
  "32768,8,64 32768,8,64 8388608,16,64"
  "8192,2,32 4096,1,32 65536,4,32"
  "49152,12,64 16384,16,64 262144,8,64"
)

overrides() {  # overrides PATH BYTES,WAYS,LINE
  local bytes ways line
  IFS=, read -r bytes ways line <<<"$2"
  echo "--set $1.capacity=${bytes}B --set $1.ways=$ways --set $1.line=${line}B"
}

# Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw, as cachegrind's own file sums them up.
their_counts() { sed -n 's/^summary: //p' "$1"; }

# The same from our CSV, whose columns are level,capacity,ways,line,accesses,misses,loads,load_misses,stores,store_misses,
# instructions,instruction_misses.
our_counts() {
  awk -F, '
    $1 == "I1" { ir = $11; i1 = $12 }
    $1 == "D1" { dr = $7; d1r = $8; dw = $9; d1w = $10 }
    $1 == "LL" { il = $12; dlr = $8; dlw = $10 }
    END { print ir, i1, il, dr, d1r, dlr, dw, d1w, dlw }' "$1"
}

compared=0 different=0
export LC_ALL=C
for program in "${programs[@]}"; do
  eval "words=(${program//\*/\\*})"
  # Both runs must see the same memory: the same words, the same environment, and a log that is no file of the program's.
  valgrind --tool=lackey --trace-mem=yes --log-file=trace.lk "${words[@]}" <input.txt >/dev/null 2>&1 || true
  for shape in "${caches[@]}"; do
    read -r i1 d1 ll <<<"$shape"
    valgrind --tool=cachegrind --cache-sim=yes --I1="$i1" --D1="$d1" --LL="$ll" --log-file=cachegrind.log \
      --cachegrind-out-file=counts.out "${words[@]}" <input.txt >/dev/null 2>&1 || true
    # shellcheck disable=SC2046  # words
    "$tantalus" cache cachegrind --trace trace.lk --format csv \
      $(overrides instruction "$i1") $(overrides levels.0 "$d1") $(overrides levels.1 "$ll") >ours.csv
    theirs=$(their_counts counts.out) ours=$(our_counts ours.csv)
    compared=$((compared + 1))
    if [[ -n $theirs && $theirs == "$ours" ]]; then
      echo "equal: ${words[*]} ($i1 $d1 $ll): $ours"
    else
      different=$((different + 1))
      echo "DIFFERENT: ${words[*]} ($i1 $d1 $ll)"
      echo "  cachegrind: $theirs"
      echo "  tantalus:   $ours"
    fi
  done
done
echo "$compared comparisons of ${#programs[@]} programs, $different different"
[[ $different == 0 ]]
