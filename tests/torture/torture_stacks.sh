#!/bin/sh
# torture_stacks.sh [SECONDS] compares the stacks of sampled allocations
# - of tests/programs/sites with Environment.StackTrace at each of its ten sites: every
#   method of the application must be there, in order;
# - of the same recordings, and of traces in tests/data, with those that TraceEvent
#   (Microsoft's library below PerfView) reads: all methods, in order, and the
#   estimated bytes of each stack and type.
# It also checks the C# names of the ten sites, and that no method is without a name.
# SITES_VERSIONS chooses versions of .NET.
seconds=${1:-20}
. tests/torture/sites.sh

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
		result 1 "$1: other stacks than TraceEvent's"
		return
	fi
	result 0 "$1"
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
	result $? "$1: other stacks than the program's"
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
	result $? "$1: other names of sites"
	! grep -e 'code at 0x' "$3"
	result $? "$1: methods without names"
}

for version in ${SITES_VERSIONS:-10.0 9.0 8.0}; do
	has_sites "$version" || continue
	begin_sites "$version" --each 5e6
	"$heaptop" -b allocations --csv --columns $columns --for "${seconds}s" -o "$folder/run.nettrace" --force \
		--stacks "$folder/stacks" --no-rc "$pid" >"$folder/rows" 2>"$folder/said"
	result $? "$version: $(tail -n 1 "$folder/said")"
	echo stacks >&3
	until grep -q grown "$folder/counts"; do sleep 0.1; done
	end_sites
	compare_sites "$version" "$folder/stacks" "$folder/counts"
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
print_results
