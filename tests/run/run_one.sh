#!/bin/sh
# run_one.sh TOTAL REPORT PROGRAM [ARGUMENT…] runs one of TOTAL test programs, isolated
# from the user's files and settings, and writes its output to REPORT. The last line
# of REPORT is "N passed, N failed", even if the program crashes or hangs. When the
# program has ended, one line says its count, its time and how many are left.
exec 3>&- 4>&- # the job server of make, if it is inherited
total=$1 report=$2
shift 2
running=$report.running began=$(date +%s)
mkdir -p "$(dirname "$report")"
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT

unset NO_COLOR HEAPTOPSECURE HEAPTOP_THEME COLORFGBG HEAPTOP_LINEAR COLUMNS LINES MAKEFLAGS MFLAGS
limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 900'
HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state HEAPTOP_RC= \
	$limit "$@" >"$running" 2>&1 </dev/null
status=$?

last=$(tail -n 1 "$running")
case $status:$last in
0:*[0-9]' passed, 0 failed' | 1:*[0-9]' passed, '[0-9]*' failed') ;;
*)
	# The exit status contradicts the last line: count a failure.
	echo "ended with status $status after: $last" >>"$running"
	last='0 passed, 1 failed'
	echo "$last" >>"$running"
	;;
esac
mv "$running" "$report"
left=$((total - $(ls "$(dirname "$report")" | grep -c '\.report$')))
printf '  %-24s %s, %d s, %d left\n' "$(basename "$report" .report)" "$last" \
	$(($(date +%s) - began)) "$left"
