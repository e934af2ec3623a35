#!/bin/sh
# torture_via.sh [KILLS] reaches processes through --via and HOST:PID: boxes with only
# a shell, or only busybox, in which programs may run nowhere, or somewhere else; a slow
# connection and a damaged one; a real sshd on the loopback. Then it kills KILLS
# connections (100 by default) at moments spread over the whole run: nothing may stay
# behind, neither file nor process nor event session. With 100 or more it also halts
# both ends of connections, which takes minutes: the agent ends by itself. Parts are skipped and counted
# without busybox, sshd, the target program, or the right to change the root.
set -u
. tests/run/results.sh
kills=${1:-100}
heaptop=$(realpath "${HEAPTOP:-build/heaptop}")
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
work=$(mktemp -d) || exit 1
place=$work/place
mark=HEAPTOP_VIA_TEST=$(basename "$work")
pid= sshd=
mkdir "$place"

clean_up() {
	exec 9>&-
	[ -z "$sshd" ] || kill "$(cat "$work/ssh/pid")" 2>/dev/null
	[ -z "$pid" ] || { kill -9 "$pid"; wait "$pid"; } 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
has() { command -v "$1" >/dev/null 2>&1; }
skipped() { echo "skipped: $1"; }
finish() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
}

if [ ! -x "$(dirname "$heaptop")/heaptop-static" ]; then
	skipped 'processes elsewhere: there is no static heaptop to send'
	finish
fi

# Runs heaptop; its output and errors are in $text, its exit status in $status.
run() {
	text=$(timeout 60 "$heaptop" "$@" 2>&1 </dev/null)
	status=$?
}
expect() { # expect WHAT STATUS PATTERN
	[ "$status" -eq "$2" ] && printf '%s\n' "$text" | grep -Eq -- "$3"
	result $? "$1: status $status, not $2 with \"$3\": $(printf '%s' "$text" | tail -n 4)"
}

# --- a process to look at -------------------------------------------------------

# Starts it under a name with every odd character that a file name may have.
odd="o'd $$;\$(touch hit)\"*%n\\#&"
target=$targets/leaky-10.0-single/leaky
sh tests/programs/targets.sh >"$work/log" 2>&1
if [ -x "$target" ]; then
	mkfifo "$work/in" || exit 1
	cp "$target" "$work/$odd"
	"$work/$odd" <"$work/in" >"$work/out" 2>&1 &
	pid=$!
	exec 9>"$work/in"
	tries=0
	until grep -qs ^ready "$work/out" || [ $((tries += 1)) -gt 600 ]; do
		sleep 0.1
	done
	is_there='Leaky.Session '
else
	skipped 'captures: the program for .NET 10 could not be built'
fi
# Captures the process, or without one lists processes.
reach() { # reach COMMAND
	if [ -n "$pid" ]; then
		run --via "$1" -b types -n 3 "$pid"
	else
		run --via "$1" -l
		is_there='PID|no .NET'
	fi
}

# --- commands -------------------------------------------------------------------

here="env TMPDIR='$place' $mark"
reach "$here"
expect 'a shell here' 0 "$is_there"
expect 'sending is announced' 0 'sending heaptop to .*, [0-9.]+ MiB$'
reach "echo welcome; $here"
expect 'a shell that says something first' 0 "$is_there"
run --via 'exit 3;' -l
expect 'a command that fails' 3 'has ended with status 3 before a shell answered'
run --via "$work/nothing" -l
expect 'a command that does not exist' 3 'has ended with status 127'
run --via 'yes' -l
expect 'a command that never stops' 3 'prints text without end'
run --via "env PASSWORD=hidden $here" -l
expect 'a list names the machine' 0 'the .NET processes of env'
! printf '%s\n' "$text" | grep -q hidden
result $? 'no part of the command that may be secret is shown'
if has stdbuf; then
	run --via "stdbuf -i0 -o0 tr Q R | $here" -l
	expect 'a damaged connection' 3 'its checksum is wrong'
fi
if has script; then
	run --via 'script -qe /dev/null -c' -l
	expect 'a terminal' 3 'its input is a terminal'
	text=$(script -qec "'$heaptop' --agent" /dev/null </dev/null)
	status=$?
	expect 'an agent on a terminal' 2 'speaks to another heaptop'
fi
if [ -n "$pid" ]; then
	run --via "$here" -b types -n 3 "$odd"
	expect 'an odd name' 0 'Leaky.Session '
	run --via "$here" -m -b types -n 3 "$pid"
	expect 'from memory' 0 'Leaky.Session '
	expect 'memory forces no collection' 0 'no collection forced'
	run --via "$here" -m -b strings "$pid"
	expect 'why there are no values' 2 "run heaptop -m [0-9]* on that machine"
	run check --via "$here" --max Leaky.Session=10 "$pid"
	expect 'check' 1 'FAILED .* 5,001 objects, 10 allowed'
	run --via "$here" -o "$work/there.heaptop" "$pid"
	expect 'a file' 0 'collection forced'
	run -o "$work/here.heaptop" "$pid"
	for side in here there; do
		"$heaptop" -b types --csv --columns type,count,size \
			-f Leaky "$work/$side.heaptop" >"$work/$side" 2>/dev/null
	done
	[ -s "$work/here" ] && cmp -s "$work/here" "$work/there"
	result $? 'the heaps from here and there have the same objects'
	text=$(timeout -s INT 4 "$heaptop" --via "$here" -g "$pid" 2>&1 </dev/null)
	status=$?
	expect 'collections' 124 'keeps running'
	run --via "$here" -b allocations --for 1s "$pid"
	expect 'allocations' 1 'recording allocations for 1'
	run --via "$here" -b allocations --for 1s -o "$work/a.nettrace" "$pid"
	expect 'allocations into a file' 1 'recording allocations for 1'
	run -b allocations "$work/a.nettrace"
	expect 'the file' 4 'no allocation samples'
	run --via "$here" -o "$work/x.nettrace" "$pid"
	expect 'events are not saved' 2 'heap walk elsewhere cannot be saved'
	run -b types "$heaptop:$pid"
	expect 'a host with a slash is a file' 5 'no such file|cannot'
fi
for name in "'; touch $work/hit; '" "\$(touch $work/hit)" "\`touch $work/hit\`" '*' \
	'-' 'a b' '%s%n' "$(printf '\033[31m')" '"' '\'; do
	run --via "$here" -b types -- "$name"
	expect "the name $(printf '%s' "$name" | tr -cd '[:print:]')" 3 'no .NET process has the name'
done
[ ! -e "$work/hit" ] && [ ! -e hit ]
result $? 'no name is run as a command'
for word in "$work/x:1" missing.nettrace:2 :1 x:; do
	run -b types "$word"
	expect "$word is a file" 5 'no such file|No such file'
done
run -b types -- '-oProxyCommand=touch hit:1'
expect 'a host like an option' 2 'neither a file nor HOST:PID'
run --secure --via "$here" -l
expect 'secure mode' 2 '--via'

# --- boxes ----------------------------------------------------------------------

# Enters box $1 prepared as $2 says; the rest is the command there.
cat >"$work/enter" <<'END'
box=$1 how=$2
shift 2
mount --bind "$box" "$box"
[ "$how" = unlisted ] || mount --rbind /proc "$box/proc"
mount --bind /dev/null "$box/dev/null"
memory() { mount -t tmpfs -o "$2" none "$box/$1"; }
case $how in
elsewhere) memory tmp noexec ;;
nowhere) for at in tmp var/tmp dev/shm root run; do memory $at noexec; done ;;
full) memory tmp size=1m ;;
fixed) mount -o remount,bind,ro "$box" ;;
shared) mount -o remount,bind,ro "$box" && memory dev/shm mode=1777 ;;
esac
exec chroot "$box" "$@"
END
rights=
[ "$(id -u)" -eq 0 ] || rights=-r
in_box() { # in_box BOX HOW
	echo "unshare $rights -m sh '$work/enter' '$work/$1' $2 /bin/env -i PATH=/bin HOME=/root $mark"
}
make_box() { # make_box NAME
	mkdir -p "$work/$1/bin" "$work/$1/proc" "$work/$1/dev/shm" "$work/$1/tmp" \
		"$work/$1/var/tmp" "$work/$1/root" "$work/$1/run"
	: >"$work/$1/dev/null"
}
# A program with its libraries.
put_in() { # put_in BOX PROGRAM
	cp "$(command -v "$2")" "$work/$1/bin/$2"
	ldd "$(command -v "$2")" 2>/dev/null | tr -s '\t ' '\n' | grep '^/' | while read -r file; do
		mkdir -p "$work/$1$(dirname "$file")"
		cp -L "$file" "$work/$1$file"
	done
}

# shellcheck disable=SC2086 # words are wanted
if ! unshare $rights -m sh -c 'mount -t tmpfs none /mnt && chroot / true' 2>/dev/null; then
	skipped 'boxes: no root can be changed here'
else
	if busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1; then
		make_box busy
		cp "$busybox" "$work/busy/bin/"
		for tool in $("$busybox" --list); do
			[ "$tool" = busybox ] || ln -s busybox "$work/busy/bin/$tool"
		done
		for how in plain elsewhere shared; do
			reach "$(in_box busy $how)"
			expect "busybox, $how" 0 "$is_there"
			[ -n "$pid" ] || continue
			run --via "$(in_box busy $how)" -b allocations --for 1s "$pid"
			expect "allocations from busybox, $how" 1 'no sample in 1'
		done
		run --via "$(in_box busy nowhere)" -l
		expect 'busybox, where nothing may run' 3 \
			'can be put nowhere there: .*/tmp \(no program may run there\), .*/dev/shm'
		run --via "$(in_box busy fixed)" -l
		expect 'busybox, read-only' 3 '/tmp \(no file can be made there\), /var/tmp'
		run --via "$(in_box busy full)" -l
		expect 'busybox, full' 3 'no room for heaptop, 6 MB, in /tmp'
		run --via "$(in_box busy unlisted)" -l
		expect 'busybox, without /proc' 3 'there is no /proc there'
		printf '#!/bin/sh\necho "heaptop 0.0.1"\n' >"$work/busy/bin/heaptop"
		chmod +x "$work/busy/bin/heaptop"
		reach "$(in_box busy plain)"
		expect 'another version there is not used' 0 "$is_there"
		rm "$work/busy/bin/heaptop"
		[ -z "$(find "$work/busy/tmp" "$work/busy/var" "$work/busy/dev" -name '.heaptop*')" ]
		result $? 'the box is as before'
	else
		skipped 'boxes with busybox: there is no static busybox'
	fi
	make_box bare
	put_in bare dash && ln -s dash "$work/bare/bin/sh"
	put_in bare env
	run --via "$(in_box bare plain)" -l
	expect 'a shell and no other command' 3 'there is a shell, but not the command uname'
	for tool in uname mkdir chmod rm; do put_in bare $tool; done
	run --via "$(in_box bare plain)" -l
	expect 'no command that copies' 3 'not the command head'
	put_in bare dd
	reach "$(in_box bare plain)"
	expect 'dash and five commands' 0 "$is_there"
	# Of the same version there, if the version names all that is in it.
	cp "$(dirname "$heaptop")/heaptop-static" "$work/bare/bin/heaptop"
	if "$heaptop" --version | grep -Eqx 'commit +[0-9a-f]{12}'; then
		reach "$(in_box bare plain)"
		expect 'a shell and heaptop' 0 "$is_there"
		! printf '%s\n' "$text" | grep -q 'sending heaptop'
		result $? 'the same version is not sent'
	else
		skipped 'the same version there: this one has changes'
	fi
	rm "$work/bare/bin/sh"
	run --via "$(in_box bare plain)" -l
	expect 'no shell' 3 'before a shell answered; docker and kubectl need -i'
fi

# --- ssh ------------------------------------------------------------------------

if [ -x /usr/sbin/sshd ] && has ssh && has ssh-keygen; then
	mkdir -p "$work/ssh/bin"
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host"
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/key"
	for port in $(seq 42200 42240); do
		cat >"$work/ssh/server" <<END
Port $port
ListenAddress 127.0.0.1
HostKey $work/ssh/host
AuthorizedKeysFile $work/ssh/key.pub
StrictModes no
PidFile $work/ssh/pid
END
		# It leaves the terminal before it finds that the port is in use.
		/usr/sbin/sshd -f "$work/ssh/server" 2>>"$work/log" || continue
		tries=0
		until [ -s "$work/ssh/pid" ] || [ $((tries += 1)) -gt 20 ]; do
			sleep 0.1
		done
		[ -s "$work/ssh/pid" ] && sshd=1 && break
	done
	cat >"$work/ssh/config" <<END
Host box
	HostName 127.0.0.1
	Port $port
	IdentityFile $work/ssh/key
	UserKnownHostsFile $work/ssh/known
	StrictHostKeyChecking accept-new
END
	printf '#!/bin/sh\nexec %s -F %s/ssh/config "$@"\n' "$(command -v ssh)" "$work" >"$work/ssh/bin/ssh"
	chmod +x "$work/ssh/bin/ssh"
	PATH=$work/ssh/bin:$PATH
	reach 'ssh box'
	expect 'a real sshd' 0 "$is_there"
	if [ -n "$pid" ]; then
		run -b types -n 3 "box:$pid"
		expect 'HOST:PID' 0 'Leaky.Session '
		run -b types -n 3 "box:$odd"
		expect 'HOST:NAME with every odd character' 0 'Leaky.Session '
		run -b allocations --for 1s "box:$pid"
		expect 'allocations by ssh' 1 'box: process .* recording allocations for 1'
		run -m -o "$work/ssh.heaptop" "box:$pid"
		expect 'HOST:PID from memory into a file' 0 'no collection forced'
	fi
	run -b types box:nobody
	expect 'HOST:NAME' 3 'box: no .NET process has the name nobody'
	run -b types unknown.invalid:1
	expect 'an unknown host' 3 'ssh unknown.invalid has ended with status 255'
	[ ! -e "$work/hit" ]
	result $? 'no name is run as a command by ssh'
else
	skipped 'ssh: there is no sshd'
fi

# --- slow connections -----------------------------------------------------------

# About 20 MB/s each way, in small pieces.
cat >"$work/slow" <<'END'
slow() {
	while dd bs=16k count=1 of="$1" 2>/dev/null && [ -s "$1" ]; do
		cat "$1"
		sleep 0.001
	done
}
# As any such command, it ends when the other side does.
mkfifo "$PLACE/fifo.$$"
exec 3<&0
slow "$PLACE/1.$$" <&3 >"$PLACE/fifo.$$" &
"$@" <"$PLACE/fifo.$$" | slow "$PLACE/2.$$"
kill $!
rm -f "$PLACE"/*.$$
END
mkdir "$work/pieces"
slowly="PLACE='$work/pieces' sh '$work/slow' $here"
reach "$slowly"
expect 'a slow connection' 0 "$is_there"

# --- killed connections ---------------------------------------------------------

marked() { grep -lsz "^$mark\$" /proc/[0-9]*/environ; }
# Files that are left. A shell that is killed by SIGKILL in its first milliseconds may
# leave a folder of ours with an empty file.
left() { # left all|bytes
	case $1 in
	all) ls -A "$place" ;;
	bytes) find "$place" -type f -size +0 ;;
	esac
}
is_clean() { # is_clean all|bytes
	tries=0
	until [ -z "$(marked)" ] && [ -z "$(left "$1")" ] &&
		! { [ -n "$pid" ] && grep -Eq '^(State:.[tT]|TracerPid:.[1-9])' "/proc/$pid/status"; }; do
		[ $((tries += 1)) -le 100 ] || return 1
		sleep 0.1
	done
}
is_clean all
result $? 'nothing stays behind'

# Kills a connection: heaptop, the command, the agent, or a terminal's hang-up.
kill_one() { # kill_one NUMBER VIA ARGUMENT…
	number=$1
	shift
	timeout 60 "$heaptop" --via "$@" >/dev/null 2>&1 </dev/null 9>&- &
	one=$!
	# From 0 to 1.2 s, which is longer than a quick run takes.
	sleep "$(awk "BEGIN { srand($number); print rand() * 1.2 }")"
	rest=all
	child=$(pgrep -P "$one" | head -n 1)
	case $((number % 4)) in
	0) how='heaptop by SIGKILL' && victim=$child && signal=KILL ;;
	1) how='heaptop by SIGINT' && victim=$child && signal=INT ;;
	2) how='the command' && victim=$(marked | sed 's,/proc/\([0-9]*\)/.*,\1,' | head -n 1) && signal=KILL ;;
	3) how='all there is of the command' && signal=KILL && rest=bytes &&
		victim=$(marked | sed 's,/proc/\([0-9]*\)/.*,\1,' | tr '\n' ' ') ;;
	esac
	# shellcheck disable=SC2086 # words are wanted
	[ -z "$victim" ] || kill -$signal $victim 2>/dev/null && hits=$((hits + 1))
	wait "$one" 2>/dev/null
	is_clean $rest
	result $? "killed: $how, number $number: $(marked) $(ls -A "$place")"
	emptied=$((emptied + $(find "$place" -name '.heaptop.*' | wc -l)))
	rm -rf "$place"/.heaptop.*
}
number=0 hits=0 emptied=0
while [ $number -lt "$kills" ]; do
	number=$((number + 1))
	via=$here
	[ $((number % 3)) -ne 0 ] || via=$slowly
	if [ -z "$pid" ]; then
		kill_one $number "$via" -l
	elif [ $((number % 2)) -eq 0 ]; then
		kill_one $number "$via" -b types "$pid"
	else
		kill_one $number "$via" -m -b types "$pid"
	fi
done
echo "via: $kills connections killed, $hits of them while open; shells killed too early to remove an empty folder: $emptied"

# --- halted connections ---------------------------------------------------------

# Halts a process of a connection that records allocations; the agent must end within
# 90 s. 'sh -c' is the command of --via, its child the agent or ssh.
halt() { # halt WHAT VIA
	timeout 200 "$heaptop" --via "$2" -b allocations --for 180s "$pid" >"$work/halted" 2>&1 </dev/null 9>&- &
	one=$!
	tries=0
	until grep -q 'recording allocations' "$work/halted" || [ $((tries += 1)) -gt 100 ]; do
		sleep 0.1
	done
	sleep 1
	case $1 in
	heaptop) halted=$(pgrep -P "$one") ;;
	ssh) halted=$(pgrep -f "^[^ ]*ssh -F $work/ssh/config") ;;
	esac
	# shellcheck disable=SC2086 # words are wanted
	kill -STOP $halted
	[ -n "$(agents)" ]
	result $? "$1 is halted while an agent runs"
	tries=0
	until [ -z "$(agents)" ] || [ $((tries += 1)) -gt 90 ]; do
		sleep 1
	done
	[ -z "$(agents)" ]
	result $? "the agent ends when $1 is halted"
	echo "via: with $1 halted the agent ended after $tries s"
	# shellcheck disable=SC2086 # words are wanted
	kill -CONT $halted
	wait "$one"
	[ $? -eq 3 ]
	result $? "it says that the connection has ended: $(tail -n 1 "$work/halted")"
}
agents() { pgrep -f '^(heaptop|/proc/self/fd/4) --agent'; }
if [ "$kills" -ge 100 ] && [ -n "$pid" ]; then
	halt heaptop "$here"
	[ -z "$sshd" ] || halt ssh 'ssh box'
fi

if [ -n "$pid" ]; then
	run -b types -n 3 "$pid"
	expect 'the process can still be captured' 0 'Leaky.Session '
	! printf '%s\n' "$text" | grep -q 'session of another tool'
	result $? 'no event session is left'
fi
finish
