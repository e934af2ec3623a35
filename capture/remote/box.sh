# Sent to `sh` where the processes are; starts heaptop's agent there. Sets nothing
# up that could stay behind: the program is written to a file that has lost its name
# before the first byte, so that it is gone when the agent is, whatever ends it.
#
# The sender sets $nonce, which begins every line for it, and $version, the first
# two lines of --version. It sends nothing more until it is asked, because some
# shells read ahead. Only builtin commands and those that are checked below are used.
say() { printf '%s %s\n' "$nonce" "$*"; }
fail() {
	say "fail $*"
	exit 1
}

# Opens descriptor 4 on an empty file without a name, on the file system of folder $1,
# if programs may run there. For a moment it has a name in a new private folder.
open_file() {
	[ -n "$1" ] && [ -d "$1" ] || return 1
	# Only a folder that is ours may be removed.
	if ! mkdir "$1/.heaptop.$$" 2>/dev/null; then
		tried="$tried$1 (no file can be made there), "
		return 1
	fi
	place=$1 folder=$1/.heaptop.$$
	printf '' >"$folder/heaptop" && exec 4<"$folder/heaptop"
	rm -rf "$folder"
	chmod 700 /proc/self/fd/4
	# An empty file is an empty script; 126: it may not be run.
	/proc/self/fd/4 </dev/null >/dev/null 2>&1
	[ $? -eq 126 ] || return 0
	exec 4<&-
	tried="$tried$1 (no program may run there), "
	return 1
}

receive() { # receive BYTES
	if [ "$(printf ab | head -c 1 2>/dev/null)" = a ]; then
		head -c "$1"
	else
		dd bs=1 count="$1" 2>/dev/null
	fi
}

box() {
	umask 077
	[ ! -t 0 ] || fail 'terminal'
	say shell
	found=$(heaptop --version </dev/null 2>/dev/null)
	case $found in
	"$version"*)
		say run
		exec heaptop --agent
		;;
	esac

	for tool in uname mkdir chmod rm; do
		command -v $tool >/dev/null 2>&1 || fail "tool $tool"
	done
	command -v head >/dev/null 2>&1 || command -v dd >/dev/null 2>&1 || fail 'tool head'
	[ -e /proc/self/fd/0 ] || fail 'proc'
	folder='' tried=''
	trap 'rm -rf "$folder"' EXIT
	trap 'exit 1' HUP INT TERM
	open_file "${TMPDIR-}" || open_file /tmp || open_file /var/tmp || open_file /dev/shm ||
		open_file "${XDG_RUNTIME_DIR-}" || open_file "${HOME-}" || open_file /run ||
		fail "place ${tried%, }"
	trap - EXIT HUP INT TERM

	say "want $(uname -m)"
	read -r size sum || exit 1
	receive "$size" >/proc/self/fd/4 || fail "disk $place"
	if command -v cksum >/dev/null 2>&1; then
		set -- $(cksum <&4)
		[ "$1 $2" = "$sum $size" ] || fail "sum $2 $size"
	fi
	say run
	exec /proc/self/fd/4 --agent
}
box
