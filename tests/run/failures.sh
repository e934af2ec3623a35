#!/bin/sh
# failures.sh LOG prints the lines of a test run that say what failed and where.
grep -a -E '^\[( +ERROR +| +LINE +|  FAILED  )\]|^FAILED|^ended with|[1-9][0-9]* failed$|error:|\*\*\* ' "$1"
