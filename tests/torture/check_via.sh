#!/bin/sh
# check_via.sh runs torture_via.sh with few connections to kill.
exec sh tests/torture/torture_via.sh 8
