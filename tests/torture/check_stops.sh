#!/bin/sh
# check_stops.sh: torture_stops.sh in a small form.
exec sh tests/torture/torture_stops.sh 6
