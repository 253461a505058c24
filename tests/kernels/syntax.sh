#!/bin/sh
# syntax.sh CLANG SOURCE_DIR: every kernel, for every operator and type, through clang's OpenCL front end with warnings as
# errors.  Needs no device.
set -eu
clang=$1
source=$2
command -v "$clang" >/dev/null || { echo "SKIP: no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in types operators vectors groups atomics finish; do cat "$source/kernels/prelude/$part.cl"; done >"$work/prelude"
n=0
for kernel in "$source"/kernels/*.cl; do
  cat "$work/prelude" "$kernel" >"$work/kernel.cl"
  for op in sum prod min max argmin argmax and or xor affine; do
    for type in i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64; do
      case $op-$type in and-f* | or-f* | xor-f* | affine-[if]* | affine-u8 | affine-u16 | affine-u32) continue ;; esac
      case ${kernel##*/}-$op in atomic*-arg* | *float4*-affine | subgroup*-affine) continue ;; esac
      "$clang" -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -target spir64 -Wall -Wextra -Werror \
        -Wno-unused-function -Wno-unused-parameter "-DRH_OP_$op" "-DRH_TYPE_$type" -DRH_WIDTH=4 -DRH_ATOMIC -DRH_FINISH -DRH_ITEMS=15 \
        "$work/kernel.cl" || { echo "$kernel: $op of $type"; exit 1; }
      n=$((n + 1))
    done
  done
done
echo "$n combinations"
[ "$n" -gt 400 ]
