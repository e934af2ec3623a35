#!/bin/sh
# torture_survival.sh [SECONDS] follows samples of allocations of a program that makes
# collections of every kind (tests/programs/sites --mix) for so long, on each version
# of .NET, with workstation and server GC, and compares them with a heap walk at the
# end. By default that is more than 10,000 collections.
set -u
seconds=${1:-10}
test=${BUILD:-build}/tests/test_survivors

make BUILD="${BUILD:-build}" "$test" >/dev/null || exit 1
SURVIVAL_SECONDS=$seconds "$test" | sed '/^\[/d'
