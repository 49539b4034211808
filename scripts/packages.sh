# The one list of Debian packages, and the one function that installs what is missing. Sourced by demo.sh, test.sh and
# .ci/run; it changes nothing when everything is there, and without root or network it says what is missing, by name.
# shellcheck shell=bash disable=SC2034  # the lists are for those who source this file

packages_to_build=(
  g++ cmake ninja-build
  libboost-graph-dev libboost-program-options-dev libyaml-cpp-dev nlohmann-json3-dev
)
packages_to_test=(git doctest-dev librapidcheck-dev)
packages_for_ci=(clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev ccache)
packages_optional=(
  libsystemc-dev libsimgrid-dev               # the benchmark compares itself with these when they are installed
  valgrind                                    # the cache simulator is compared with its cachegrind, counter for counter
  libopenblas-dev libdnnl-dev libhwloc-dev    # what `detect` and `validate --device` run on this machine
)

exit_packages_missing=4  # as in `tantalus` itself: what was asked for is not on this machine

# The program that may stand in for a package which Debian did not install (a newer CMake, say); empty for libraries.
program_of() {
  case "$1" in
    ninja-build) echo ninja ;;
    clang-14) echo clang++-14 ;;
    g++ | cmake | git | ccache | clang-tidy-14 | clang-format-14) echo "$1" ;;
    *) echo "" ;;
  esac
}

is_installed() {
  local status program
  status=$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) || status=""
  [[ $status == "install ok installed" ]] && return 0
  program=$(program_of "$1")
  [[ -n $program ]] && command -v "$program" >/dev/null 2>&1
}

# Prints those of its arguments that are not installed.
missing_packages() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  echo "${missing[*]}"
}

# The words that make apt-get run as root, or a failure when nothing would.
root_prefix() {
  if [[ $(id -u) == 0 ]]; then
    echo "env"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
    echo "sudo env"
  else
    return 1
  fi
}

say_missing() {  # say_missing REASON NAMES
  {
    echo "error: Debian packages are missing and $1."
    echo "missing: $2"
    echo "hint: as root, run: apt-get install $2"
  } >&2
}

# ensure_packages NAME...: installs what is missing; asks apt for nothing when nothing is.
ensure_packages() {
  local missing prefix
  missing=$(missing_packages "$@")
  [[ -z $missing ]] && return 0

  if ! command -v apt-get >/dev/null 2>&1; then
    say_missing "this machine has no apt-get to install them with" "$missing"
    return $exit_packages_missing
  fi
  if ! prefix=$(root_prefix); then
    say_missing "installing them needs root, or sudo without a password" "$missing"
    return $exit_packages_missing
  fi

  echo "installing $missing" >&2
  # The lists of a fresh machine are empty and those of an old one out of date; an unreachable server fails below.
  # shellcheck disable=SC2086  # both are lists of plain words
  {
    $prefix apt-get update -qq || true
    $prefix DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing || true
  } >&2

  missing=$(missing_packages "$@")
  [[ -z $missing ]] && return 0
  say_missing "apt-get could not install them (see its messages above; is there a network?)" "$missing"
  return $exit_packages_missing
}

# A second build of the same sources is nearly free where ccache is installed.
use_ccache_when_present() {
  if command -v ccache >/dev/null 2>&1; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
}
