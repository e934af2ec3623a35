#!/bin/sh
# torture_together.sh [ROUNDS] records allocations of tests/programs/sites in unusual
# company, on each version of .NET:
# - two recordings and -g at once: each gets the whole truth, and no event is lost;
# - heaptop is killed: the runtime ends its session, seen by its thread;
# - a process that is idle, and one that ends after a second;
# - a capture from memory meanwhile: live samples are in that heap, as they are followed
#   to the moment of the stop, though the program collects all the time. (A background
#   collection may have freed up to a third that it has not reported yet.)
# SITES_VERSIONS chooses versions.
rounds=${1:-10}
. tests/torture/sites.sh

# One of the threads serves diagnostic commands.
sessions() {
	echo $(($(cat /proc/$pid/task/*/comm 2>/dev/null | grep -c '^\.NET EventPipe') - 1))
}

# Waits up to 20 s for so many sessions.
wait_for_sessions() {
	for try in $(seq 200); do
		[ "$(sessions)" -ne "$1" ] || return 0
		sleep 0.1
	done
	echo "$version: $(sessions) sessions, not $1"
	return 1
}

record() { # record NAME
	"$heaptop" -b allocations --csv --columns $columns --for 3s -o "$folder/$1.nettrace" --force --no-rc "$pid" \
		>"$folder/$1" 2>"$folder/$1.said"
	result $? "$version: exit code of $1"
}

# The large sites allocate 500, 50 and 10 MB/s; their rates must be near the counts in
# the window of the recording. A quarter of 10 MB/s is more than four deviations.
check_rates() { # check_rates NAME
	! grep 'events were lost' "$folder/$1.said"
	result $? "$version: lost events"
	window "$folder/$1.nettrace" "$folder/$1.said" | cat - "$folder/counts" "$folder/$1" |
		awk -F '[ ,]' -v name="$version, $1" '
		NR == 1 { start = $1; seconds = $2; stop = start + 1e9 * seconds }
		$1 == "clock" { clock = $2 }
		$1 == "site" && clock <= start { before[$2] = $4; from = clock }
		$1 == "site" && clock <= stop { after[$2] = $4; to = clock }
		{ rate[$9] = $1 }
		END {
			split("MakeFast fast 0.05 MakeLarge large 0.05 MakeArray array 0.25", all, " ")
			for (i = 1; i <= 9; i += 3) {
				truth = (after[all[i + 1]] - before[all[i + 1]]) / (to - from) * 1e9
				off = rate["Sites.Program." all[i]] / truth - 1
				if (off < -all[i + 2] || off > all[i + 2]) {
					printf "%s: %s is off by %.0f %%\n", name, all[i], 100 * off
					wrong = 1
				}
			}
			exit wrong
		}'
	result $? "$version: rates of $1"
}

several_at_once() {
	"$heaptop" -g --no-rc "$pid" >"$folder/gcs" 2>"$folder/gcs.said" &
	watcher=$!
	record first &
	first=$!
	sleep 1
	record second
	wait $first
	kill -TERM $watcher
	wait $watcher
	check_rates first
	check_rates second
	# No collection is missing; one in the background may not have ended.
	awk '$1 ~ /^[0-9]+$/ {
			if (!count++ || $1 < first) first = $1
			if ($1 > last) last = $1
		}
		END { exit last - first + 1 - count > 1 || count < 10 }' "$folder/gcs"
	result $? "$version: -g lacks collections: $(tail -n 1 "$folder/gcs")"
	wait_for_sessions 0
	result $? "$version: a session is left"
}

# The runtime notices at its next event: a line that is sent to the process allocates.
killed() {
	"$heaptop" -b allocations --csv --columns $columns --for 60s --no-rc "$pid" >"$folder/rows" 2>&1 &
	killed=$!
	wait_for_sessions 1
	result $? "$version: no session"
	sleep 1
	kill -KILL $killed
	wait $killed
	began=$(date +%s%N)
	for try in $(seq 200); do
		[ "$(sessions)" -ne 0 ] || break
		[ $# -eq 0 ] || yes counts | head -n 100 >&3
		sleep 0.1
	done
	[ "$(sessions)" -eq 0 ]
	result $? "$version: a session outlives heaptop"
	echo "$version: the session ended $((($(date +%s%N) - began) / 1000000)) ms after heaptop was killed"
}

idle() {
	begin_sites "$version" --rate 1e-9
	# Nothing, or what the runtime itself does now and then.
	"$heaptop" -b allocations --csv --columns $columns --for 3s --no-rc "$pid" >"$folder/idle" 2>"$folder/idle.said"
	[ $? -le 1 ] && [ "$(wc -l <"$folder/idle")" -le 4 ]
	result $? "$version: rows of an idle process"
	wait_for_sessions 0
	result $? "$version: a session of an idle process is left"
	killed idle
	end_sites
}

captured_from_memory() {
	begin_sites "$version" --mix
	record joined &
	recording=$!
	sleep 1.5
	"$heaptop" -m -o "$folder/joined.heaptop" --force --no-rc "$pid" >/dev/null 2>"$folder/memory"
	code=$?
	wait $recording
	end_sites
	if [ $code -eq 3 ]; then
		echo "skipped: $(tail -n 1 "$folder/memory")"
		return
	fi
	"$heaptop" -b samples -n 100000 --csv --columns state --samples "$folder/joined.nettrace" --no-rc \
		"$folder/joined.heaptop" 2>"$folder/memory" | awk '
		NR > 1 { all++; found += $0 == "in heap" }
		END { print all + 0 " samples, " found + 0 " of them in the heap"; exit found < 100 || found < 0.5 * all }' >"$folder/found"
	result $? "$version: a heap from memory: $(cat "$folder/found") $(tail -n 1 "$folder/memory")"
}

ends_early() {
	begin_sites "$version" --for 2
	record early
	grep -q 'has ended' "$folder/early.said" && grep -q MakeFast "$folder/early"
	result $? "$version: no rows of a process that ended: $(tail -n 1 "$folder/early.said")"
	! grep 'code at 0x' "$folder/early"
	result $? "$version: no names in a process that ended"
	end_sites
}

for version in ${SITES_VERSIONS:-10.0 9.0 8.0}; do
	has_sites "$version" || continue
	for round in $(seq "$rounds"); do
		begin_sites "$version" --counts 0.02
		sleep 0.5
		several_at_once
		killed
		end_sites
		captured_from_memory
		ends_early
		idle
	done
done
print_results
