#!/usr/bin/env bash
# Builds the fuzz targets and runs them for a time that they share: scripts/fuzz.sh [SECONDS], one minute by default.
# Seeds are the specs of this repository and every bad file of the tests; a find is left in build/fuzz/finds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_targets

shopt -s nullglob
targets=(build/fuzz/bin/*_fuzz)
[[ ${#targets[@]} -gt 0 ]] || { echo "error: no fuzz target was built" >&2; exit 1; }

mkdir -p build/fuzz/finds build/fuzz/seeds
while IFS= read -r file; do  # named by their paths: a network and a system may share a name
  cp "$file" "build/fuzz/seeds/${file//\//_}"
done < <(find hw_configs models tests/data -name '*.yaml' -size -64k)

each=$(((seconds + ${#targets[@]} - 1) / ${#targets[@]}))
for target in "${targets[@]}"; do
  name=$(basename "$target")
  corpus=build/fuzz/corpus/$name
  log=build/fuzz/$name.log
  mkdir -p "$corpus"
  if ! "$target" "$corpus" build/fuzz/seeds -max_total_time="$each" -timeout=10 -max_len=65536 \
    -rss_limit_mb=2048 -artifact_prefix="build/fuzz/finds/$name-" >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "error: $name broke a law; the input is in build/fuzz/finds. Fix it, then keep the input in tests/fuzz/finds" >&2
    exit 1
  fi
  echo "$name: $(grep '^Done' "$log")"
done
