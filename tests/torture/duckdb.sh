#!/bin/sh
# duckdb.sh installs DuckDB's library for torture_fleet.sh into the build folder, by
# npm. The tests download nothing.
set -u
case $(uname -m) in
x86_64) machine=x64 ;;
aarch64) machine=arm64 ;;
*) echo "duckdb: no library for $(uname -m)" >&2 && exit 1 ;;
esac
folder=${BUILD:-build}/duckdb
mkdir -p "$folder" && npm install --no-audit --no-fund --prefix "$folder" \
	"@duckdb/node-bindings-linux-$machine@^1.5.6-r.1"
