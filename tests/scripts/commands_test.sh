#!/usr/bin/env bash
# Runs the commands that a page shows. Every ```sh block must say above itself what it is:
#   <!-- run -->            run by this test, in a copy of the specs, with `tantalus` in PATH; must succeed
#   <!-- run: exit 3 -->    the same, and its last command ends with that exit code
#   <!-- by hand: why -->   not run here (the set-up scripts, which CI runs by themselves)
# Usage: commands_test.sh SOURCE_DIR PAGE PROGRAM_DIR
set -euo pipefail
source_dir=$1
page=$2
program_dir=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/blocks" "$work/tree"

# One file a block, its first line the mark; the mark is the last line with text before the block.
awk -v folder="$work/blocks" -v page="$page" '
  /^```sh$/ {
    if (mark !~ /^<!-- (run|run: exit [0-9]+|by hand: .+) -->$/) {
      printf "%s:%d: this block does not say whether it is run (<!-- run --> or <!-- by hand: why -->)\n", page, NR
      bad = 1
    }
    inside = 1
    file = sprintf("%s/%04d", folder, NR)
    print mark > file
    next
  }
  /^```$/ && inside { inside = 0; close(file); mark = ""; next }
  inside { print > file; next }
  NF { mark = $0 }
  END { exit bad }
' "$source_dir/$page" >&2

# A reader stands at the root of a checkout and may edit the specs; so do the commands, in a copy.
mkdir "$work/tree/models"
cp -r "$source_dir/hw_configs" "$work/tree/"
for folder in networks datasets; do
  [[ ! -d $source_dir/models/$folder ]] || cp -r "$source_dir/models/$folder" "$work/tree/models/"
done

failed=0
for block in "$work"/blocks/*; do
  [[ -e $block ]] || break  # a page without blocks
  line=$(basename "$block" | sed 's/^0*//')
  mark=$(head -n 1 "$block")
  [[ $mark == *"by hand"* ]] && continue
  wanted=0
  [[ $mark =~ exit\ ([0-9]+) ]] && wanted=${BASH_REMATCH[1]}

  tail -n +2 "$block" >"$work/commands.sh"
  status=0
  (cd "$work/tree" && PATH="$program_dir:$PATH" bash -e "$work/commands.sh") >"$work/out" 2>&1 || status=$?
  if [[ $status == "$wanted" ]]; then
    echo "ok: $page:$line"
  else
    echo "FAILED: $page:$line exits with $status instead of $wanted"
    cat "$work/commands.sh" "$work/out"
    failed=1
  fi
done
exit $failed
