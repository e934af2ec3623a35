#!/bin/sh
# torture_damage.sh [FILES] [SEED] reads FILES (2000) damaged files of each kind that
# heaptop reads, made by gen_damage with seeds from SEED (1) on, each file with the
# next command. heaptop must exit with a code up to 6, and with a message if it is not
# 0. HEAPTOP_CORE names another core.
set -u
files=${1:-2000}
first=${2:-1}
heaptop=${HEAPTOP:-build/heaptop}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 runs=0 read=0

if ! ${CC:-cc} -std=c17 -O2 -o "$folder/gen_damage" tests/torture/gen_damage.c 2>"$folder/why"; then
	echo "gen_damage cannot be made: $(head -n 1 "$folder/why")"
	echo "0 passed, 1 failed"
	exit 1
fi
"$heaptop" --no-rc --raw -o "$folder/raw.heaptop" tests/data/tiny-full.gcdump 2>/dev/null
"$heaptop" --no-rc --raw --with retained -o "$folder/derived.heaptop" tests/data/tiny-full.gcdump 2>/dev/null

judge() { # judge CODE
	[ "$1" -le 6 ] || echo "exit code $1"
	# Faults that verify finds are the table.
	[ "$1" -eq 0 ] || [ -s "$folder/err" ] || { [ "$1" -eq 1 ] && [ -s "$folder/out" ]; } ||
		echo "exit code $1 without a sentence"
	! grep -aqs '(null)' "$folder/out" "$folder/err" || echo "(null)"
}

sweep() { # sweep FILE COMMANDS, separated by |
	wrong=
	seed=$first
	commands=$2
	rest=
	while [ "$seed" -lt $((first + files)) ] && [ -z "$wrong" ]; do
		"$folder/gen_damage" "$1" "$seed" >"$folder/in"
		rest=${rest:-$commands|}
		command=${rest%%|*} rest=${rest#*|}
		timeout 30 "$heaptop" -b "$command" -n 50 "$folder/in" --no-rc \
			>"$folder/out" 2>"$folder/err" </dev/null
		code=$?
		runs=$((runs + 1))
		[ $code -ne 0 ] && [ $code -ne 4 ] || read=$((read + 1))
		wrong=$(judge $code)
		[ -z "$wrong" ] || echo "$1 with seed $seed, $command: $wrong: $(tail -n 1 "$folder/err")"
		seed=$((seed + 1))
	done
	if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

any='types|objects|findings|roots|summary|dominators|histogram|groups'
for file in tests/data/tiny.gcdump tests/data/tiny-full.gcdump tests/corpus/gcdump/roots \
	tests/corpus/gcdump/version-7 "$folder/raw.heaptop" "$folder/derived.heaptop" \
	tests/corpus/saved/tiny-full.heaptop tests/data/sample.gclog tests/corpus/gclog/sections.gclog; do
	sweep "$file" "$any"
done
for file in whole-4-plain whole-6-plain three-walks ranges-statics; do
	sweep tests/corpus/nettrace/$file "$any|walks|gcs"
done
for file in fast background server; do
	sweep tests/corpus/gc_stats/$file 'gcs|types'
done
for file in ${HEAPTOP_CORE:-} tests/corpus/core/plain-10 tests/corpus/core/segments-8 \
	tests/corpus/core/server-9; do
	sweep "$file" "$any|verify|segments|heapmap|handles|threads|modules|statics|strings|heaps|free|locks|async|find 42"
done
echo "$runs files, $read of them read in whole or in part"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
