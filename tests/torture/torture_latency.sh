#!/bin/sh
# torture_latency.sh [REPEATS] measures the latency of a loaded server while heaptop
# captures it: the 50th and 99th percentile without captures, with captures over
# events, and with -m, one capture every two seconds. LATENCY_OBJECTS, LATENCY_MICROS
# (CPU time of a request), LATENCY_RATE (requests a second) and LATENCY_SECONDS set up
# the server and its load; by default two processors are 60 percent busy. It fails
# only if the server fails.
set -u
repeats=${1:-3}
heaptop=${HEAPTOP:-build/heaptop}
objects=${LATENCY_OBJECTS:-2000000}
micros=${LATENCY_MICROS:-1500}
rate=${LATENCY_RATE:-800}
seconds=${LATENCY_SECONDS:-20}
folder=$(mktemp -d) || exit 1
server=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}/server
pid= capturing=
passed=0 failed=0

clean_up() {
	exec 9>&-
	[ -z "$capturing" ] || kill "$capturing" 2>/dev/null
	[ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null
	rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

if [ ! -x "$server/server" ] || [ tests/programs/server/Program.cs -nt "$server/server" ]; then
	cp tests/programs/server/* "$folder/"
	if ! dotnet publish "$folder/server.csproj" -c Release -o "$server" >"$folder/log" 2>&1; then
		echo "skipped: the server cannot be built: $(grep -m 1 error "$folder/log")"
		echo "0 passed, 0 failed"
		exit 0
	fi
fi

mkfifo "$folder/in"
"$server/server" serve "$objects" "$micros" <"$folder/in" >"$folder/out" &
pid=$!
exec 9>"$folder/in"
tries=0
until grep -q ^ready "$folder/out" || [ $((tries += 1)) -gt 600 ]; do
	sleep 0.1
done
port=$(awk '{ print $3 }' "$folder/out")

# Runs until it is killed. The cost of each capture is on standard error.
capture_again() { # capture_again OPTIONS…
	while sleep 1; do
		"$heaptop" --no-rc "$@" -b types "$pid" >/dev/null 2>>"$folder/captures" </dev/null
		sleep 1
	done
}

measure() { # measure WHAT [OPTIONS…]
	what=$1
	shift
	: >"$folder/captures"
	if [ "$what" != none ]; then
		capture_again "$@" &
		capturing=$!
	fi
	line=$("$server/server" load "$port" "$rate" "$seconds")
	if [ -n "$capturing" ]; then
		kill "$capturing"
		wait "$capturing" 2>/dev/null
		capturing=
		# The last capture may still be running.
		sleep 2
	fi
	count=$(grep -c 'paused\|stopped, no' "$folder/captures")
	case $line in
	*' requests '[1-9]*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	printf '%-8s %s, %d captures\n' "$what" "$line" "$count"
}

echo "$objects objects, $rate requests a second for $seconds s, in ms:"
n=0
while [ $n -lt "$repeats" ]; do
	measure none
	measure events
	measure memory -m
	n=$((n + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
