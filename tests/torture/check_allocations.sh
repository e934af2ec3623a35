#!/bin/sh
# A few requests for memory of each command refused; all of them: make torture.
exec sh tests/torture/torture_allocations.sh 5
