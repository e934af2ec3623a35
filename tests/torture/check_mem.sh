#!/bin/sh
# Some limits of memory for each command; more: make torture TORTURE=mem.
exec sh tests/torture/torture_mem.sh 3
