#!/bin/sh
# torture_musl.sh [BUSY] runs the reference program on the .NET runtimes for musl, in a
# root with musl (tests/programs/musl/musl.sh), and on those for glibc, and reads both
# in every way: over events, from memory, and from cores of gdb, createdump and the
# kernel. It prints a table. The program's own types must have the same objects and
# bytes, and the findings must be the same; other types, which depend on paths and
# variables of the machine, and roots are only compared. Then a busy process is read
# from memory BUSY (10) times; its heap must have no hole. At last some tests of real
# processes run with the programs for musl. MUSL_RUNTIMES selects the runtimes,
# MUSL_TESTS the tests. It needs root, and Debian for the root with musl.
set -u
busy=${1:-10}
heaptop=$(realpath "${HEAPTOP:-build/heaptop}")
static=$heaptop-static
targets=$(realpath -m "${HEAPTOP_TARGETS:-${BUILD:-build}/targets}")
runtimes=${MUSL_RUNTIMES-11.0 10.0 10.0-single 8.0}
tests='test_still test_live test_contents test_two_ways test_segments test_gc_watch
	test_clr_cores'
folder=$(mktemp -d) || exit 1
pids=
passed=0 failed=0 skipped=0

clean_up() {
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null
	rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

sh tests/programs/targets.sh >"$folder/log" 2>&1
if ! sh tests/programs/musl/musl.sh "$targets/musl" >"$folder/log" 2>&1; then
	echo "skipped: $(tail -n 1 "$folder/log")"
	echo "0 passed, 0 failed"
	exit 0
fi

# start LIBC ARGUMENT… starts the program and sets $pid.
start() {
	libc=$1
	shift
	rm -f "$folder/$libc/"*
	mkdir -p "$folder/$libc" && mkfifo "$folder/$libc/in" || exit 1
	program=$targets/leaky-$runtime/leaky
	[ "$libc" = glibc ] || program=$targets/musl/leaky-$runtime/leaky
	(
		ulimit -c unlimited
		cd "$folder/$libc" && exec "$program" "$@" 0<>in >out 2>&1
	) &
	pid=$!
	pids="$pids $pid"
	tries=0
	until grep -q ^ready "$folder/$libc/out" || [ $((tries += 1)) -gt 600 ]; do
		sleep 0.1
	done
}

# core_of WAY writes $folder/$libc/core of the process.
core_of() {
	core=$folder/$libc/core
	rm -f "$core"*
	case $1 in
	gcore) gcore -o "$core" "$pid" && mv "$core.$pid" "$core" ;;
	createdump)
		programs=$targets
		[ "$libc" = glibc ] || programs=$targets/musl
		"$programs/leaky-${runtime%-single}/createdump" --full -f "$core" "$pid"
		;;
	kernel)
		kill -SYS "$pid"
		tries=0
		while kill -0 "$pid" && [ $((tries += 1)) -lt 200 ]; do sleep 0.1; done
		wait "$pid"
		[ -e "$core" ] || mv "$core.$pid" "$core"
		;;
	esac >"$folder/log" 2>&1
}

# capture WAY writes $folder/$libc.heaptop, and the rows to compare.
capture() {
	out=$folder/$libc
	rm -f "$out.heaptop"
	case $1 in
	events) "$heaptop" --no-rc -o "$out.heaptop" "$pid" ;;
	memory) "$heaptop" --no-rc -m -o "$out.heaptop" "$pid" ;;
	inside) "$targets/musl/enter" "$static" --no-rc -m -o "$out.heaptop" "$pid" ;;
	*) core_of "$1" && "$heaptop" --no-rc convert "$folder/$libc/core" "$out.heaptop" ;;
	esac >"$folder/log" 2>&1 </dev/null || return 1
	"$heaptop" --no-rc -b types --csv --columns raw,count,size "$out.heaptop" 2>/dev/null |
		sort >"$out.types"
	grep Leaky "$out.types" >"$out.own"
	"$heaptop" --no-rc -b findings --csv --columns kind,what "$out.heaptop" 2>/dev/null |
		sort >"$out.findings"
	"$heaptop" --no-rc -b roots "$out.heaptop" 2>/dev/null |
		sed -n 's/^\([a-z][^:]*: [0-9,]* root\).*/\1/p' >"$out.roots"
	objects=$("$heaptop" --no-rc -b summary "$out.heaptop" 2>/dev/null |
		sed -n 's/^objects //p')
}

# differences WHAT prints how many lines differ between the two.
differences() {
	diff "$folder/musl.$1" "$folder/glibc.$1" >"$folder/$1.diff"
	grep -c '^<' "$folder/$1.diff"
}

# compare WAY reads both processes and prints a row.
compare() {
	libc=glibc pid=$glibc
	capture "$1" || { skip "$1"; return; }
	other=$objects
	libc=musl pid=$musl
	if ! capture "$1"; then
		failed=$((failed + 1))
		echo "FAILED: .NET $runtime, $1: $(tail -n 1 "$folder/log")"
		return
	fi
	verdict=same
	cmp -s "$folder/musl.own" "$folder/glibc.own" && [ -s "$folder/musl.own" ] || verdict=DIFFERENT
	cmp -s "$folder/musl.findings" "$folder/glibc.findings" || verdict=DIFFERENT
	if [ $verdict = same ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	row "$runtime" "$1" "$objects" "$other" "$(wc -l <"$folder/musl.own"), $(differences own)" \
		"$(wc -l <"$folder/musl.findings"), $(differences findings)" "$(differences types)" \
		"$(differences roots)"
	[ $verdict = same ] || cat "$folder/own.diff" "$folder/findings.diff"
	[ -z "${MUSL_VERBOSE:-}" ] || cat "$folder/types.diff" "$folder/roots.diff"
}

skip() {
	skipped=$((skipped + 1))
	echo "skipped: .NET $runtime, $1: $(tail -n 1 "$folder/log")"
}

row() { printf '%-12s %-11s %8s %8s  %-12s %-10s %11s %11s\n' "$@"; }

row runtime way musl glibc 'own, differ' 'findings' 'other types' 'kinds of roots'
for runtime in $runtimes; do
	start glibc
	glibc=$pid
	start musl
	musl=$pid
	for way in memory events gcore createdump; do compare $way; done
	libc=musl pid=$musl
	if [ -x "$static" ] && cp "$folder/musl.own" "$folder/before" && capture inside &&
		cmp -s "$folder/before" "$folder/musl.own"; then
		passed=$((passed + 1))
		row "$runtime" inside "$objects" - "$(wc -l <"$folder/musl.own")" - - -
	elif [ -x "$static" ]; then
		failed=$((failed + 1))
		echo "FAILED: .NET $runtime, heaptop in the root: $(tail -n 1 "$folder/log")"
	else
		echo "no $static" >"$folder/log"
		skip inside
	fi
	case $(cat /proc/sys/kernel/core_pattern) in
	core) compare kernel ;;
	*)
		echo "the kernel writes cores elsewhere" >"$folder/log"
		skip kernel
		;;
	esac
	kill -9 "$glibc" "$musl" 2>/dev/null

	start musl --busy
	i=0 holes=0
	while [ $((i += 1)) -le "$busy" ]; do
		"$heaptop" --no-rc -m -b summary "$pid" 2>&1 </dev/null | grep -q 'hole at' &&
			holes=$((holes + 1))
	done
	if [ $holes -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	echo "$runtime: $busy captures of a busy process from memory, $holes with a hole"

	timeout 60 "$heaptop" --no-rc -g -n 3 "$pid" >"$folder/gcs" 2>&1 </dev/null
	timeout 60 "$heaptop" --no-rc -b allocations --for 2s "$pid" >"$folder/sites" 2>&1 </dev/null
	for what in 'gcs:3 collections in' 'sites:StartBusy.*byte'; do
		if grep -q "${what#*:}" "$folder/${what%%:*}"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED: .NET $runtime, ${what%%:*}: nothing like ${what#*:} in"
			cat "$folder/${what%%:*}"
		fi
	done
	kill -9 "$pid" 2>/dev/null
done

# Tests of real processes, with the programs for musl.
for test in ${MUSL_TESTS-$tests}; do
	if make BUILD="${BUILD:-build}" "${BUILD:-build}/tests/$test" >"$folder/log" 2>&1; then
		HEAPTOP_TARGETS=$targets/musl HEAPTOP=$heaptop HEAPTOP_TARGETS_REQUIRED=0 \
			"${BUILD:-build}/tests/$test" >"$folder/log" 2>&1 </dev/null
	fi
	last=$(tail -n 1 "$folder/log")
	echo "$test: $last"
	case $last in
	*' passed, 0 failed') passed=$((passed + ${last%% *})) ;;
	*)
		failed=$((failed + 1))
		grep -E 'ERROR|FAILED' "$folder/log"
		;;
	esac
done
[ $skipped -eq 0 ] || echo "$skipped parts skipped"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
