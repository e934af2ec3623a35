#!/bin/sh
# check_limits.sh captures a few processes with little free memory in their cgroup;
# make torture TORTURE=limits captures more.
LIMITS_RUNTIMES=10.0 LIMITS_HEAPS='200000 2000000' LIMITS_ROOMS='50 250' \
	exec sh tests/torture/torture_limits.sh 1
