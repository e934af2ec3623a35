#!/bin/sh
# check_allocations.sh fails a few allocations of each command; make torture
# TORTURE=allocations fails all of them.
exec sh tests/torture/torture_allocations.sh 5
