#!/usr/bin/env bash
# clang-tidy over the C++ of our rooms, as many files at a time as there are cores. With arguments: only those files.
# The checks are listed in .clang-tidy; every finding is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || {
  echo "error: clang-tidy is missing (Debian package clang-tidy-14)" >&2
  exit 4
}
cmake --preset tidy >/dev/null

if [[ $# -gt 0 ]]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files 'sim/*.cpp' 'models/*.cpp' 'validate/*.cpp' 'kernels/*.cpp')
fi

# Only what this machine compiles has a compile command (the ONNX import and validate are optional).
compiled=()
for file in "${files[@]}"; do
  if grep -qF "\"file\": \"$PWD/$file\"" build/tidy/compile_commands.json; then
    compiled+=("$file")
  else
    echo "not compiled here, so not checked: $file" >&2
  fi
done
[[ ${#compiled[@]} -gt 0 ]] || { echo "error: no file to check" >&2; exit 1; }

printf '%s\0' "${compiled[@]}" |
  xargs -0 -P "$(nproc)" -n 1 "$tidy" --quiet -p build/tidy
echo "clang-tidy: ${#compiled[@]} files clean"
