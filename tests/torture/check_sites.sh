#!/bin/sh
# check_sites.sh compares estimates of a few short recordings with the truth; make
# torture TORTURE=sites those of a hundred.
exec sh tests/torture/torture_sites.sh 1 3
