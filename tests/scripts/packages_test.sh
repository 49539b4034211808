#!/usr/bin/env bash
# The set-up of scripts/packages.sh on machines that we do not have: fakes of dpkg-query, apt-get, id and sudo stand
# alone in PATH, so each case below is one machine. Usage: packages_test.sh SOURCE_DIR
set -uo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A machine: what is installed, who we are, and how apt-get and sudo behave. Everything else is absent.
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
new_machine() {  # new_machine USER_ID INSTALLED...
  rm -rf "${work:?}/bin" "$work/installed" "$work/apt-calls"
  mkdir -p "$work/bin"
  touch "$work/apt-calls"
  local user=$1 tool
  shift
  printf '%s\n' "$@" >"$work/installed"
  for tool in bash env cat dirname grep true; do ln -s "$(type -P $tool)" "$work/bin/$tool"; done
  fake id "echo $user"
  fake dpkg-query "grep -qxF -- \"\${@: -1}\" $work/installed && echo -n 'install ok installed'"
}
with_working_apt() {
  fake apt-get "echo \"\$*\" >>$work/apt-calls
    [[ \$1 == install ]] || exit 0
    for word in \"\$@\"; do [[ \$word == install || \$word == -* ]] || echo \"\$word\" >>$work/installed; done"
}
with_unreachable_apt() { fake apt-get "echo \"\$*\" >>$work/apt-calls; exit 100"; }
with_sudo() { fake sudo '[[ $1 == -n ]] && shift; exec "$@"'; }
with_sudo_that_asks() { fake sudo 'exit 1'; }

run() {  # run COMMAND: in a shell whose whole world is the machine
  output=$(PATH="$work/bin" bash -c "source '$source_dir/scripts/packages.sh'; $1" 2>&1)
  status=$?
}

failures=0
expect() {  # expect SENTENCE CONDITION...
  local sentence=$1
  shift
  if "$@"; then
    echo "ok: $sentence"
  else
    echo "FAILED: $sentence (exit $status, said: $output)"
    failures=$((failures + 1))
  fi
}
exits_with() { [[ $status == "$1" ]]; }
says() { [[ $output == *"$1"* ]]; }
apt_calls_are() { [[ $(wc -l <"$work/apt-calls") == "$1" ]]; }
does_not_say() { ! says "$1"; }

new_machine 0 alpha-dev beta-dev
with_working_apt
run "ensure_packages alpha-dev beta-dev"
expect "a complete machine needs nothing" exits_with 0
expect "a complete machine does not ask apt" apt_calls_are 0

new_machine 0 alpha-dev
with_working_apt
run "ensure_packages alpha-dev beta-dev gamma-dev"
expect "root gets the missing packages installed" exits_with 0
expect "only the missing ones are installed" grep -qE "^install .* beta-dev gamma-dev$" "$work/apt-calls"

new_machine 0 alpha-dev
with_unreachable_apt
run "ensure_packages alpha-dev beta-dev"
expect "without a network the exit code is 4" exits_with 4
expect "without a network the missing package is named" says "missing: beta-dev"
expect "packages that are there are not named" does_not_say "alpha-dev"

new_machine 1000
with_working_apt
run "ensure_packages alpha-dev beta-dev"
expect "without root and sudo the exit code is 4" exits_with 4
expect "without root every missing package is named" says "missing: alpha-dev beta-dev"
expect "without root apt is left alone" apt_calls_are 0

new_machine 1000
with_working_apt
with_sudo_that_asks
run "ensure_packages alpha-dev"
expect "a sudo that asks for a password is not used" exits_with 4

new_machine 1000
with_working_apt
with_sudo
run "ensure_packages alpha-dev"
expect "a sudo without a password installs" exits_with 0

new_machine 0
run "ensure_packages alpha-dev"
expect "a machine without apt-get says so and exits with 4" exits_with 4
expect "a machine without apt-get is told why" says "no apt-get"

new_machine 0
fake g++ "exit 0"
fake ninja "exit 0"
run 'ensure_packages g++ ninja-build'
expect "a compiler that Debian did not install counts as there" exits_with 0

for script in demo test; do
  new_machine 1000
  output=$(PATH="$work/bin" bash "$source_dir/scripts/$script.sh" 2>&1)
  status=$?
  expect "scripts/$script.sh on a bare machine without root exits with 4" exits_with 4
  expect "scripts/$script.sh names the libraries that it misses" says "libyaml-cpp-dev nlohmann-json3-dev"
done

exit $((failures > 0))
