#!/bin/sh
# torture_allocations.sh [RUNS]: each command of -b, and conversions, on each
# kind of file, with one request for memory refused at a time. The output is
# the same, or it fails with exit code 6 and a sentence; it never crashes and
# never prints "(null)". RUNS: at most so many requests of each command, evenly
# spread; without it every request. HEAPTOP_CORE names a core to be read, too.
set -u
runs_max=${1:-1000000}
heaptop=${HEAPTOP:-build/heaptop}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 runs=0 as_good=0

if ! ${CC:-cc} -shared -fPIC -O2 -o "$folder/refuse.so" tests/preload/refuse_memory.c \
	2>"$folder/why" || ! LD_PRELOAD=$folder/refuse.so "$heaptop" --version >/dev/null 2>&1; then
	echo "skipped: memory cannot be refused here: $(head -n 1 "$folder/why")"
	echo "0 passed, 0 failed"
	exit 0
fi

# What is wrong with one run; nothing: all is well.
judge() { # judge CODE
	[ "$1" -le 6 ] || echo "exit code $1"
	! grep -aqs '(null)' "$folder/out" "$folder/err" || echo "(null)"
	if [ "$1" -eq "$good" ]; then
		cmp -s "$folder/good" "$folder/out" || echo "other output"
	else
		[ "$1" -eq 6 ] || echo "exit code $1"
		[ -s "$folder/err" ] || echo "no sentence"
	fi
}

# Runs the command once for each request.
sweep() { # sweep ARGUMENTS…
	rm -f "$folder/kept"
	REFUSE_COUNT=$folder/count LD_PRELOAD=$folder/refuse.so \
		"$heaptop" --no-rc "$@" >"$folder/good" 2>/dev/null </dev/null
	good=$?
	count=$(cat "$folder/count")
	step=$((count / runs_max + 1))
	at=1
	wrong=
	while [ "$at" -le "$count" ] && [ -z "$wrong" ]; do
		rm -f "$folder/kept"
		REFUSE_AT=$at LD_PRELOAD=$folder/refuse.so timeout 60 \
			"$heaptop" --no-rc "$@" >"$folder/out" 2>"$folder/err" </dev/null
		code=$?
		runs=$((runs + 1))
		[ $code -ne $good ] || as_good=$((as_good + 1))
		wrong=$(judge $code)
		[ -z "$wrong" ] || echo "heaptop $*, request $at of $count: $wrong: $(tail -n 1 "$folder/err")"
		at=$((at + step))
	done
	if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

gcdump=tests/data/leaky-10.gcdump
address=$("$heaptop" --no-rc -b objects -f 'type ~ /Session$/' -n 1 --csv $gcdump | sed -n '2s/,.*//p')
for command in types objects dominators treemap groups histogram roots findings summary memory \
	"paths $address" "path $address" "tree $address" "merged Leaky.Session" "ways Leaky.Session" \
	"inspect $address" "references $address" "referrers $address" "objsize $address"; do
	sweep -b "$command" -n 50 $gcdump
done
sweep -b types --json -n 50 $gcdump
sweep -b objects -f 'size > 1K and retained > 2K' --csv $gcdump
sweep -b objects -x totals $gcdump
sweep check --max Leaky.Session=0 --where 'count > 1000' $gcdump
for format in heaptop gcdump gclog; do
	sweep --force --format $format -o "$folder/kept" $gcdump
	"$heaptop" --no-rc --force --format $format -o "$folder/in.$format" $gcdump 2>/dev/null
	sweep -b types "$folder/in.$format"
	sweep -b roots "$folder/in.$format"
done
sweep -b diff $gcdump "$folder/in.heaptop"
sweep -b types tests/data/leaky-10.nettrace.zst
sweep -g -b gcs tests/data/gcs-10.nettrace.zst
sweep -g tests/data/gcs-10.nettrace.zst
if [ -n "${HEAPTOP_CORE:-}" ]; then
	address=$("$heaptop" --no-rc -b objects -f 'type ~ /Session$/' -n 1 --csv "$HEAPTOP_CORE" | sed -n '2s/,.*//p')
	for command in types threads modules handles finalizers segments heaps free heapmap verify \
		"near $address" locks "method-table Leaky.Session" "methods Leaky.Session" statics \
		async timers strings "find 42" "inspect $address" "fields $address" "hex $address"; do
		sweep -b "$command" -n 50 "$HEAPTOP_CORE"
	done
	sweep --probe "$HEAPTOP_CORE"
fi
echo "$runs runs, $as_good of them as without a refusal"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
