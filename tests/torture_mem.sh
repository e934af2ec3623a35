#!/bin/sh
# torture_mem.sh [LIMITS]: each command of -b under LIMITS (40) limits of --mem,
# from one that nothing fits in to one that has room for all. It never crashes;
# what it prints is all, or standard error says what is left out and why.
# HEAPTOP_CORE names a core to be read, too.
set -u
limits=${1:-40}
heaptop=${HEAPTOP:-build/heaptop}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 runs=0 whole=0

judge() { # judge CODE
	[ "$1" -le 6 ] || echo "exit code $1"
	! grep -aqs '(null)' "$folder/out" "$folder/err" || echo "(null)"
	cmp -s "$folder/good" "$folder/out" && [ "$1" -eq "$good" ] ||
		[ -s "$folder/err" ] || echo "less, without a sentence (exit code $1)"
}

sweep() { # sweep MOST_KIB ARGUMENTS…
	most=$1
	shift
	"$heaptop" --no-rc "$@" >"$folder/good" 2>/dev/null </dev/null
	good=$?
	i=1
	wrong=
	while [ $i -le "$limits" ] && [ -z "$wrong" ]; do
		timeout 60 "$heaptop" --no-rc --mem $((most * i / limits + 100))k "$@" \
			>"$folder/out" 2>"$folder/err" </dev/null
		code=$?
		runs=$((runs + 1))
		[ $code -ne $good ] || ! cmp -s "$folder/good" "$folder/out" || whole=$((whole + 1))
		wrong=$(judge $code)
		[ -z "$wrong" ] || echo "heaptop --mem $((most * i / limits + 100))k $*: $wrong"
		i=$((i + 1))
	done
	if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

"$heaptop" --no-rc -o "$folder/in.heaptop" tests/data/leaky-10.gcdump 2>/dev/null
for file in tests/data/leaky-10.gcdump "$folder/in.heaptop" ${HEAPTOP_CORE:-}; do
	address=$("$heaptop" --no-rc -b objects -f 'type ~ /Session$/' -n 1 --csv "$file" | sed -n '2s/,.*//p')
	for command in types objects dominators treemap groups histogram roots findings summary \
		"paths $address" "path $address" "tree $address" "merged Leaky.Session" "ways Leaky.Session" \
		"inspect $address" "references $address" "referrers $address" "objsize $address" \
		"dumpobj $address" "near $address" "fields $address" "hex $address" ignored; do
		sweep 4000 -b "$command" -n 50 "$file"
	done
	[ "$file" != "${HEAPTOP_CORE:-}" ] || for command in threads modules handles finalizers segments \
		heaps free heapmap verify locks "method-table Leaky.Session" statics async timers strings "find 42"; do
		sweep 40000 -b "$command" -n 50 "$file"
	done
done
sweep 4000 -b diff tests/data/leaky-10.gcdump "$folder/in.heaptop"
sweep 4000 check --max Leaky.Session=9000 tests/data/leaky-10.gcdump
echo "$runs runs, $whole of them with all of the output"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
