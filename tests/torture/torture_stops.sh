#!/bin/sh
# torture_stops.sh [STOPS] stops heaptop while -m reads a process, by SIGSTOP, by ^Z on
# its terminal and by SIGKILL, STOPS times each (200 by default): every other time as
# soon as the process is stopped, otherwise at moments spread over the whole capture.
# The process must run again although heaptop stays stopped. STOPS_RUNTIME and
# STOPS_OBJECTS select the process, STOPS_WAYS the ways: STOP KILL key. Parts are
# skipped without the target program, or without script(1) for ^Z.
set -u
stops=${1:-200}
heaptop=${HEAPTOP:-build/heaptop}
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
runtime=${STOPS_RUNTIME:-10.0}
objects=${STOPS_OBJECTS:-1000000}
folder=$(mktemp -d) || exit 1
pid= job=
passed=0 failed=0

clean_up() {
	exec 8>&- 9>&-
	[ -z "$job" ] || kill -9 "$job" 2>/dev/null
	[ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null
	rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

sh tests/programs/targets.sh >"$folder/log" 2>&1
if [ ! -x "$targets/leaky-$runtime/leaky" ]; then
	echo "skipped: the program for .NET $runtime could not be built"
	echo "0 passed, 0 failed"
	exit 0
fi
mkfifo "$folder/in" "$folder/keys" || exit 1
"$targets/leaky-$runtime/leaky" --list "$objects" <"$folder/in" >"$folder/out" &
pid=$!
exec 9>"$folder/in"
tries=0
until grep -q ^ready "$folder/out" || [ $((tries += 1)) -gt 600 ]; do
	sleep 0.1
done

# The process is neither traced nor stopped. Two seconds allow for a busy machine.
is_free() {
	tries=0
	until [ "$(awk '/^TracerPid:/ { print $2 }' "/proc/$pid/status")" = 0 ] &&
		! grep -q '^State:.[tT]' "/proc/$pid/status"; do
		[ $((tries += 1)) -le 40 ] || return 1
		sleep 0.05
	done
}

note() { # note WHAT MOMENT
	if is_free; then
		passed=$((passed + 1)) free=$((free + 1))
	else
		failed=$((failed + 1))
		echo "$1 at $2: the process is held: $(grep -E '^(State|TracerPid)' "/proc/$pid/status" | tr '\n\t' '  ')"
	fi
}

is_held() {
	while read -r name value; do
		[ "$name" != TracerPid: ] || { [ "$value" != 0 ] && return 0; }
	done <"/proc/$pid/status"
	return 1
}

# Uses only builtins: the process is stopped for just a tenth of a second.
wait_for() { # wait_for MOMENT|held
	if [ "$1" != held ]; then
		sleep "$1"
		return
	fi
	tries=0
	until is_held; do
		[ $((tries += 1)) -le 20000 ] || return
	done
	held=$((held + 1))
}

# Moments from 0 to 0.5 s, the same in every run.
moment_of() { [ $(($1 % 2)) -eq 1 ] || { echo held; return; }; awk -v n="$1" -v all="$stops" 'BEGIN { printf "%.3f", 0.5 * n / all }'; }

by_signal() { # by_signal SIGNAL MOMENT
	"$heaptop" --no-rc -m -b types "$pid" >"$folder/types" 2>"$folder/err" </dev/null &
	job=$!
	wait_for "$2"
	kill -s "$1" "$job" 2>/dev/null
	note "$1" "$2"
	kill -s CONT "$job" 2>/dev/null
	wait "$job" 2>/dev/null
	code=$?
	job=
	# heaptop continues and prints what it has read.
	if [ "$1" = STOP ] && [ $code -ne 0 ]; then
		failed=$((failed + 1))
		echo "$1 at $2: exit code $code: $(tail -n 1 "$folder/err")"
	fi
}

# script(1) provides the terminal: the key stops its foreground job, and the shell
# there ends it.
by_key() { # by_key MOMENT
	export heaptop pid
	script -qfc 'exec bash --norc -i' /dev/null <"$folder/keys" >"$folder/screen" 2>&1 &
	job=$!
	exec 8>"$folder/keys"
	# The terminal echoes the command, so the command must not contain the answer.
	printf 'echo be""gun; "$heaptop" --no-rc -m -b types "$pid" >/dev/null\n' >&8
	# A sleep would miss the tenth of a second, so moments alone wait for the start.
	tries=0
	until [ "$1" = held ] || grep -q begun "$folder/screen" ||
		[ $((tries += 1)) -gt 100 ]; do
		sleep 0.05
	done
	wait_for "$1"
	printf '\032' >&8
	note '^Z' "$1"
	printf 'kill -9 %%1; exit\nexit\n' >&8
	exec 8>&-
	wait "$job" 2>/dev/null
	job=
}

ways=${STOPS_WAYS:-STOP KILL key}
if ! command -v script >/dev/null || ! command -v bash >/dev/null; then
	ways=$(echo "$ways" | sed 's/ *key//')
	echo "skipped: ^Z needs script and bash"
fi
for way in $ways; do
	n=0 free=0 held=0
	while [ $n -lt "$stops" ]; do
		case $way in
		key) by_key "$(moment_of $n)" ;;
		*) by_signal "$way" "$(moment_of $n)" ;;
		esac
		n=$((n + 1))
	done
	echo "$way: $free of $stops times the process ran on; it was held at $held"
	# Without a stopped process the run has tested nothing.
	[ $held -gt 0 ] || failed=$((failed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
