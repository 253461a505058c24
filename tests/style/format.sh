#!/bin/sh
# format.sh CLANG_FORMAT ROOT: is every C file formatted as .clang-format says?
set -eu
clang_format=$1
cd -- "$2"
find host plugins sdk tests \( -name '*.c' -o -name '*.h' \) -exec "$clang_format" --dry-run --Werror {} + 2>&1 |
  sed -n 's/: error: code should be clang-formatted.*//p' | cut -d : -f 1 | sort | uniq -c >"${TMPDIR:-/tmp}/redhost-format.$$"
trap 'rm -f "${TMPDIR:-/tmp}/redhost-format.$$"' EXIT
if [ -s "${TMPDIR:-/tmp}/redhost-format.$$" ]; then
  echo "places to format in each file; clang-format-14 -i FILE does it:"
  cat "${TMPDIR:-/tmp}/redhost-format.$$"
  exit 1
fi
