#!/bin/sh
# check_headers.sh checks that every header compiles alone, without a warning.
set -u
passed=0 failed=0
curses=$(pkg-config --cflags ncursesw libedit 2>/dev/null)
for header in $(find model io capture tui tests -name '*.h' | sort); do
	[ -e "$header" ] || continue
	# shellcheck disable=SC2086 # words are wanted
	if ${CC:-cc} ${CPPFLAGS:--I. -D_POSIX_C_SOURCE=200809L} $curses -std=c17 \
		-Wall -Wextra -Werror -Wno-unused-function -fsyntax-only \
		-include "$header" -x c /dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "check-headers: failed: $header"
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
