#!/bin/sh
# check_together.sh makes one round of recordings in unusual company; make torture
# TORTURE=together makes ten.
exec sh tests/torture/torture_together.sh 1
