#!/bin/sh
# check_stacks.sh compares the stacks of short recordings; make torture TORTURE=stacks
# those of longer ones.
exec sh tests/torture/torture_stacks.sh 3
