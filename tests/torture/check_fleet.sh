#!/bin/sh
# check_fleet.sh looks for growth in a small fleet; make torture TORTURE=fleet looks in
# a large one.
exec sh tests/torture/torture_fleet.sh 10 3
