#!/bin/sh
# check_calls.sh: no object file uses a function or data of a higher floor
# (tests/floors), so there is no circle of folders; and each line that allows
# such a use, or such an include, is still needed. Looks at the objects of
# $BUILD, and at a copy of what nm says of them with one mistake.
set -u
passed=0 failed=0
result() { # result STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "check-calls: failed: $2"
	fi
}

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# "FILE T name" of what each unit defines, "FILE U name" of what it uses.
symbols() {
	(cd "$BUILD" && for top in model io capture tui; do
		find "$top" -name '*.o'
	done | sort | while read -r object; do
		[ -e "$OLDPWD/${object%.o}.c" ] || continue
		nm "$object" | awk -v unit="${object%.o}" '
			NF == 3 && $2 ~ /[TDRBVW]/ { print unit, "T", $3 }
			NF == 2 && $1 == "U" { print unit, "U", $2 }'
	done)
}

# "FILE FOLDER name" of each use of a higher floor.
upward() {
	awk '
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	FILENAME == ARGV[1] {
		if ($1 !~ /^#/ && $1 != "allow" && NF) floor[$1] = ++floors
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
	}' tests/floors "$1"
}

# "FILE FOLDER" of each include of a higher floor.
includes() {
	grep -rn --include='*.[ch]' '^[ 	]*#[ 	]*include[ 	]*"' model io capture tui |
		sed 's,^\([^:]*\)\.[ch]:.*"\([^"]*\)/[^/"]*".*,\1 \2,' |
		awk '
		function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
		FNR == NR { if ($1 !~ /^#/ && $1 != "allow" && NF) floor[$1] = ++floors; next }
		floor[$2] > floor[folder($1)] { print }' tests/floors -
}

symbols >"$folder/symbols"
[ "$(wc -l <"$folder/symbols")" -gt 1000 ]
result $? "there are objects to look at"
upward "$folder/symbols" >"$folder/upward"
found=$(sed -n 's/^allow //p' tests/floors | grep -vFf - "$folder/upward")
[ -z "$found" ]
result $? "uses of a higher floor: $found"

{ includes; cut -d' ' -f1-2 "$folder/upward"; } | sort -u >"$folder/used"
unused=$(sed -n 's/^allow //p' tests/floors | grep -vxFf "$folder/used")
[ -z "$unused" ]
result $? "tests/floors allows what is not needed any more: $unused"

{ cat "$folder/symbols"; echo "model/heap/heap U app_open"; } >"$folder/mistake"
upward "$folder/mistake" | grep -q '^model/heap/heap tui/app app_open$'
result $? "a heap that opens a view is found"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
