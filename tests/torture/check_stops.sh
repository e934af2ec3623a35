#!/bin/sh
# check_stops.sh runs torture_stops.sh with few stops.
exec sh tests/torture/torture_stops.sh 6
