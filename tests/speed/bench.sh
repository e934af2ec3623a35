#!/bin/sh
# bench.sh BUILD makes the dumps for the benchmark, once, and runs it. If valgrind is
# installed, it also counts instructions, which do not depend on the machine's load.
set -eu
build=$1
dumps=$build/bench
mkdir -p "$dumps"

# A change of the generator needs new dumps.
dump() { # dump NAME ARGUMENT…
	name=$dumps/$1.gcdump
	shift
	[ "$name" -nt "$build/tests/gen_gcdump" ] ||
		"$build/tests/gen_gcdump" "$@" "$name" >/dev/null
	cat "$name" >/dev/null # into the page cache
}
dump 1M 1000000 1
dump 7M 7000000 1
dump 10M 10000000 1
dump list --shape list 10000000 1
[ "$dumps/7M.gclog" -nt "$dumps/7M.gcdump" ] ||
	"$build/heaptop" --force -o "$dumps/7M.gclog" "$dumps/7M.gcdump" 2>/dev/null
cat "$dumps/7M.gclog" >/dev/null
# Write this anew each time: the format may change.
"$build/heaptop" --force -o "$dumps/10M.heaptop" "$dumps/10M.gcdump" 2>/dev/null

"$build/tests/bench" "$build/heaptop" tests/data/leaky-10.gcdump \
	"$dumps/7M.gcdump" "$dumps/10M.gcdump" "$dumps/list.gcdump" "$dumps/7M.gclog" \
	"$dumps/10M.heaptop"
echo
"$build/tests/bench_live" "$build/heaptop"

command -v valgrind >/dev/null 2>&1 || exit 0
echo
echo "instructions an object, 1 M objects (callgrind)"
for view in types summary; do
	count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$build/heaptop" -b $view "$dumps/1M.gcdump" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *\([0-9]*\).*/\1/p')
	[ -n "$count" ] && printf '  %-20s %6d\n' $view $((count / 1000000))
done
