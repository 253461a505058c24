#!/bin/sh
# under-oclgrind.sh: runs the matrix in Oclgrind, an interpreter that sees every access to memory, and fails
# where it finds a data race, an access out of bounds or a value that was never set.  The environment is test_matrix's.
# Groups are small, so that the interpreter is quick and the sizes still cross every edge; without optimisation, because
# Oclgrind 21.10 does not know an intrinsic that inlining leaves behind.
set -eu
command -v oclgrind >/dev/null || { echo "SKIP: oclgrind is not installed"; exit 77; }
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
export REDHOST_DEVICE=Oclgrind REDHOST_NO_CACHE=1 REDHOST_TEST_EXTENT=tiny REDHOST_TEST_PAIRS="${REDHOST_TEST_PAIRS:-few}"
export REDHOST_BUILD_OPTIONS=-cl-opt-disable
export REDHOST_TEST_SETTINGS="group=16 tile=16 groups_per_unit=2 tiles_per_unit=2 groups=4 items=3 few=3 window=3 loads=1"
status=0
# shellcheck disable=SC2086 # a list of options, or none
oclgrind --data-races ${OCLGRIND_CHECKS---uninitialized} "$REDHOST_TEST_MATRIX" 2>"$findings" || status=$?
if [ -s "$findings" ]; then
  grep -E '^[A-Z]' "$findings" | sed 's/0x[0-9a-f]*/.../' | sort | uniq -c
  head -n 40 "$findings"
  exit 1
fi
exit "$status"
