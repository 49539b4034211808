#!/usr/bin/env bash
# Everything that must hold, in one g++ build: installs what is missing, builds, runs every test through CTest.
# The same as `cmake --workflow --preset check` once the packages are there. Exit code 4: packages are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

ensure_packages "${packages_to_build[@]}" "${packages_to_test[@]}"
use_ccache_when_present

cmake --workflow --preset check
