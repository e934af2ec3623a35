#!/bin/sh
# torture_limits.sh [REPEATS] captures real processes over events in memory cgroups
# with little free memory, for each runtime, heap size and amount of free memory. A
# capture may be refused (exit code 3) or incomplete (4); the process must survive.
# Every other time heaptop runs in the same cgroup and uses its memory too. REPEATS is
# 5 by default, which is 300 runs; LIMITS_RUNTIMES, LIMITS_HEAPS and LIMITS_ROOMS
# replace the rows. It ends with the pauses and their estimates.
set -u
repeats=${1:-5}
heaptop=${HEAPTOP:-build/heaptop}
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
runtimes=${LIMITS_RUNTIMES:-8.0 9.0 10.0}
heaps=${LIMITS_HEAPS:-200000 1000000 2000000 5000000}
rooms=${LIMITS_ROOMS:-30 60 100 160 400}
folder=$(mktemp -d) || exit 1
pid= group=
passed=0 failed=0

# ---- cgroups of both kinds ----------------------------------------------------

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
	groups=/sys/fs/cgroup limit=memory.max used=memory.current kills=memory.events
	echo +memory >$groups/cgroup.subtree_control 2>/dev/null
else
	groups=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
	used=memory.usage_in_bytes kills=memory.oom_control
fi

# The kernel may need a moment until the process is gone.
leave_group() {
	[ -z "$group" ] || for _ in 1 2 3 4 5 6 7 8 9 10; do
		rmdir "$group" 2>/dev/null && break
		sleep 0.2
	done
	group=
}

stop_target() {
	exec 9>&-
	[ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null
	pid=
	rm -f "$folder/in"
	leave_group
}
trap 'stop_target; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

group=$groups/heaptop-limits.$$
if ! mkdir "$group" 2>/dev/null || [ ! -e "$group/$limit" ]; then
	rmdir "$group" 2>/dev/null
	group=
	echo "skipped: no memory cgroup can be made here"
	echo "0 passed, 0 failed"
	exit 0
fi
leave_group
sh tests/programs/targets.sh >"$folder/log" 2>&1
for runtime in $runtimes; do
	if [ ! -x "$targets/leaky-$runtime/leaky" ]; then
		echo "skipped: the program for .NET $runtime could not be built"
		echo "0 passed, 0 failed"
		exit 0
	fi
done

# ---- one run -------------------------------------------------------------------

# Starts a process in a cgroup of its own and waits until it is ready.
start_target() { # start_target RUNTIME OBJECTS
	group=$groups/heaptop-limits.$$
	mkdir "$group" && mkfifo "$folder/in" || exit 1
	: >"$folder/out"
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" --list "$3"' sh \
		"$group" "$targets/leaky-$1/leaky" "$2" <"$folder/in" >"$folder/out" &
	pid=$!
	exec 9>"$folder/in"
	tries=0
	until grep -q ^ready "$folder/out" || [ $((tries += 1)) -gt 600 ]; do
		sleep 0.1
	done
}

# The process exists and works, and no process of its cgroup was killed.
lives() {
	grep -q '^oom_kill 0$' "$group/$kills" || return 1
	kill -0 "$pid" 2>/dev/null || return 1
	echo grow >&9
	tries=0
	until grep -q ^grown "$folder/out"; do
		[ $((tries += 1)) -le 100 ] || return 1
		sleep 0.1
	done
}

# Notes the pause of the card and the real one, in ms.
note_pause() {
	awk '
	function ms(number, unit) { return number * (unit ~ /^s/ ? 1000 : 1) }
	$1 == "pause" {
		about = ms($3, $4)
		if (match($0, /may be [0-9.]+ m?s/)) {
			split(substr($0, RSTART, RLENGTH), word, " ")
			about = ms(word[3], word[4])
		}
	}
	match($0, /: paused [0-9.]+ m?s/) {
		split(substr($0, RSTART, RLENGTH), word, " ")
		if (about) print about, ms(word[3], word[4])
	}' "$folder/err" >>"$folder/pauses"
}

# Varies the free memory a little, in the same way in every run.
seed=1
next_seed() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); }

capture() { # capture IS_INSIDE
	sh -c '[ "$1" = 0 ] || echo $$ >"$2/cgroup.procs"; exec "$3" --no-rc -b types "$4"' sh \
		"$1" "$group" "$heaptop" "$pid" >"$folder/types" 2>"$folder/err" </dev/null
}

run_one() { # run_one RUNTIME OBJECTS ROOM
	next_seed
	room=$(($3 * 1048576 + seed % 8388608))
	start_target "$1" "$2"
	before=$(cat "$group/$used")
	if ! echo $((before + room)) >"$group/$limit" 2>/dev/null; then
		stop_target
		return
	fi
	capture $((n % 2))
	code=$?
	if lives; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) deaths=$((deaths + 1))
		tail -n 1 "$folder/err"
	fi
	case $code in
	0) whole=$((whole + 1)) && note_pause ;;
	3) refused=$((refused + 1)) ;;
	4) partly=$((partly + 1)) ;;
	*)
		failed=$((failed + 1))
		echo "exit code $code: $(tail -n 1 "$folder/err")"
		;;
	esac
	stop_target
}

# A process that is killed anyway, because another process of its cgroup takes all
# memory, must be reported as killed.
run_killed() { # run_killed RUNTIME
	start_target "$1" 4000000
	echo 1000 >"/proc/$pid/oom_score_adj" || return
	echo $(($(cat "$group/$used") + 209715200)) >"$group/$limit"
	capture 0 &
	capturing=$!
	tries=0
	until grep -q 'heaptop .*needs' "$folder/err" 2>/dev/null || [ $((tries += 1)) -gt 10000 ]; do
		:
	done
	# dd fills 1 GiB faster than the runtime describes the heap.
	sh -c 'echo $$ >"$1/cgroup.procs"; exec dd bs=1G count=1 if=/dev/zero' sh \
		"$group" >/dev/null 2>&1
	wait $capturing
	code=$?
	if [ $code -eq 3 ] && grep -q 'was killed (out of memory in its cgroup)' "$folder/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "killed, with code $code: $(tail -n 1 "$folder/err")"
	fi
	stop_target
}

# ---- the table -----------------------------------------------------------------

: >"$folder/pauses"
echo "runtime   objects  room MiB  whole  in part  refused  deaths"
for runtime in $runtimes; do
	for objects in $heaps; do
		for room_mb in $rooms; do
			whole=0 partly=0 refused=0 deaths=0 n=0
			while [ $n -lt "$repeats" ]; do
				run_one "$runtime" "$objects" "$room_mb"
				n=$((n + 1))
			done
			printf '%-8s %8d %9d %6d %8d %8d %7d\n' "$runtime" "$objects" \
				"$room_mb" "$whole" "$partly" "$refused" "$deaths"
		done
	done
done
for runtime in $runtimes; do
	run_killed "$runtime"
done
awk '{ n++; if ($2 <= 2 * $1) good++; if ($2 / $1 > worst) worst = $2 / $1 }
	END { if (n) printf "pauses: %d of %d under twice the estimate, the worst %.1f times\n", good, n, worst }' \
	"$folder/pauses"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
