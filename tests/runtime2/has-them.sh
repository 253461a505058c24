#!/bin/sh
# has-them.sh REDHOST STRATEGY...: --list says that the strategies can run here, and they do; and `subgroup` runs on
# block reads.
set -eu
redhost=$1
shift
for strategy in "$@"; do
  "$redhost" --list | grep -E "^ +$strategy .* yes " || { echo "--list: not here: $strategy"; exit 1; }
  "$redhost" --run "$strategy" -n 1000003
done
# With the function's name taken away it cannot be built.
if REDHOST_BUILD_OPTIONS=-Dintel_sub_group_block_read8=absent "$redhost" --run subgroup -n 1000003; then
  echo "subgroup: no block reads"
  exit 1
fi
