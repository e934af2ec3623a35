#!/bin/sh
# check_layers.sh [FOLDER]: a folder includes only what stands below it, and
# each library has one file that knows it, as have threads. Without a FOLDER it
# looks at the tree and then at copies with one mistake each, which it must find.
set -u

# The includes of a layer that are not among what it may include.
layer() { # layer FOLDER FOLDER… (the first may include itself and the rest)
	folder=$1
	allowed=$(echo "$@" | tr ' ' '|')
	grep -n '^[ 	]*#[ 	]*include[ 	]*"' "$folder"/*.[ch] /dev/null |
		grep -Ev "\"($allowed)/|\"themes_builtin\.h\"|^tui/main\.c:"
}

# The files other than FILE that include HEADER.
owner() { # owner HEADER FILE
	grep -n "^[ 	]*#[ 	]*include[ 	]*[<\"]$1[>\"]" ./*/*.[ch] |
		grep -v "^\./$2:"
}

# Threads that would take the signals of the screen's.
threads() {
	grep -n 'pthread_create(' model/*.c io/*.c capture/*.c tui/*.c |
		grep -v '^model/thread\.c:'
}

# Prints the wrong lines; fails if there are some.
look() {
	{
		layer model
		layer io model
		layer capture io model
		layer tui model
		owner curses.h 'tui/term\(_keys\|_cells\)*\.[ch]'
		owner ncurses.h tui/term.c
		owner 'ncursesw/.*' tui/term.c
		owner term.h tui/terminfo.c
		owner histedit.h tui/line_editor.c
		owner 'editline/.*' tui/line_editor.c
		owner zstd.h io/zstd.c
		owner jansson.h io/clr_descriptor.c
		threads
	} 2>/dev/null | grep .
	[ $? -ne 0 ]
}

if [ $# -gt 0 ]; then
	cd "$1" && look
	exit
fi

passed=0 failed=0
result() { # result STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "check-layers: failed: $2"
	fi
}

look
result $? "the tree keeps its layers"

copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
self=$(pwd)/tests/check_layers.sh
mistake() { # mistake FILE LINE
	rm -rf "$copy/tree"
	mkdir "$copy/tree"
	for folder in model io capture tui; do
		[ -d $folder ] && cp -R $folder "$copy/tree"
	done
	echo "$2" >>"$copy/tree/$1"
	! sh "$self" "$copy/tree" >"$copy/found" && grep -Eq "^(\./)?$1:" "$copy/found"
	result $? "$1 with $2 is found"
}
mistake model/heap.c '#include "io/bytes.h"'
mistake model/heap.h '#include "tui/screen.h"'
mistake model/heap.c '#include <zstd.h>'
mistake io/clr_runtime.c '#include <jansson.h>'
mistake model/heap.c '#include <curses.h>'
mistake io/bytes.c '#include "capture/ipc.h"'
mistake io/bytes.c '#include "tui/screen.h"'
mistake io/bytes.h '#include "tests/run_tests.h"'
mistake tui/screen.c '#include "io/bytes.h"'
mistake tui/screen.c '#include <curses.h>'
mistake tui/screen.c '#include  <histedit.h>'
mistake tui/main.c '#include <curses.h>'
mistake tui/job.c 'int failed = pthread_create(&thread, NULL, run, NULL);'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
