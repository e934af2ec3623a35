# sites.sh has what the scripts share that run tests/programs/sites; source it. It
# makes a folder that is removed at the end, counts results, and starts and ends the
# program, whose process is `pid` and whose output is in $folder/counts.
set -u
heaptop=${HEAPTOP:-build/heaptop}
targets=${HEAPTOP_TARGETS:-${BUILD:-build}/targets}
folder=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$folder"' EXIT
passed=0 failed=0
# The scripts read these by their numbers: bytes 1 to 3, samples 8, site 9.
columns=bytes,bytes_low,bytes_high,share,objects,objects_low,objects_high,samples,site

sh tests/programs/targets.sh
mkfifo "$folder/in" || exit 1

# result CODE TEXT counts a test, and prints the text if it has failed.
result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $2"
	fi
}

# print_results is the last command of a script.
print_results() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
}

# has_sites VERSION
has_sites() {
	[ -x "$targets/sites-$1/sites" ] && return
	echo "skipped: no program sites-$1"
	return 1
}

# begin_sites VERSION ARGUMENT… waits until it is ready; its input is descriptor 3.
begin_sites() {
	program=$targets/sites-$1/sites
	shift
	: >"$folder/counts"
	"$program" "$@" <"$folder/in" >"$folder/counts" 2>&1 &
	pid=$!
	exec 3>"$folder/in"
	until grep -q ready "$folder/counts"; do sleep 0.1; done
}

end_sites() {
	exec 3>&-
	wait $pid
	pid=
}

# window TRACE MESSAGES prints the start of a recording, which is in the header of the
# trace in ticks of 1 ns, and its seconds, which are in the messages of heaptop.
window() {
	echo "$(od -An -t d8 -j 69 -N 8 "$1" | tr -d ' ')" \
		"$(sed -n 's/.* samples in \([0-9.]*\) s:.*/\1/p' "$2")"
}
