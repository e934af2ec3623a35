#!/bin/sh
# torture_cores.sh [DAMAGES] reads so many damaged cores (2000) of each kind, each with
# words smashed or pages lost: the two tests of `make check` that read 100.
build=${BUILD:-build}
for test in test_clr_damage test_clr_smash; do
	make BUILD="$build" "$build/tests/$test" >/dev/null || exit 1
	HEAPTOP_DAMAGES=${1:-2000} "$build/tests/$test" | sed '/^\[/d'
done
