#!/bin/sh
# Some damaged files of each kind; more: make torture TORTURE=damage.
exec sh tests/torture/torture_damage.sh 20
