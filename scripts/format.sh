#!/usr/bin/env bash
# clang-format 14 over every C++ and CUDA file that git knows. `--check` changes nothing and fails when a file differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "error: clang-format is missing (Debian package clang-format-14)" >&2
  exit 4
}
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run -Werror)

git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 -r "$format" --style=file "${mode[@]}"
