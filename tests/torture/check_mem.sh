#!/bin/sh
# check_mem.sh tests some memory limits for each command; make torture TORTURE=mem
# tests more.
exec sh tests/torture/torture_mem.sh 3
