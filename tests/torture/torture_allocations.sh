#!/bin/sh
# torture_allocations.sh [RUNS] runs the command lines of sweep_lines.sh and fails one
# allocation at a time, or all from that one on. The output must be the same, or the
# program must fail with exit code 6 and a message, and --mcp must answer each request;
# it must not crash or print "(null)". RUNS limits the allocations tested for each command, evenly spread; the
# default is all. HEAPTOP_CORE names a core. The command memory prints the limit, so
# --mem fixes it, and what is allocated at that moment, which no run compares.
set -u
runs_max=${1:-1000000}
heaptop=${HEAPTOP:-build/heaptop}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 runs=0 as_good=0
. tests/torture/answers.sh

if ! ${CC:-cc} -shared -fPIC -O2 -o "$folder/refuse.so" tests/torture/preload/refuse_memory.c \
	2>"$folder/why" || ! LD_PRELOAD=$folder/refuse.so "$heaptop" --version >/dev/null 2>&1; then
	echo "skipped: memory cannot be refused here: $(head -n 1 "$folder/why")"
	echo "0 passed, 0 failed"
	exit 0
fi

same_output() {
	cmp -s "$folder/good" "$folder/out" && return
	for output in good out; do
		grep -av -e '^besides ' -e '^all ' "$folder/$output" >"$folder/$output-compared"
	done
	cmp -s "$folder/good-compared" "$folder/out-compared"
}

# Prints what is wrong with one run, if anything.
judge() { # judge CODE
	[ "$1" -le 6 ] || echo "exit code $1"
	! grep -aqs '(null)' "$folder/out" "$folder/err" || echo "(null)"
	if [ "$1" -eq "$good" ]; then
		same_output || same_answers "$folder" || echo "other output"
		cmp -s "$folder/kept" "$folder/kept-good" || echo "another file is kept"
	else
		[ "$1" -eq 6 ] || echo "exit code $1"
		[ -s "$folder/err" ] || echo "no sentence"
	fi
}

# Runs the command once for each allocation.
sweep() { # sweep ARGUMENTS…
	rm -f "$folder/kept"*
	REFUSE_COUNT=$folder/count LD_PRELOAD=$folder/refuse.so \
		"$heaptop" "$@" --mem 1G --no-rc >"$folder/good" 2>/dev/null <"$folder/input"
	good=$?
	[ -e "$folder/kept" ] || : >"$folder/kept"
	mv "$folder/kept" "$folder/kept-good"
	count=$(cat "$folder/count")
	step=$((count / runs_max + 1))
	wrong=
	# Include one near the end, where the output is written.
	for at in $(seq 1 $step "$count") -$((count - count / 50)); do
		# Every other time all later allocations fail too.
		rest=$((at > 0 ? runs % 2 : 0)) at=${at#-}
		rm -f "$folder/kept"
		REFUSE_AT=$at REFUSE_REST=$rest LD_PRELOAD=$folder/refuse.so timeout 60 \
			"$heaptop" "$@" --mem 1G --no-rc >"$folder/out" 2>"$folder/err" <"$folder/input"
		code=$?
		[ -e "$folder/kept" ] || : >"$folder/kept"
		runs=$((runs + 1))
		[ $code -ne $good ] || as_good=$((as_good + 1))
		wrong=$(judge $code)
		[ -n "$wrong" ] || continue
		echo "heaptop $*, request $at of $count, all behind it $rest: $wrong: $(tail -n 1 "$folder/err")"
		break
	done
	if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

if ! sh tests/torture/sweep_lines.sh "$folder" >"$folder/sweep"; then
	failed=$((failed + 1))
fi
while read -r line <&3; do
	eval "set -- $line"
	sweep "$@"
done 3<"$folder/sweep"
echo "$runs runs, $as_good of them as without a refusal"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
