#!/bin/sh
# timed.sh LABEL NAME COMMAND...: runs the command of a test.  Where REDHOST_TEST_TIMES is a directory, the processor time of
# the command and of its children is left there, as `times` prints it, in LABEL:NAME.
label=$1 name=$2
shift 2
[ -n "${REDHOST_TEST_TIMES-}" ] || exec "$@"
"$@" && status=0 || status=$?
times >"$REDHOST_TEST_TIMES/$label:$name"
exit "$status"
