#!/bin/sh
# check_damage.sh reads some damaged files of each kind; make torture TORTURE=damage
# reads more.
exec sh tests/torture/torture_damage.sh 20
