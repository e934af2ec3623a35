#!/bin/sh
# coverage.sh BUILD SOURCE… prints which part of each source the tests reached.
build=$1
shift
for source in "$@"; do
	gcov -n -o "$build/$(dirname "$source")" "$source" 2>/dev/null |
		awk -v name="$source" '
			$1 == "File" { is_own = $2 == "\x27" name "\x27" }
			is_own && /^Lines executed/ {
				sub(/^Lines executed:/, ""); printf "%-28s %s\n", name, $0; exit
			}'
done
