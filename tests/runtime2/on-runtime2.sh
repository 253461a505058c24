#!/bin/sh
# on-runtime2.sh FOLDER COMMAND...: the command with the OpenCL runtime that scripts/second-runtime has put into FOLDER,
# and with no other.
set -eu
folder=$1
shift
if [ ! -f "$folder/installed" ]; then
  echo "SKIP: no second OpenCL runtime here; scripts/second-runtime $folder installs one"
  exit 77
fi
unset REDHOST_DEVICE
# scripts/test --all says which.
export REDHOST_TEST_PAIRS="${REDHOST_TEST_PAIRS:-${REDHOST_TEST_PAIRS_BY_DAY:-few}}"
export OCL_ICD_VENDORS="$folder/vendors"
exec "$@"
