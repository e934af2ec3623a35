#!/bin/sh
# check_together.sh makes one round of recordings in unusual company; make torture
# TORTURE=together makes ten.
SITES_VERSIONS=${SITES_VERSIONS:-10.0 8.0} exec sh tests/torture/torture_together.sh 1
