#!/bin/sh
# two-devices.sh REDHOST RIGHT WRONG: with this runtime beside the system's, V50 of --verify compares devices: the
# strategy RIGHT passes, and varies_with_device of the plugin WRONG, whose bits depend on the device, does not.
set -eu
redhost=$1 right=$2 wrong=$3
both=$(mktemp -d)
trap 'rm -rf "$both"' EXIT
cp "$OCL_ICD_VENDORS"/*.icd "$both/"
cp /etc/OpenCL/vendors/*pocl*.icd "$both/" || { echo "SKIP: no PoCL beside it"; exit 77; }
export OCL_ICD_VENDORS="$both"
n=$("$redhost" --devices --json | grep -c '"key":')
[ "$n" -gt 1 ] || { echo "SKIP: $n device, and two are needed"; exit 77; }
"$redhost" --verify "$right" --include V50 --device 0:0
said=$("$redhost" --verify "$wrong" --strategy varies_with_device --include V50 --device 0:0 2>&1) && { echo "$said"; exit 1; }
echo "$said" | tr -s '\n ' ' ' | grep "the same bits on every device, but .* varies on "
