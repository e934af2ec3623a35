#!/bin/sh
# torture_together.sh [ROUNDS] records allocations of tests/programs/sites in unusual
# company, on each version of .NET:
# - two recordings and -g at once: each gets the whole truth, and no event is lost;
# - heaptop is killed: the runtime ends its session, seen by its thread;
# - a process that is idle, and one that ends after a second.
# SITES_VERSIONS chooses versions.
set -u
rounds=${1:-10}
heaptop=${HEAPTOP:-build/heaptop}
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
folder=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$folder"' EXIT
passed=0 failed=0

sh tests/programs/targets.sh
mkfifo "$folder/in" || exit 1

# result CODE TEXT
result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $version: $2"
	fi
}

begin() { # begin ARGUMENTS…
	"$targets/sites-$version/sites" "$@" <"$folder/in" >"$folder/counts" 2>&1 &
	pid=$!
	exec 3>"$folder/in"
	until grep -q ready "$folder/counts"; do sleep 0.1; done
}

end() {
	exec 3>&-
	wait $pid
	pid=
}

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

record() { # record NAME [CODE]
	"$heaptop" -b allocations --csv --for 3s --no-rc "$pid" >"$folder/$1" 2>"$folder/$1.said"
	[ $? -eq "${2:-0}" ]
	result $? "exit code of $1"
}

# The large sites have rates of 500, 50 and 10 MB/s; a tenth of 10 MB/s is more than
# three deviations.
check_rates() { # check_rates NAME
	! grep 'events were lost' "$folder/$1.said"
	result $? "lost events"
	awk -F , -v name="$version, $1" '
		{ rate[$9] = $1 }
		END {
			split("MakeFast 5e8 0.05 MakeLarge 5e7 0.05 MakeArray 1e7 0.25", all, " ")
			for (i = 1; i <= 9; i += 3) {
				off = rate["Sites.Program." all[i]] / all[i + 1] - 1
				if (off < -all[i + 2] || off > all[i + 2]) {
					printf "%s: %s is off by %.0f %%\n", name, all[i], 100 * off
					wrong = 1
				}
			}
			exit wrong
		}' "$folder/$1"
	result $? "rates of $1"
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
	result $? "-g lacks collections: $(tail -n 1 "$folder/gcs")"
	wait_for_sessions 0
	result $? "a session is left"
}

# The runtime notices at its next event: a line that is sent to the process allocates.
killed() {
	"$heaptop" -b allocations --csv --for 60s --no-rc "$pid" >"$folder/rows" 2>&1 &
	killed=$!
	wait_for_sessions 1
	result $? "no session"
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
	result $? "a session outlives heaptop"
	echo "$version: the session ended $((($(date +%s%N) - began) / 1000000)) ms after heaptop was killed"
}

idle() {
	begin --rate 1e-9
	record idle 1
	[ "$(wc -l <"$folder/idle")" -eq 1 ]
	result $? "rows of an idle process"
	wait_for_sessions 0
	result $? "a session of an idle process is left"
	killed idle
	end
}

ends_early() {
	begin --for 2
	record early
	grep -q 'has ended' "$folder/early.said" && grep -q MakeFast "$folder/early"
	result $? "no rows of a process that ended: $(tail -n 1 "$folder/early.said")"
	! grep 'code at 0x' "$folder/early"
	result $? "no names in a process that ended"
	end
}

for version in ${SITES_VERSIONS:-10.0 9.0 8.0}; do
	if [ ! -x "$targets/sites-$version/sites" ]; then
		echo "skipped: no program sites-$version"
		continue
	fi
	for round in $(seq "$rounds"); do
		begin
		several_at_once
		killed
		end
		ends_early
		idle
	done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
