#!/bin/sh
# usage: golden.sh KUBELINT TESTDATA [bless]
# Holds the reports about the incidents against testdata/golden; bless writes them anew.
set -u
kubelint=$(realpath "$1") testdata=$2 bless=${3:-}
golden=$testdata/golden
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset COLUMNS NO_COLOR CLICOLOR_FORCE FORCE_COLOR
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

# answer INCIDENT NAME WORDS...: what another command says of it.
answer() {
  folder=$testdata/incidents/$1 name=$2
  shift 2
  (cd "$folder" && "$kubelint" "$@" --root . .) >"$work/out" 2>"$work/err"
  echo "exit status $?" >>"$work/out"
  if [ "$bless" = bless ]; then cp "$work/out" "$golden/$name.txt"; fi
  count=$((count + 1))
  diff -u "$golden/$name.txt" "$work/out" || { echo "golden.sh: $name differs"; failed=$((failed + 1)); }
}

for incident in pending-pods hpa-never-scales oom-singleton; do
  check "incidents/$incident" "$incident" text txt
  check "incidents/$incident" "$incident" json json
  check "incidents/$incident" "$incident" junit junit.xml
  check "incidents/$incident/fixed" "$incident-fixed" text txt
done
for format in text markdown json csv; do
  answer pending-pods "pending-pods-fit-$format" fit --format $format
  answer pending-pods "pending-pods-capacity-$format" capacity --format $format
done
for workload in console embed-index infer-api infer-batch; do
  answer pending-pods "pending-pods-why-$workload" why "ml-prod/$workload"
done
answer pending-pods pending-pods-why-group why Deployment/ml-prod/infer-batch --group gpu-pool
answer pending-pods/fixed pending-pods-fixed-why why infer-batch
answer pending-pods/fixed pending-pods-fixed-capacity capacity
answer hpa-never-scales hpa-never-scales-why why answer-api
answer oom-singleton oom-singleton-why why job-launcher
export COLUMNS=50
answer pending-pods pending-pods-fit-narrow fit
answer pending-pods pending-pods-capacity-narrow capacity
unset COLUMNS
check hostile hostile text txt
# The locale of whoever runs it must not show.
export LC_ALL=C
check hostile hostile text txt

# The run that the README shows in its console block of that number.
picture() {
  awk -v number="$2" '/^```console/ { inside = ++n == number; next }
    inside && /^```/ { exit } inside && !/^\$/' "$1"
}
top=$(cd "$testdata/.." && pwd)
(cd "$top" && "$kubelint" check --min-level warning testdata/incidents/pending-pods) \
  >"$work/out" 2>/dev/null
if [ "$bless" = bless ]; then
  awk -v run="$work/out" '
    /^```console/ { print; inside = ++n == 1; next }
    inside && /^\$/ { print; while ((getline line < run) > 0) print line; next }
    inside && /^```/ { inside = 0 }
    !inside' "$top/README.md" >"$work/readme" && cp "$work/readme" "$top/README.md"
fi
picture "$top/README.md" 1 >"$work/shown"
count=$((count + 1))
diff -u "$work/shown" "$work/out" || { echo "golden.sh: README.md differs"; failed=$((failed + 1)); }

picture "$top/README.md" 2 >"$work/shown"
grep -v '^exit status' "$golden/pending-pods-why-embed-index.txt" >"$work/out"
count=$((count + 1))
diff -u "$work/shown" "$work/out" || { echo "golden.sh: README.md differs"; failed=$((failed + 1)); }

echo "$count reports, $failed differ"
[ "$failed" = 0 ]
