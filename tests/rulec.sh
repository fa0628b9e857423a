#!/bin/sh
# What rulec takes and what it refuses. Each row changes one thing of a good rule file with sed;
# rulec must end with status 1 and a message that holds the words.
#
# usage: rulec.sh RULEC
set -eu
rulec=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=KL101-sample-rule.yaml
failed=0

cat > "$work/good.yaml" <<'END'
id: KL101
name: sample-rule
family: placement
level: error
appliesTo: [workload]
precision: high
edits: unsafe
summary: A sentence.
why: |
  Because "it" is so; what??/ else.
fix: |
  Mend it.
references:
  - https://example.com/
bad:
  - |
    a: 1 # KL101 error
good:
  - |
    a: 2
END

run() {
	mkdir -p "$work/out"
	"$rulec" "$work/rules" "$work/out" "$work/out/d" table 2> "$work/err"
}

try() { # words, sed script
	rm -rf "$work/rules" "$work/out"
	mkdir "$work/rules"
	sed "$2" "$work/good.yaml" > "$work/rules/$file"
	if run; then
		echo "taken, though: $2"
		failed=1
	elif ! grep -q -e "$1" "$work/err"; then
		echo "for $2, not \"$1\" but:"
		cat "$work/err"
		failed=1
	fi
}

try 'KL and three digits' 's/^id: .*/id: KL1/'
try 'not called' 's/^id: .*/id: KL102/'
try 'not called' 's/^name: .*/name: other-rule/'
try 'lower-case' 's/^name: .*/name: Sample-rule/'
try 'Invalid value' 's/^level: .*/level: errror/'
try 'Invalid value' 's/^precision: .*/precision: perfect/'
try 'Invalid value' 's/^edits: .*/edits: maybe/'
try 'first digit' 's/^family: .*/family: scaling/'
try 'Invalid value' 's/^family: .*/family: unknown/'
try 'one sentence' 's/^summary: .*/summary: no full stop/'
try 'https://' 's,^  - https.*,  - http://example.com/,'
try 'marks no line' 's/ # KL101 error//'
try 'marks a line' 's/a: 2/a: 2 # KL101/'
try 'key' 's/^fix: |/fixes: |/'
try 'Missing' '/^summary:/d'
try 'entries' 's/^appliesTo: .*/appliesTo: []/'

# Two files with one name, and none at all.
rm -rf "$work/rules" && mkdir "$work/rules"
cp "$work/good.yaml" "$work/rules/$file"
sed 's/KL101/KL102/' "$work/good.yaml" > "$work/rules/KL102-sample-rule.yaml"
if run || ! grep -q "another rule's" "$work/err"; then
	echo "one name for two rules"
	failed=1
fi
rm "$work/rules/"*
if run || ! grep -q 'no rule files' "$work/err"; then
	echo "a folder without rules"
	failed=1
fi

# The good one gives a table, prototypes, a page and a depfile that names the folder; a page of a
# rule that is gone goes.
cp "$work/good.yaml" "$work/rules/$file"
mkdir -p "$work/out/pages"
touch "$work/out/pages/KL999.md"
run
grep -q '^void kl101_sample_rule(const struct judge \*judge);$' "$work/out/rules-generated.h"
grep -q 'LEVEL_ERROR, .precision = "high", .fixable = true' "$work/out/rules-table.c"
grep -q 'Because \\"it\\" is so; what\\?\\?/ else' "$work/out/rules-table.c"
grep -q '^# KL101 sample-rule$' "$work/out/pages/KL101.md"
grep -q 'KL101.md' "$work/out/pages/README.md"
grep -q "rules \\\\" "$work/out/d"
grep -q "$file" "$work/out/d"
test ! -e "$work/out/pages/KL999.md"
exit $failed
