#!/bin/sh
# check_mcp.sh talks to heaptop --mcp as a client does: it finds a planted leak by
# calls alone, cancels, goes away, and validates every answer against the published
# schemas. Without Python, or its module jsonschema, that is skipped and counted; a
# capture needs a published .NET program.
set -u
heaptop=${HEAPTOP:-build/heaptop}
. tests/run/results.sh
end() {
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
}

# One request without Python: its answer is one line.
echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":{"path":"tests/data/leaky-10.gcdump"}}}' |
	"$heaptop" --mcp | grep -q '^{"jsonrpc":"2.0","result":{"structuredContent":{"heap":"heap-1",.*"isError":false},"id":1}$'
result $? "open answers on one line"
"$heaptop" --mcp </dev/null | cmp -s - /dev/null
result $? "no request has no answer"

if ! command -v python3 >/dev/null 2>&1; then
	echo "skipped: python3 is missing"
	end
fi
folder=$(mktemp -d) || exit 1
target=
trap 'rm -rf "$folder"; [ -z "$target" ] || kill "$target"' EXIT
parts="leak tools refusals handles ends"
"${BUILD:-build}/tests/gen_gcdump" 2000000 1 "$folder/large.gcdump" >/dev/null 2>&1 &&
	parts="$parts cancel=$folder/large.gcdump"
program=${HEAPTOP_TARGETS:-build/targets}/leaky-10.0/leaky
if [ -x "$program" ]; then
	mkfifo "$folder/input"
	"$program" >"$folder/started" 2>&1 <"$folder/input" &
	target=$!
	exec 9>"$folder/input"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q '^ready' "$folder/started" && break
		sleep 0.5
	done
	parts="$parts capture=$target gone=$target"
else
	echo "skipped: the program leaky-10.0 is not published"
fi
python3 tests/mcp/client.py "$heaptop" $parts >"$folder/report" 2>&1
result $? "the client is content"
cat "$folder/report"
end
