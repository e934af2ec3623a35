#!/bin/sh
# A few captures of processes with little room in their cgroup; more of them:
# make torture TORTURE=limits.
LIMITS_RUNTIMES=10.0 LIMITS_HEAPS='200000 2000000' LIMITS_ROOMS='50 250' \
	exec sh tests/torture/torture_limits.sh 1
