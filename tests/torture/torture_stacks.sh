#!/bin/sh
# torture_stacks.sh [SECONDS] compares the stacks of sampled allocations
# - of tests/programs/sites with Environment.StackTrace at each of its ten sites: every
#   method of the application must be there, in order;
# - of the same recordings, and of traces in tests/data, with those that TraceEvent
#   (Microsoft's library below PerfView) reads: all methods, in order, and the
#   estimated bytes of each stack and type.
# It also checks the C# names of the ten sites, and that no method is without a name.
# SITES_VERSIONS chooses versions of .NET.
set -u
seconds=${1:-20}
heaptop=${HEAPTOP:-build/heaptop}
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
folder=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$folder"' EXIT
passed=0 failed=0

sh tests/programs/targets.sh
mkfifo "$folder/in" || exit 1

# result NAME CODE
result() {
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $1"
	fi
}

# reduced FROM FILE [PREFIX]
reduced() {
	awk -v from="$1" -v prefix="${3:-}" -f tests/torture/stacks.awk "$2"
}

# Fails if the stacks of heaptop and TraceEvent differ.
compare_traces() { # compare_traces NAME STACKS TRACES
	reduced heaptop "$2" | sort >"$folder/ours"
	reduced traces "$3" | sort >"$folder/theirs"
	if ! cmp -s "$folder/ours" "$folder/theirs"; then
		diff "$folder/ours" "$folder/theirs" | head -n 10
		result "$1: other stacks than TraceEvent's" 1
		return
	fi
	result "$1" 0
	echo "$1: $(awk -F '\t' '{ n += $2 } END { print n }' "$3") samples, $(wc -l <"$3") pairs of stack and type as in TraceEvent"
}

# Each site's stack must be among those of the samples, and no other that ends there.
compare_sites() { # compare_sites NAME STACKS ANSWERS
	reduced heaptop "$2" Sites. | cut -f 1 | sort -u >"$folder/ours"
	reduced program "$3" Sites. | cut -f 1 | sort -u >"$folder/truth"
	awk -v name="$1" -F ';' '
		NR == FNR { truth[$NF] = $0; count++; next }
		$NF in truth && $0 == truth[$NF] { found++ }
		$NF in truth && $0 != truth[$NF] { print name ": " $0; wrong++ }
		END {
			print name ": " found + 0 " of " count + 0 " sites as in Environment.StackTrace"
			exit found != count || count != 10 || wrong
		}' "$folder/truth" "$folder/ours"
	result "$1: other stacks than the program's" $?
}

names='Sites.Factory<__Canon>.Make
Sites.Program.MakeArray
Sites.Program.MakeAsyncBox
Sites.Program.MakeBox
Sites.Program.MakeClosure
Sites.Program.MakeFast
Sites.Program.MakeLarge
Sites.Program.MakePinned
Sites.Program.MakeSmall
Sites.Program.MakeString'

compare_names() { # compare_names NAME ROWS STACKS
	printf '%s\n' "$names" >"$folder/truth"
	cut -d , -f 9 "$2" | grep -e '\.Make' | sort >"$folder/ours"
	diff "$folder/ours" "$folder/truth"
	result "$1: other names of sites" $?
	! grep -e 'code at 0x' "$3"
	result "$1: methods without names" $?
}

for version in ${SITES_VERSIONS:-10.0 9.0 8.0}; do
	if [ ! -x "$targets/sites-$version/sites" ]; then
		echo "skipped: no program sites-$version"
		continue
	fi
	"$targets/sites-$version/sites" --each 5e6 <"$folder/in" >"$folder/answers" 2>&1 &
	pid=$!
	exec 3>"$folder/in"
	until grep -q ready "$folder/answers"; do sleep 0.1; done
	"$heaptop" -b allocations --csv --for "${seconds}s" -o "$folder/run.nettrace" --force \
		--stacks "$folder/stacks" --no-rc "$pid" >"$folder/rows" 2>"$folder/said"
	result "$version: $(tail -n 1 "$folder/said")" $?
	echo stacks >&3
	until grep -q grown "$folder/answers"; do sleep 0.1; done
	exec 3>&-
	wait $pid
	pid=
	compare_sites "$version" "$folder/stacks" "$folder/answers"
	compare_names "$version" "$folder/rows" "$folder/stacks"
	if [ -f "$targets/traces/traces.dll" ]; then
		dotnet "$targets/traces/traces.dll" "$folder/run.nettrace" >"$folder/traces"
		compare_traces "$version" "$folder/stacks" "$folder/traces"
	else
		echo "skipped: no program traces"
	fi
done
for trace in allocations-10 allocations-8; do
	gzip -dc "tests/data/$trace.traces.gz" >"$folder/traces"
	"$heaptop" -b allocations --stacks "$folder/stacks" --force --no-rc \
		"tests/data/$trace.nettrace.zst" >"$folder/rows" 2>"$folder/said"
	compare_traces $trace "$folder/stacks" "$folder/traces"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
