#!/bin/sh
# torture_mem.sh [LIMITS] runs the command lines of sweep_lines.sh under LIMITS (40)
# limits of --mem, from one in which nothing fits to one in which everything fits.
# heaptop must not crash; it must print everything, or report on standard error, or in
# an answer of --mcp, what is left out and why. HEAPTOP_CORE names a core.
set -u
limits=${1:-40}
heaptop=${HEAPTOP:-build/heaptop}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 runs=0 whole=0
. tests/torture/answers.sh

judge() { # judge CODE COMMAND
	[ "$1" -le 6 ] || echo "exit code $1"
	! grep -aqs '(null)' "$folder/out" "$folder/err" || echo "(null)"
	[ "$2" = memory ] || # which says what the limit is
		cmp -s "$folder/good" "$folder/out" && [ "$1" -eq "$good" ] ||
		[ -s "$folder/err" ] || same_answers "$folder" ||
		echo "less, without a sentence (exit code $1)"
}

sweep() { # sweep ARGUMENTS…
	rm -f "$folder/kept"
	"$heaptop" "$@" --no-rc >"$folder/good" 2>/dev/null <"$folder/input"
	good=$?
	i=1
	wrong=
	while [ $i -le "$limits" ] && [ -z "$wrong" ]; do
		rm -f "$folder/kept"
		timeout 60 "$heaptop" "$@" --no-rc --mem $((most * i / limits + 100))k \
			>"$folder/out" 2>"$folder/err" <"$folder/input"
		code=$?
		runs=$((runs + 1))
		[ $code -ne $good ] || ! cmp -s "$folder/good" "$folder/out" || whole=$((whole + 1))
		wrong=$(judge $code "$2")
		[ -z "$wrong" ] || echo "heaptop --mem $((most * i / limits + 100))k $*: $wrong"
		i=$((i + 1))
	done
	if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

if ! sh tests/torture/sweep_lines.sh "$folder" >"$folder/sweep"; then
	failed=$((failed + 1))
fi
most=4000
[ -z "${HEAPTOP_CORE:-}" ] || most=40000
while read -r line <&3; do
	eval "set -- $line"
	sweep "$@"
done 3<"$folder/sweep"
echo "$runs runs, $whole of them with all of the output"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
