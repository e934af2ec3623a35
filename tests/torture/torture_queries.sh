#!/bin/sh
# torture_queries.sh [QUERIES] compares the results of so many random queries (5000)
# over a heap with those over its database: the test of `make check` that compares 150.
build=${BUILD:-build}
make BUILD="$build" "$build/tests/test_database" >/dev/null || exit 1
HEAPTOP_QUERIES=${1:-5000} "$build/tests/test_database" | sed '/^\[/d'
