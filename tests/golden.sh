#!/bin/sh
# usage: golden.sh KUBELINT TESTDATA [bless]
# Holds the reports about the incidents against testdata/golden; bless writes them anew.
set -u
kubelint=$(realpath "$1") testdata=$2 bless=${3:-}
golden=$testdata/golden
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset NO_COLOR CLICOLOR_FORCE FORCE_COLOR
failed=0 count=0

# check FOLDER NAME FORMAT ENDING
check() {
  (cd "$testdata/$1" && "$kubelint" check --root . --format "$3" --junit-passing none .) \
    >"$work/out" 2>"$work/err"
  status=$?
  [ "$3" != text ] || { cat "$work/err"; echo "exit status $status"; } >>"$work/out"
  if [ "$bless" = bless ]; then cp "$work/out" "$golden/$2.$4"; fi
  count=$((count + 1))
  diff -u "$golden/$2.$4" "$work/out" || { echo "golden.sh: $2.$4 differs"; failed=$((failed + 1)); }
}

for incident in pending-pods hpa-never-scales oom-singleton; do
  check "incidents/$incident" "$incident" text txt
  check "incidents/$incident" "$incident" json json
  check "incidents/$incident" "$incident" junit junit.xml
  check "incidents/$incident/fixed" "$incident-fixed" text txt
done
check hostile hostile text txt
# The locale of whoever runs it must not show.
export LC_ALL=C
check hostile hostile text txt

# The run that the README shows, between its first console block and the end of that.
picture() {
  awk '/^```console/ { inside = 1; next } inside && /^```/ { exit } inside && !/^\$/' "$1"
}
top=$(cd "$testdata/.." && pwd)
(cd "$top" && "$kubelint" check --min-level warning testdata/incidents/pending-pods) \
  >"$work/out" 2>/dev/null
if [ "$bless" = bless ]; then
  awk -v run="$work/out" '
    /^```console/ { print; inside = 1; next }
    inside && /^\$/ { print; while ((getline line < run) > 0) print line; next }
    inside && /^```/ { inside = 0 }
    !inside' "$top/README.md" >"$work/readme" && cp "$work/readme" "$top/README.md"
fi
picture "$top/README.md" >"$work/shown"
count=$((count + 1))
diff -u "$work/shown" "$work/out" || { echo "golden.sh: README.md differs"; failed=$((failed + 1)); }

echo "$count reports, $failed differ"
[ "$failed" = 0 ]
