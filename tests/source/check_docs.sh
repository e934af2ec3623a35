#!/bin/sh
# check_docs.sh [--update]: compares the tables of the manual and the completions
# with the options, keys, commands and columns that the program itself lists, and
# SOURCE.md with the files. With --update it rewrites the tables and completions.
set -u
heaptop=${HEAPTOP:-build/heaptop}
. tests/run/results.sh

entries() { # entries RIGHT TAG [KIND], see entries.awk
	awk -v right="$1" -v tag="$2" -v kind="${3-}" -f tests/source/entries.awk
}

schema() { # the columns of all tables, in the form of --help columns
	"$heaptop" -b schema --tsv | awk -F '\t' 'NR > 1 {
		if ($1 != table)
			print (table == "" ? "" : "\n") $1
		table = $1
		printf "  %-16s %s (%s)\n", $2, $4, $3
	}'
}

block() { # the block that the manual must have
	case $1 in
	options) "$heaptop" --help | grep '^  *-' | entries 30 25 ;;
	keys) "$heaptop" --help keys | entries 49 20 keys ;;
	columns) "$heaptop" --help columns | entries 18 17 columns ;;
	filter) "$heaptop" --help filter | entries 30 26 ;;
	json) "$heaptop" --help json | entries 18 14 ;;
	settings) "$heaptop" --help settings | entries 30 27 ;;
	sql) "$heaptop" --help sql | entries 26 24 ;;
	schema) schema | entries 20 17 columns | sed 's/^\.SS Several views/.SS Several tables/' ;;
	esac
}
manual_of() { # the page that contains the block
	case $1 in
	settings) echo man/heaptoprc.5 ;;
	json) echo man/heaptop-json.5 ;;
	sql | schema) echo man/heaptop-sql.7 ;;
	*) echo man/heaptop.1 ;;
	esac
}

manual_block() { # the block that it contains
	sed -n '/^\.\\" '"$1"':/,/^\.\\" end '"$1"'/p' "$(manual_of "$1")" | sed '1d;$d'
}

completions_of() { # completions_of SHELL
	case $1 in
	zsh) echo man/_heaptop ;;
	*) echo "man/heaptop.$1" ;;
	esac
}

if [ "${1-}" = --update ]; then
	for shell in bash zsh fish; do
		HEAPTOP=$heaptop sh man/completions.sh $shell >man/new &&
			cat man/new >"$(completions_of $shell)"
	done
	for name in options keys columns filter json settings sql schema; do
		block $name >man/block
		awk -v start=".\\\\\" $name:" -v end=".\\\\\" end $name" '
			index($0, end) == 1 { inside = 0 }
			!inside { print }
			index($0, start) == 1 {
				inside = 1
				while ((getline line < "man/block") > 0) print line
			}' "$(manual_of $name)" >man/new && mv man/new "$(manual_of $name)"
	done
	rm -f man/block man/new
	exit
fi

for name in options keys columns filter json settings sql schema; do
	wanted=$(block $name)
	[ -n "$wanted" ]
	result $? "heaptop --help lists $name"
	[ "$wanted" = "$(manual_block $name)" ]
	result $? "$(manual_of $name) has the $name of --help (if not: sh tests/source/check_docs.sh --update)"
	! echo "$wanted" | grep '^too wide'
	result $? "--help keeps its columns"
done
for page in man/heaptop.1 man/heaptoprc.5 man/heaptop-sql.7 man/heaptop-mcp.7 man/heaptop-remote.7; do
	grep -q "^\.TH .*\"heaptop ${VERSION:-$("$heaptop" --version | sed 's/.* //;q')}\"" $page
	result $? "$page has this version"
done

commands=$("$heaptop" --help | sed -n '/^Commands of -b:/,/^$/p')
for name in $("$heaptop" --help columns | grep '^[^ ]'); do
	echo "$commands" | grep -Eq "[:,] $name|^$name"
	result $? "--help has the command $name among those of -b"
done

for shell in bash zsh fish; do
	HEAPTOP=$heaptop sh man/completions.sh $shell | cmp -s - "$(completions_of $shell)"
	result $? "$(completions_of $shell) is what man/completions.sh prints (--update)"
done

# SOURCE.md must list every file of these folders, and no other.
order() {
	awk '/^## / { folder = $2 } /^- `/ { gsub(/`/, "", $2); print folder $2 }' SOURCE.md
}
files() {
	find model io capture tui -name '*.[ch]' | sed 's/\.[ch]$//' | sort -u
}
# Lines that occur once.
missing=$({ order; order; files; } | sort | uniq -u | tr '\n' ' ')
[ -z "$missing" ]
result $? "SOURCE.md lists all files; missing: $missing"
gone=$({ files; files; order; } | sort | uniq -u | tr '\n' ' ')
[ -z "$gone" ]
result $? "SOURCE.md lists files that do not exist: $gone"
late=$({
	order
	grep -rHo --include='*.h' '#include "[^"]*\.h"' model io capture tui |
		sed 's/\.h:#include "/ /; s/\.h"$//'
} | awk 'NF == 1 { at[$1] = NR; next }
	at[$1] && at[$2] > at[$1] { print $1 " includes " $2 }')
[ -z "$late" ]
result $? "SOURCE.md lists every header behind those that it includes: $late"
# The manual describes every kind of finding.
undescribed=$(sed -n '/^const struct finding_kind/,/^}/s/.*\.id = "\([a-z-]*\)".*/\1/p' model/analysis/find*.c |
	while read -r id; do
		grep -q "^\.B $(echo "$id" | sed 's/-/\\\\-/g')\$" man/heaptop.1 || echo "$id"
	done)
[ -z "$undescribed" ]
result $? "man/heaptop.1 describes every finding: $undescribed"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
