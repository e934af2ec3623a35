#!/bin/sh
# again.sh REPORT… prints the reports of failed tests that should run again, alone: those
# that failed beside other tests may have waited for a processor too long. Each is
# kept as REPORT.beside; sum_up.sh names them. If more than three failed, time was
# not the cause, and none is printed.
failed= count=0
for report in "$@"; do
	case $(tail -n 1 "$report") in
	*[0-9]' passed, 0 failed') ;;
	*) failed="$failed $report" count=$((count + 1)) ;;
	esac
done
[ $count -le 3 ] || exit 0
for report in $failed; do
	mv "$report" "$report.beside"
	echo "$report"
done
