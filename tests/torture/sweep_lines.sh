#!/bin/sh
# sweep_lines.sh FOLDER prints the command lines for torture_allocations.sh and
# torture_mem.sh, one a line, quoted for eval: every command of -b on each kind of
# file that it reads, and the options besides -b. It makes the files in FOLDER, and
# FOLDER/input with requests for --mcp, which the other lines do not read.
# HEAPTOP_CORE names the core; the default is a small one in tests/corpus. It fails
# if --help lists a command that no line runs.
set -u
folder=$1
heaptop=${HEAPTOP:-build/heaptop}
gcdump=tests/data/leaky-10.gcdump
core=${HEAPTOP_CORE:-tests/corpus/core/plain-10}

for format in heaptop gcdump gclog; do
	"$heaptop" --no-rc --force --format $format -o "$folder/in.$format" $gcdump 2>/dev/null
done

requests() {
	for request in '"initialize","params":{"protocolVersion":"2025-11-25"}' '"server/discover"' '"tools/list"'; do
		echo '{"jsonrpc":"2.0","id":1,"method":'"$request}"
	done
	while read -r tool arguments; do
		echo '{"jsonrpc":"2.0","id":"'"$tool"'","method":"tools/call","params":{"name":"'"$tool"'","arguments":'"$arguments}}"
	done <<-END
		open {"path":"tests/data/leaky-10-later.gcdump.zst"}
		types {"heap":"heap-1","filter":"Leaky","sort":"retained","rows":3}
		findings {"heap":"heap-2","rows":2}
		why_alive {"heap":"heap-1","object":"Leaky.Session"}
		who_retains {"heap":"heap-1","object":"Leaky.Session"}
		contents {"heap":"heap-1","object":"Leaky.Session"}
		diff {"before":"heap-1","after":"heap-2","rows":2}
		close {"heap":"heap-2"}
		types {"heap":"heap-2"}
		sql {"heap":"heap-1","query":"SELECT type, count(*) FROM objects GROUP BY type"}
		schema {"heap":"heap-1","table":"objects","rows":3}
		summary {"heap":"heap-1"}
		threads {"heap":"heap-1"}
		stacks {"heap":"heap-1"}
	END
}
requests >"$folder/input"

# Prints the address of an object in the file, and its type.
some() { # some FILE
	for filter in 'type ~ /^Leaky.Session$/' 'type ~ /#overflow/' ''; do
		row=$("$heaptop" --no-rc -b objects -f "$filter" -n 1 --tsv "$1" 2>/dev/null | sed -n 2p)
		[ -z "$row" ] || break
	done
	address=$(echo "$row" | cut -f 1) type=$(echo "$row" | cut -f 2)
}

lines() {
	for file in $gcdump "$folder/in.heaptop" "$core"; do
		some "$file"
		for command in types objects "objects $type" dominators "dominators $address" treemap \
			"paths $address" "path $address" "contents $address" "contents $type" groups 'groups module' named-queries tables \
			'schema objects' 'sql top-holders' histogram roots findings \
			summary memory "tree $address" "tree $type" "merged $type" "ways $type" \
			"inspect $address" "references $address" "referrers $address" \
			"objsize $address" "objsize $type" ignored "dumpobj $address" \
			"dumpdelegate $address" 'dumpheap -stat' "gcroot $address" eeheap; do
			echo "-b '$command' -n 50 '$file'"
		done
		echo "-b objects -x totals '$file'"
		echo "-b dominators -x 'ignore type $type' '$file'"
		echo "-b types -s -retained -f 'retained > 2K' '$file'"
	done
	some "$core"
	table=$("$heaptop" --no-rc -b objects -n 1 --columns table --csv "$core" 2>/dev/null | sed -n 2p)
	for command in resident heaps segments 'free 1' heapmap handles finalizers threads modules verify \
		"verify $address" "near $address" locks 'locks held' "method-table $type" statics \
		"methods $type" async timers exceptions collections strings 'find 42' 'find "a"' "fields $address" \
		"value $table $address" "hex $address" 'dumpgen gen2' pe clrthreads \
		stacks pstacks 'code 1000' 'clrstack -all'; do
		echo "-b '$command' -n 50 '$core'"
	done
	echo "--probe '$core'"
	echo "-b types --json -n 50 $gcdump"
	echo "-b types --jsonl -n 50 $gcdump"
	echo "-b types --mine -n 50 $gcdump"
	echo "-b types --md -n 50 $gcdump"
	echo "-b objects -f 'size > 1K and retained > 2K' --csv $gcdump"
	echo "check --max Leaky.Session=0 --where 'count > 1000' $gcdump"
	echo "check --max Leaky.Session=9000 --max-retained Leaky.Session=1G $gcdump"
	echo "check --no-findings $gcdump"
	echo "check --no-new-findings --baseline '$folder/in.heaptop' $gcdump"
	echo "check --grew 'size_delta > 1K' --baseline '$folder/in.heaptop' $gcdump"
	echo "check --max Leaky.Session=9000 --junit '$folder/kept' $gcdump"
	for format in heaptop gcdump gclog; do
		echo "--force --format $format -o '$folder/kept' $gcdump"
		echo "--force --format $format -o '$folder/kept' '$core'"
	done
	echo "--force --format heaptop --raw --with retained -o '$folder/kept' $gcdump"
	for command in types roots; do
		echo "-b $command '$folder/in.gcdump'"
		echo "-b $command '$folder/in.gclog'"
	done
	for by in '' namespace root path dominator; do
		echo "-b 'diff $by' $gcdump tests/data/leaky-10-later.gcdump.zst"
	done
	echo "-b types tests/data/leaky-10.nettrace.zst"
	echo "-b walks tests/data/leaky-10.nettrace.zst"
	echo "-b gcs tests/data/gcs-10.nettrace.zst"
	echo "-b allocations tests/data/allocations-10.nettrace.zst"
	echo "-b 'allocations types' --stacks '$folder/kept' --force tests/data/allocations-8.nettrace.zst"
	echo "-b 'callers byte[]' tests/data/allocations-10.nettrace.zst"
	echo "-b 'callees Program.Serve' --csv tests/data/allocations-10.nettrace.zst"
	echo "-a tests/data/allocations-10.nettrace.zst"
	echo "-b samples -n 50 --samples tests/data/survival-10.nettrace.zst tests/data/survival-10.heaptop"
	echo "-b allocations -s growth tests/data/survival-8.nettrace.zst"
	echo "-g tests/data/gcs-10.nettrace.zst"
	echo "--mcp $gcdump"
	echo "-g -v tests/data/gcs-10.nettrace.zst"
}

lines >"$folder/lines"
for command in $("$heaptop" --help | sed -n '/^Commands of -b/,/^$/p' | sed 's/^Commands of -b: //; s/([^)]*)//g' |
	tr ',' '\n' | sed 's/^ *//; s/[ .].*//' | sort -u); do
	grep -qE -- "^-b '?$command[ ']|-x $command " "$folder/lines" ||
		{ echo "no line runs $command" >&2 && exit 1; } || exit 1
done
cat "$folder/lines"
