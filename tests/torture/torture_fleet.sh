#!/bin/sh
# torture_fleet.sh [PODS] [GROWN] makes two dumps of each of PODS (500), in GROWN (30)
# of which a type grows, prints their types as README says, and runs README's query
# over these lines in DuckDB. It must find exactly the pods and types that grow. So
# must a query by heaptop itself over the dumps.
#
# HEAPTOP_DUCKDB names DuckDB's library. By default it is looked for where
# tests/torture/duckdb.sh installs it; without it that query is skipped.
set -u
pods=${1:-500}
grown=${2:-30}
heaptop=$(realpath "${HEAPTOP:-build/heaptop}")
build=${BUILD:-build}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
mkdir "$folder/dumps" "$folder/heaps"

result() { # result STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $2"
	fi
}

# Runs a command and prints how long it took.
timed() { # timed NAME COMMAND…
	name=$1 began=$(date +%s)
	shift
	"$@"
	status=$?
	echo "$name: $(($(date +%s) - began)) s"
	return $status
}

# What a sidecar or CronJob does: a run for each capture. The host of these dumps is
# the pod, as in Kubernetes.
print_each() {
	for file in "$folder"/dumps/*.gcdump; do
		pod=${file##*/}
		"$heaptop" --no-rc -b types --jsonl --origin --label pod="${pod%-*}" \
			--label version=1.4.2 "$file" >>"$folder/heaps/${pod%-*}.jsonl" || return
	done
}

# All dumps in one run, without labels.
print_all() {
	"$heaptop" --no-rc -b types --jsonl --origin "$folder"/dumps/*.gcdump >"$folder/all"
}

query_of_heaptop() {
	before="sum(iif(heap LIKE '%-1.%', size, 0))"
	after="sum(iif(heap LIKE '%-2.%', size, 0))"
	"$heaptop" --no-rc --tsv -b "sql SELECT substr(heap, 1, 8) AS pod, type FROM types GROUP BY 1, 2 HAVING $after > 2 * $before AND $after - $before > 1000000" \
		"$folder"/dumps/*.gcdump >"$folder/answer" && sed 1d "$folder/answer" >"$folder/by_heaptop"
}

# Makes a stand-in for kubectl: each of three dumps is a pod, where the name of the
# program stands for the dump.
make_kubectl() {
	mkdir -p "$folder/bin" "$folder/data/heaps"
	cat >"$folder/bin/kubectl" <<-'END'
	#!/bin/sh
	case "$1" in
	get) ls "$DUMPS" | sed -n 's,-1[.]gcdump$,,p' | sed 's,^,pod/,' | head -n 3 ;;
	exec)
		dump="$DUMPS/${2#pod/}-1.gcdump"
		shift 6
		for word; do
			shift
			case "$word" in
			-m) ;;
			shop) set -- "$@" "$dump" ;;
			*) set -- "$@" "$word" ;;
			esac
		done
		exec "$HEAPTOP" "$@"
		;;
	esac
	END
	chmod +x "$folder/bin/kubectl"
}

# Runs the loop of README with a rule that holds for these pods, or with one that none
# of them keeps.
run_loop() { # run_loop RULE
	awk '/^```/ { inside = /^```sh$/; next } inside' README.md | sed -n '/^for pod/,/^done/p' |
		sed "s,/data,$folder/data,g; s,MyApp.Session=64M,$1," >"$folder/loop"
	PATH="$folder/bin:$PATH" DUMPS="$folder/dumps" HEAPTOP="$heaptop" sh "$folder/loop" >"$folder/said" 2>&1
}

# Each of three pods has rows with its version; none has a file before the rule is
# broken, and all after it.
loop_of_readme() {
	make_kubectl
	run_loop 'Leaky.Session=64M'
	[ "$(grep -l '"version":"1.4.2"' "$folder"/data/heaps/*.jsonl | wc -l)" -eq 1 ] &&
		[ "$(sed 's/.*"host":"\([^"]*\)".*/\1/' "$folder"/data/heaps/*.jsonl | sort -u | wc -l)" -eq 3 ] &&
		! ls "$folder"/data/*.heaptop >/dev/null 2>&1 || return
	run_loop 'Leaky.Session=1K'
	[ "$("$heaptop" --no-rc -b 'sql SELECT heap FROM snapshots' --csv "$folder"/data/*.heaptop | wc -l)" -eq 4 ]
}

duckdb_library() {
	for file in "${HEAPTOP_DUCKDB:-}" "$build"/duckdb/node_modules/@duckdb/*/libduckdb.so \
		build/duckdb/node_modules/@duckdb/*/libduckdb.so; do
		[ -n "$file" ] && [ -e "$file" ] && realpath "$file" && return
	done
	return 1
}

# The statement in README, without its last semicolon.
query_of_readme() {
	awk '/^```/ { inside = /^```sql$/; next } inside' README.md | sed 's/;$//'
}

query_of_duckdb() {
	(cd "$folder" && ./duckdb "$library" "COPY (SELECT pod, type FROM ($query) ORDER BY pod, type)
		TO 'by_duckdb' (FORMAT csv, DELIMITER '	', HEADER false)")
}

finds() { # finds FILE NAME
	LC_ALL=C sort -o "$1" "$1" && cmp -s "$folder/planted" "$1"
	status=$?
	[ $status -eq 0 ] || LC_ALL=C comm -3 "$folder/planted" "$1" | head -n 5
	result $status "$2 finds exactly what grows"
}

timed "$((2 * pods)) dumps made" "$build/tests/gen_fleet" tests/data/leaky-10.gcdump "$pods" "$grown" \
	"$folder/dumps" >"$folder/made"
result $? "the dumps are made"
grep '	' "$folder/made" | LC_ALL=C sort >"$folder/planted"
grep ' s$' "$folder/made"
[ "$(wc -l <"$folder/planted")" -eq "$grown" ]
result $? "$grown pods grow"

timed "types of each dump printed" print_each
result $? "each dump is printed"
timed "types of all dumps printed in one run" print_all
result $? "all dumps are printed at once"
cat "$folder"/heaps/*.jsonl | sed 's/"pod":"[^"]*"/"pod":null/; s/"version":"[^"]*"/"version":null/' |
	cmp -s - "$folder/all"
result $? "both ways print the same"

loop_of_readme
result $? "the loop of README collects rows and keeps heaps"

timed "query by heaptop" query_of_heaptop
result $? "heaptop answers"
finds "$folder/by_heaptop" heaptop

query=$(query_of_readme)
if ! library=$(duckdb_library); then
	echo "skipped: README's query in DuckDB: there is no library; sh tests/torture/duckdb.sh"
elif ! ${CC:-cc} -std=c17 -O2 -o "$folder/duckdb" tests/torture/duckdb.c -ldl 2>"$folder/why"; then
	result 1 "duckdb.c cannot be made: $(head -n 1 "$folder/why")"
else
	timed "README's query in DuckDB" query_of_duckdb
	result $? "DuckDB answers"
	finds "$folder/by_duckdb" "README's query in DuckDB"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
