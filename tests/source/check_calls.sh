#!/bin/sh
# check_calls.sh checks the object files in $BUILD: none uses a function or data of a
# higher floor (tests/source/floors), no folders use each other in a circle, no files
# do unless they share a duty (tests/source/duties), and no view names another. It
# then checks that each mistake is found, in copies of the symbols with one mistake.
set -u
. tests/run/results.sh

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# Prints "FILE T name" for each symbol that a file defines, "FILE U name" for each
# that it uses. Views and commands look each other up in the lists of all: no circle.
symbols() {
	source=$(pwd)
	(cd "$BUILD" && find model io capture tui -name '*.o' | sort |
		while read -r object; do
			[ -e "$source/${object%.o}.c" ] && echo "$object"
		done | xargs nm -A) | awk '
		{ sub(/\.o:/, " ") }
		NF == 4 && $3 ~ /[TDRBVW]/ { print $1, "T", $4 }
		NF == 3 && $2 == "U" && $3 !~ /^(all_views|commands_global)$/ { print $1, "U", $3 }'
}

# Prints "FILE FOLDER name" for each use of a higher floor.
upward() {
	awk '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	FILENAME == ARGV[1] {
		if ($1 !~ /^#/ && NF) floor[$1] = ++floors
		next
	}
	$2 == "T" { unit_of[$3] = $1; next }
	{ users[++count] = $1; names[count] = $3 }
	END {
		for (i = 1; i <= count; i++) {
			if (!(names[i] in unit_of)) continue
			a = folder(users[i]); b = folder(unit_of[names[i]])
			if (floor[b] > floor[a]) print users[i], b, names[i]
		}
	}' tests/source/floors "$1"
}

circles() { # circles SYMBOLS [folder]
	awk -v by="${2-}" -f tests/source/circles.awk "$1"
}

# Prints circles that tests/source/duties does not list, and wrong lines of that file.
undeclared() {
	circles "$1" | awk '
	FILENAME == ARGV[1] {
		if ($0 ~ /^#/ || !NF) next
		if ($0 !~ / # ./) print "no duty is given:", $0
		sub(/ *#.*/, "")
		if (NF > 5) print "too many files for one duty:", $0
		declared[$0] = 1
		folder = ""
		for (i = 1; i <= NF; i++) {
			own = $i; sub(/\/[^\/]*$/, "", own)
			if (folder && own != folder)
				print "two folders in one duty:", $0
			folder = own
		}
		next
	}
	{
		if (!($0 in declared)) print "no duty of tests/source/duties:", $0
		is_there[$0] = 1
	}
	END {
		for (line in declared)
			if (!(line in is_there))
				print "in tests/source/duties, but no such circle:", line
	}' tests/source/duties -
}

# Prints "FILE view" for each view that names another.
named_views() {
	awk '
	$1 !~ /^tui\/views\// || $3 !~ /^view_/ { next }
	$2 == "T" { unit_of[$3] = $1; next }
	{ users[++count] = $1; names[count] = $3 }
	END {
		for (i = 1; i <= count; i++)
			if (names[i] in unit_of) print users[i], names[i]
	}' "$1"
}

symbols >"$folder/symbols"
[ "$(wc -l <"$folder/symbols")" -gt 1000 ]
result $? "there are objects to look at"
found=$(upward "$folder/symbols")
[ -z "$found" ]
result $? "uses of a higher floor: $found"
found=$(circles "$folder/symbols" folder)
[ -z "$found" ]
result $? "circles of folders: $found"
found=$(undeclared "$folder/symbols")
[ -z "$found" ]
result $? "circles of files: $found"
# The tree view without an object opens the merged tree.
found=$(named_views "$folder/symbols" | grep -v '^tui/views/referrer_tree view_merged$')
[ -z "$found" ]
result $? "views that name another: $found"

# Adds one mistake to the symbols and checks that FUNCTION prints PATTERN.
mistake() { # mistake NAME PATTERN FUNCTION [ARGUMENT]: reads lines of symbols
	name=$1 pattern=$2
	shift 2
	cat "$folder/symbols" - >"$folder/mistake"
	function=$1
	shift
	$function "$folder/mistake" "$@" | grep -q "$pattern"
	result $? "$name is found"
}
mistake "a heap that opens a view" '^model/heap/heap tui/app app_open$' upward <<'END'
model/heap/heap U app_open
END
mistake "a circle of two folders" 'model/gc.* model/heap' circles folder <<'END'
model/gc/log T made_up_log
model/heap/heap T made_up_heap
model/gc/log U made_up_heap
model/heap/heap U made_up_log
END
mistake "a circle of two files" 'no duty.*io/base/bytes io/base/zstd' undeclared <<'END'
io/base/bytes T made_up_bytes
io/base/zstd T made_up_zstd
io/base/bytes U made_up_zstd
io/base/zstd U made_up_bytes
END
mistake "a circle by way of a third file" \
	'no duty.*model/base/hash model/base/seed model/base/width' undeclared <<'END'
model/base/hash T made_up_hash
model/base/seed T made_up_seed
model/base/width T made_up_width
model/base/hash U made_up_seed
model/base/seed U made_up_width
model/base/width U made_up_hash
END
mistake "one more file in the circle of a duty" 'no duty.*described.*values' undeclared <<'END'
io/clr/described U made_up_values
io/clr/values T made_up_values
io/clr/values U clr_describe
END
mistake "a view that names another" '^tui/views/gc view_types$' named_views <<'END'
tui/views/gc U view_types
END
sed 's/^io\/clr\/described/io\/clr\/gone/' "$folder/symbols" >"$folder/mistake"
undeclared "$folder/mistake" | grep -q 'no such circle.*described'
result $? "a duty whose circle is gone is found"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
