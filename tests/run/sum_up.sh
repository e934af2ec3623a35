#!/bin/sh
# sum_up.sh REPORT… prints one line for each report of tests/run/run_one.sh, the whole
# report of each failed test, the reasons why parts of tests were skipped, the tests
# that failed beside others and ran again alone (see again.sh), and the sum as the
# last line. A test that prints "skipped: …" has not run completely.
passed=0 failed=0
for report in "$@"; do
	name=$(basename "$report" .report)
	sum=$(tail -n 1 "$report")
	case $sum in
	*[0-9]' passed, '[0-9]*' failed') ;;
	*) sum='0 passed, 1 failed' ;;
	esac
	p=${sum%% passed*} f=${sum##*, }
	p=${p##* } f=${f%% *}
	passed=$((passed + p)) failed=$((failed + f))
	[ "$f" -eq 0 ] || cat "$report"
	printf '%-24s %s passed, %s failed\n' "$name" "$p" "$f"
done
skipped=$(cat "$@" | grep -a '^skipped: ')
if [ -n "$skipped" ]; then
	echo "$skipped" | sort | uniq -c | sed 's/^ *\([0-9]*\) skipped: /\1 × skipped: /'
	echo "$(echo "$skipped" | wc -l) parts of tests skipped"
fi
for report in "$@"; do
	[ -f "$report.beside" ] || continue
	echo "$(basename "$report" .report) failed beside other tests and ran again alone:"
	sh tests/run/failures.sh "$report.beside"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
