#!/bin/sh
# usage: determinism.sh KUBELINT TESTDATA
# The same files give the same bytes in every format, whatever the number of threads and the order
# of the arguments.
set -u
kubelint=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$2/cases" || exit 2
failed=0 count=0

# run NAME FORMAT OPTION... : the report, what is said beside it and the exit status
run() {
  name=$1 format=$2
  shift 2
  "$kubelint" check --no-config --root . --format "$format" "$@" >"$work/$name" 2>"$work/err"
  status=$?
  { cat "$work/err"; echo "exit status $status"; } >>"$work/$name"
}

same() {
  count=$((count + 1))
  cmp -s "$work/first" "$work/next" && return
  echo "determinism.sh: $1"
  diff "$work/first" "$work/next" | head -n 5
  failed=$((failed + 1))
}

for format in text json sarif junit; do
  run first "$format" -j1 0*-incident-* 02*
  for jobs in 2 8; do
    run next "$format" -j"$jobs" 0*-incident-* 02*
    same "$format: -j1 and -j$jobs differ"
  done
  # shellcheck disable=SC2046  # names without blanks
  run next "$format" -j8 $(ls -dr 0*-incident-* 02*)
  same "$format: another order of arguments shows"
done
[ -s "$work/first" ] || failed=1

echo "$count comparisons, $failed differ"
[ "$failed" = 0 ]
