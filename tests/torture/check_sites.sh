#!/bin/sh
# check_sites.sh compares estimates of a few short recordings with the truth; make
# torture TORTURE=sites those of a hundred.
SITES_VERSIONS=${SITES_VERSIONS:-10.0 10.0-server 8.0} exec sh tests/torture/torture_sites.sh 1 3
