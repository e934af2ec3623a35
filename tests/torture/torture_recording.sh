#!/bin/sh
# torture_recording.sh [PAIRS [SECONDS]] measures the effect of a recording of
# allocations on a program that allocates about 1 GB/s (tests/programs/sites): windows of
# SECONDS with and without a recording alternate in one process. It prints, for the
# pairs, the change of the bytes allocated a second and of the program's CPU time for
# each byte, which neighbours on the machine disturb less, with 95 % intervals, apart
# from the runtime's threads for events, which other cores run; and the CPU time and
# memory of heaptop. It fails if events are lost, or if heaptop needs more
# than 5 % of a core or 64 MB. SITES_ARGUMENTS has those of the program, a line for each
# measurement: by default one thread that is always busy, the same with deep stacks, and
# the ten sites, which mostly wait. SITES_VERSIONS chooses versions of .NET.
pairs=${1:-7} seconds=${2:-30}
arguments=${SITES_ARGUMENTS:---busy 1000
--busy 1000 --depth 50
--rate 1.76}
. tests/torture/sites.sh

# The CPU ticks of the threads that are, or are not, the runtime's for events.
ticks() { # ticks [-v]
	cat /proc/"$pid"/task/*/stat 2>/dev/null | grep ${1:-} '(.NET EventPipe' |
		awk '{ sub(/.*\) /, ""); sum += $12 + $13 } END { print sum + 0 }'
}

# now NAME notes the clock, bytes allocated and CPU ticks of the program.
now() {
	sleep 0.05
	own=$(ticks -v) events=$(ticks)
	tail -n 30 "$folder/counts" | awk -v name="$1" -v ticks="$own $events" '
		$1 == "clock" { clock = $2; sum = 0 }
		$1 == "site" { sum += $4 }
		$2 == "fast" { last = clock; bytes = sum }
		END { print name, last, bytes, ticks }' >>"$folder/notes"
}

record() {
	/usr/bin/time -f 'heaptop %U %S %M' -o "$folder/time" "$heaptop" -b allocations \
		--csv --no-rc --for "${seconds}s" "$pid" >"$folder/rows" 2>"$folder/said"
	sed -n 's/.*events were lost: /lost /p' "$folder/said" >>"$folder/notes"
	grep '^heaptop' "$folder/time" >>"$folder/notes"
}

# measure VERSION ARGUMENT… leaves what it has noted.
measure() {
	begin_sites "$@" --counts 0.05
	sleep 5
	: >"$folder/notes"
	for pair in $(seq "$pairs"); do
		now without
		sleep "$seconds"
		now end
		now with
		record & recording=$!
		# The thread of a session ends with it.
		sleep "$seconds"
		now end
		wait $recording
	done
	end_sites
}

judge() {
	awk -v hz="$(getconf CLK_TCK)" -v seconds="$seconds" '
		function interval(sum, squares, n,    mean, deviation, f, t) {
			mean = sum / n
			deviation = n > 1 ? sqrt((squares - n * mean * mean) / (n - 1)) : 0
			f = n - 1
			t = f ? 1.96 * (1 + 1.21 / f + 1.44 / (f * f)) : 0
			return sprintf("%+.2f %% ± %.2f %%", 100 * mean, 100 * t * deviation / sqrt(n))
		}
		$1 == "without" || $1 == "with" { kind = $1; clock = $2; bytes = $3; ticks = $4; events = $5 }
		$1 == "end" {
			rate = ($3 - bytes) / ($2 - clock) * 1e9
			cpu = ($4 - ticks) / hz / ($3 - bytes) * 1e9
			core = ($4 - ticks) / hz / ($2 - clock) * 1e9
			printf "%-8s %7.1f MB/s, %.4f s of CPU for a GB, %.0f %% of a core; %.4f s for events\n", \
				kind, rate / 1e6, cpu, 100 * core, ($5 - events) / hz / ($3 - bytes) * 1e9
			if (kind == "without") {
				rate_without = rate; cpu_without = cpu
				next
			}
			n++
			d = rate / rate_without - 1; rates += d; rates2 += d * d
			d = cpu / cpu_without - 1; cpus += d; cpus2 += d * d
			d = ($5 - events) / hz / ($3 - bytes) * 1e9 / cpu_without
			others += d; others2 += d * d
		}
		$1 == "heaptop" {
			share = ($2 + $3) / seconds
			if (share > most) most = share
			if ($4 > memory) memory = $4
		}
		$1 == "lost" { lost += $2 }
		END {
			print "change of bytes/s allocated: " interval(rates, rates2, n)
			print "change of the CPU time for a byte: " interval(cpus, cpus2, n)
			print "and of the runtime for events: " interval(others, others2, n)
			printf "heaptop: at most %.1f %% of a core, %.1f MB; %d events lost\n", \
				100 * most, memory * 1024 / 1e6, lost
			exit n == 0 || lost || most > 0.05 || memory * 1024 > 64e6
		}' "$folder/notes"
}

for version in ${SITES_VERSIONS:-10.0}; do
	has_sites "$version" || continue
	if [ ! -x /usr/bin/time ]; then
		echo "skipped: no /usr/bin/time"
		continue
	fi
	while read -r line <&4; do
		# shellcheck disable=SC2086 # several arguments
		measure "$version" $line
		echo "$version, sites $line, load of the machine $(cut -d ' ' -f 1 /proc/loadavg):"
		judge
		result $? "$version, sites $line"
	done 4<<END
$arguments
END
done
print_results
