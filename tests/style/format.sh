#!/bin/sh
# format.sh CLANG_FORMAT ROOT: is every C file formatted as .clang-format says?
set -eu
clang_format=$1
cd -- "$2"
unformatted=$(find host plugins sdk tests \( -name '*.c' -o -name '*.h' \) -exec "$clang_format" --dry-run {} + 2>&1 |
  sed -n 's/^\([^:]*\):.*clang-formatted.*/\1/p' | sort -u)
[ -z "$unformatted" ] && exit
echo "$clang_format -i has work to do in:"
echo "$unformatted"
exit 1
