#!/bin/sh
# build-kept.sh MINOR INCLUDE OUTPUT: how abi-1.MINOR/abi_1_MINOR-x86_64.so was made.  README.md beside it says when, and why it is not made
# again.
set -eu
cd "$(dirname "$0")/abi-1.$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  printf 'static const char abi_1_%s_cl[] = {\n' "$1"
  od -An -v -tx1 "abi_1_$1.cl" | sed "s/ *\([0-9a-f][0-9a-f]\)/'\\\\x\1',/g"
  printf '0};\n'
} >"$work/abi_1_$1.cl.h"
${CC:-gcc} -std=c11 -O2 -fPIC -fvisibility=hidden -I "$work" -I "$2" -shared -s \
  -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-z,noseparate-code -Wl,--build-id=none -o "$3" "abi_1_$1.c"
