#!/bin/sh
# timed.sh PROGRAMS LABEL NAME COMMAND...: runs the command of a test, with a cache of its own for redhost, in which the compiled
# programs are those of all tests, in the folder PROGRAMS.  Where REDHOST_TEST_TIMES is a directory, the processor time of
# the command and of its children is left there, as `times` prints it, in LABEL:NAME.
export REDHOST_TEST_PROGRAMS="$1"
label=$2 name=$3
shift 3
XDG_CACHE_HOME=$(mktemp -d)
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
(umask 077 && mkdir -p "$XDG_CACHE_HOME/redhost" "$REDHOST_TEST_PROGRAMS")
ln -s "$REDHOST_TEST_PROGRAMS" "$XDG_CACHE_HOME/redhost/bin"
"$@" && status=0 || status=$?
[ -z "${REDHOST_TEST_TIMES-}" ] || times >"$REDHOST_TEST_TIMES/$label:$name"
exit "$status"
