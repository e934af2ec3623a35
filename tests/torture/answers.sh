# shellcheck shell=sh
# same_answers FOLDER: whether each answer of --mcp in FOLDER/out is one of those in
# FOLDER/good, in any order, or is an error or says what is missing.
same_answers() {
	grep -q '^{"jsonrpc"' "$1/good" && [ "$(wc -l <"$1/good")" -eq "$(wc -l <"$1/out")" ] &&
		! grep -avxFf "$1/good" "$1/out" | grep -avq -e '"error":' -e '"isError":true' -e '"notes":'
}
