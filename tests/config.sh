#!/bin/sh
# usage: config.sh KUBELINT TESTDATA
# Holds the JSON Schema of .kubelint.yaml against files that must pass it and one that must not.
# Exits 77 (skipped) where the validator is not installed.
set -u
kubelint=$(realpath "$1") testdata=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

command -v check-jsonschema >/dev/null 2>&1 || {
  echo "SKIPPED: check-jsonschema is not installed, so the schema was not tried"
  exit 77
}
"$kubelint" config --schema >"$work/schema.json" || exit 1
check-jsonschema --check-metaschema "$work/schema.json" || exit 1
check-jsonschema --schemafile "$work/schema.json" "$testdata/config/complete.yaml" \
  "$testdata/config/samples.yaml" || exit 1
printf 'thresholds: {hedroom: 85%%}\n' >"$work/bad.yaml"
if check-jsonschema --schemafile "$work/schema.json" "$work/bad.yaml" >/dev/null 2>&1; then
  echo "config.sh: the schema takes a key that does not exist"
  exit 1
fi
