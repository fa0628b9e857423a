#!/bin/sh
# usage: validate.sh KUBELINT TESTDATA
# Has the validators of testdata/validate read what kubelint writes about the incidents and about
# files with odd names and bytes. Exits 77 (skipped) where a validator is not installed.
set -u
kubelint=$(realpath "$1") testdata=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

for tool in python3 xmllint check-jsonschema; do
  command -v "$tool" >/dev/null 2>&1 || {
    echo "SKIPPED: $tool is not installed, so the reports were not validated"
    exit 77
  }
done

failed=0 count=0
for folder in incidents/pending-pods incidents/pending-pods/fixed incidents/hpa-never-scales \
  incidents/oom-singleton hostile validate/linehash; do
  root=$testdata/$folder
  rm -f "$work"/*
  (cd "$root" && "$kubelint" check -qq --allow-empty --root . -o "$work/out.sarif" \
    -o "$work/out.junit.xml" -o "$work/out.json" .)
  [ $? -le 1 ] || { echo "validate.sh: $folder: kubelint failed"; failed=$((failed + 1)); }
  bash "$testdata/validate/validate-outputs.sh" --root "$root" "$work/out.sarif" \
    "$work/out.junit.xml" "$work/out.json" >"$work/log" 2>&1 || {
    echo "validate.sh: $folder"
    grep -v '^ok' "$work/log"
    failed=$((failed + 1))
  }
  for command in fit capacity; do
    (cd "$root" && "$kubelint" $command --allow-empty --root . --format json . \
      >"$work/$command.json" 2>"$work/err") || cat "$work/err"
    bash "$testdata/validate/validate-outputs.sh" --root "$root" --as json "$work/$command.json" \
      >"$work/log" 2>&1 || {
      echo "validate.sh: $folder: $command"
      grep -v '^ok' "$work/log"
      failed=$((failed + 1))
    }
  done
  count=$((count + 5))
done
echo "$count reports validated, $failed folders failed"
[ "$failed" = 0 ]
