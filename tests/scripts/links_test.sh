#!/usr/bin/env bash
# Every relative link of every page leads to something that exists. Usage: links_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"

broken=0
while IFS= read -r page; do
  while IFS= read -r target; do
    file=$(dirname "$page")/${target%%#*}
    if [[ ! -e $file ]]; then
      echo "$page: the link to $target leads nowhere"
      broken=1
    fi
  done < <(grep -oE '\]\([^)]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^(https?:|#|mailto:)')
done < <(find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort)
exit $broken
