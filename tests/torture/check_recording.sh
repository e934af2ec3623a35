#!/bin/sh
# check_recording.sh records a program that allocates 1 GB/s once; make torture
# TORTURE=recording measures the effect in pairs.
SITES_ARGUMENTS='--rate 1.76' exec sh tests/torture/torture_recording.sh 1 3
