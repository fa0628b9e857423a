#!/bin/sh
# usage: apps.sh KUBELINT TESTDATA [bless]
# Holds what is found in each repository of testdata/apps against testdata/golden/apps.txt; bless
# writes it anew. Errors and warnings are allowed only in the repositories called fault-*.
set -u
kubelint=$(realpath "$1") testdata=$2 bless=${3:-}
golden=$testdata/golden/apps.txt
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset COLUMNS NO_COLOR CLICOLOR_FORCE FORCE_COLOR
export LC_ALL=C
failed=0 count=0

for folder in "$testdata"/apps/*/; do
  app=$(basename "$folder")
  count=$((count + 1))
  (cd "$folder" && "$kubelint" check --root . .) >"$work/run" 2>"$work/err"
  [ $? -le 1 ] || { echo "apps.sh: $app: kubelint failed"; cat "$work/err"; failed=$((failed + 1)); }
  sed -nE "s/^([^ ].*:[0-9]+):[0-9]+ +(error|warning|note) +(KL[0-9]+) .*/$app \1 \3 \2/p" \
    "$work/run" >>"$work/out"
done
[ "$bless" != bless ] || cp "$work/out" "$golden"

# A repository that is right must stay without a false alarm, whatever is blessed.
if grep -v '^fault-' "$work/out" | grep -E ' (error|warning)$'; then
  echo "apps.sh: false alarms"
  failed=$((failed + 1))
fi
diff -u "$golden" "$work/out" || { echo "apps.sh: apps.txt differs"; failed=$((failed + 1)); }
echo "$count repositories, $failed failures"
[ "$failed" = 0 ]
