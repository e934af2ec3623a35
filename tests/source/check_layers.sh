#!/bin/sh
# check_layers.sh [FOLDER] checks that a file includes only its own folder and lower
# floors (tests/source/floors), that each library has one owner, that one file starts
# threads, and that one file compares versions of .NET. Without a FOLDER it checks
# the tree, and then that it finds one mistake in each of several copies.
set -u

# Prints includes of a higher floor.
floors() {
	grep -rn --include='*.[ch]' '^[ 	]*#[ 	]*include[ 	]*"' model io capture tui |
		awk '
		function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
		FNR == NR {
			if ($1 !~ /^#/ && NF) floor[$1] = ++floors
			next
		}
		{
			split($0, part, ":"); from = part[1]
			match($0, /"[^"]*"/); to = substr($0, RSTART + 1, RLENGTH - 2)
			if (to ~ /^(themes|queries|box|tour|manual)_builtin.h$/) next
			a = folder(from); b = folder(to)
			is_apart = a ~ /^tui/ && a != "tui/cli" && b !~ /^(tui|model)/
			if (b in floor && a in floor && floor[b] <= floor[a] && !is_apart) next
			print
		}' tests/source/floors -
}

# Prints the files other than FILE that include HEADER.
owner() { # owner HEADER FILE
	grep -n "^[ 	]*#[ 	]*include[ 	]*[<\"]$1[>\"]" $(find . -name '*.[ch]') |
		grep -v "^\./$2:"
}

# Prints threads that do not block the signals of the screen.
threads() {
	grep -rn --include='*.c' 'pthread_create(' model io capture tui |
		grep -v '^model/base/thread\.c:'
}

# Prints comparisons of .NET versions outside their table. Versions of file and
# event formats are below 8 or in io/gcdump.
versions() {
	op='[][0-9]* *\(==\|!=\|<=\|>=\|<\|>\) *'
	grep -rn --include='*.[ch]' \
		-e "\(layout\|l\)\(\.\|->\)version$op" \
		-e "card\(\.\|->\)major$op" -e "version\[0\]$op" \
		-e "\(version\|\<major\)$op\([89]\|1[0-9]\|[A-Z]\)\>" \
		io capture model tui | grep -v '^io/\(gcdump/\|runtime/layout\.c\)'
}

# Prints wrong lines; fails if there are any.
look() {
	{
		floors
		owner curses.h 'tui/term/term\(_keys\|_cells\)*\.[ch]'
		owner ncurses.h tui/term/term.c
		owner 'ncursesw/.*' tui/term/term.c
		owner term.h tui/term/terminfo.c
		owner histedit.h tui/widget/line_editor.c
		owner 'editline/.*' tui/widget/line_editor.c
		owner zstd.h io/base/zstd.c
		owner jansson.h '\(io/runtime/descriptor\.c\|tui/cli/mcp[a-z_]*\.[ch]\|tests/made/mcp_requests\.[ch]\|tests/tui/cli/fuzz_mcp\.c\)'
		owner sqlite3.h '\(model/sql/[a-z_]*\|tests/tui/cli/test_database\)\.[ch]'
		threads
		versions
	} 2>/dev/null | grep .
	[ $? -ne 0 ]
}

if [ $# -gt 0 ]; then
	cd "$1" && look
	exit
fi

. tests/run/results.sh

look
result $? "the tree keeps its layers"

copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
self=$(pwd)/tests/source/check_layers.sh
mkdir -p "$copy/tree/tests/source" && cp tests/source/floors "$copy/tree/tests/source"
for folder in model io capture tui; do
	[ -d $folder ] && cp -R $folder "$copy/tree"
done
mistake() { # mistake FILE LINE
	echo "$2" >>"$copy/tree/$1"
	! sh "$self" "$copy/tree" >"$copy/found" && grep -Eq "^(\./)?$1:" "$copy/found"
	result $? "$1 with $2 is found"
	cp "$1" "$copy/tree/$1"
}
mistake model/heap/heap.c '#include "io/base/bytes.h"'
mistake model/heap/heap.c '#include "model/graph/reach.h"'
mistake io/base/bytes.c '#include "io/gcdump/gcdump.h"'
mistake tui/widget/view.c '#include "tui/app/app.h"'
mistake tui/session/session.c '#include "tui/term/term.h"'
mistake tui/app/app.c '#include "capture/capture.h"'
mistake model/heap/heap.h '#include "tui/term/screen.h"'
mistake model/heap/heap.c '#include <zstd.h>'
mistake tui/views/sql.c '#include <sqlite3.h>'
mistake io/runtime/runtime.c '#include <jansson.h>'
mistake model/heap/heap.c '#include <curses.h>'
mistake io/base/bytes.c '#include "capture/events/ipc.h"'
mistake io/base/bytes.c '#include "tui/term/screen.h"'
mistake io/base/bytes.h '#include "tests/drive/run_tests.h"'
mistake tui/term/screen.c '#include "io/base/bytes.h"'
mistake tui/term/screen.c '#include <curses.h>'
mistake tui/term/screen.c '#include  <histedit.h>'
mistake tui/cli/main.c '#include <curses.h>'
mistake tui/session/job.c 'int failed = pthread_create(&thread, NULL, run, NULL);'
mistake io/runtime/names.c 'int a = n->layout->version >= 9 ? 1 : 2;'
mistake io/clr/verify.c 'int a = v->runtime.layout.version == FIRST;'
mistake capture/events/live.c 'int a = card->major == newest ? 5 : 2;'
mistake capture/events/gc_watch.c 'int a = major >= 10;'
mistake io/runtime/runtime.c 'int a = rt->version[0] < 11;'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
