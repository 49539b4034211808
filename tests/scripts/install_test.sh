#!/usr/bin/env bash
# An installed tantalus must find its specs beside itself, from any folder. A network that exists only in the installed
# tree proves that it does not read the source tree. Usage: install_test.sh BUILD_DIR
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$1" --prefix "$prefix" >/dev/null
cp "$prefix/share/tantalus/models/networks/lenet.yaml" "$prefix/share/tantalus/models/networks/only-here.yaml"

cd /
"$prefix/bin/tantalus" profile only-here --format json >"$prefix/profile.json"
grep -q '"parameters": *41282' "$prefix/profile.json"
"$prefix/bin/tantalus" predict a100-80gb-pcie only-here >/dev/null
[[ ! -e $prefix/share/tantalus/models/dnn ]]
echo "installed and found its specs"
