#!/bin/sh
# build.sh INCLUDE OUTPUT: how abi_1_2-x86_64.so was made.  README.md says when, and why it is not made again.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  printf 'static const char abi_1_2_cl[] = {\n'
  od -An -v -tx1 abi_1_2.cl | sed "s/ *\([0-9a-f][0-9a-f]\)/'\\\\x\1',/g"
  printf '0};\n'
} >"$work/abi_1_2.cl.h"
${CC:-gcc} -std=c11 -O2 -fPIC -fvisibility=hidden -I "$work" -I "$1" -shared -s \
  -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-z,noseparate-code -Wl,--build-id=none -o "$2" abi_1_2.c
