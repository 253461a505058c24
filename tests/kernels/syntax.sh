#!/bin/sh
# syntax.sh CLANG SOURCE_DIR TEST_CUSTOM: every kernel, on every operator and every type, through clang's OpenCL front end with
# warnings as errors.  Needs no device.  Of the pairs of an operator and a type each kernel gets a twentieth, another one than
# the kernel before; all of them with REDHOST_TEST_EXTENT=all.  -Wshorten-64-to-32: an index of 32 bits is right until an
# array has 2^32 elements, which no quick test can have; a place in a group always fits.
set -eu
clang=$1
source=$2
custom_operators=$3
command -v "$clang" >/dev/null || { echo "SKIP: no clang"; exit 77; }

# What NVIDIA's compiler takes of inline PTX, its constraints included; the instructions are only text here.
nvidia='-target nvptx64-nvidia-nvcl -Xclang -cl-ext=+all -Dasm=__asm__ -cl-std=CL1.2 -D__NV_CL_C_VERSION=120 -DRH_NVIDIA_SM=90'

# builds_of KERNEL: the options of each way in which its plugin builds it, a line for each.
builds_of() {
  case $1 in
  *builtin)
    echo -cl-std=CL2.0 -DRH_BUILTIN -DRH_FINISH
    echo -cl-std=CL3.0 -D__opencl_c_work_group_collective_functions=1 -DRH_BUILTIN -DRH_FINISH
    ;;
  subgroup)
    echo -cl-std=CL1.2 -DRH_WIDTH=8 -DRH_SUBGROUP=16 -DRH_FINISH
    # Intel's functions are in clang's header only, and not among those that it knows by itself.
    echo -cl-no-stdinc -cl-std=CL1.2 -DRH_WIDTH=8 -DRH_SUBGROUP=16 -DRH_SUBGROUP_BLOCKS
    ;;
  shuffle)
    echo -cl-std=CL3.0 -Dcl_khr_subgroup_shuffle_relative=1 -DRH_SHUFFLES=1 -DRH_WIDTH=4
    echo -cl-std=CL1.2 -DRH_SHUFFLES=0 -DRH_WIDTH=4
    echo "$nvidia" -DRH_SHUFFLES=1 -DRH_WIDTH=4
    ;;
  onepass) # the width is the type's: see width_of
    echo -cl-std=CL1.2 -DRH_GROUP=96 -DRH_SHUFFLES=0 -DRH_PACKS -DRH_UNROLL=3 -DRH_FINISH_LAUNCH -DRH_FINISH
    echo -cl-std=CL1.2 -DRH_GROUP=1 -DRH_SHUFFLES=0 -DRH_PACKS -DRH_BLOCKS -DRH_PAGES=3 -DRH_UNROLL=4 -DRH_FINISH_LAUNCH -DRH_FINISH
    echo -cl-std=CL3.0 -D__opencl_c_atomic_order_acq_rel=1 -D__opencl_c_atomic_scope_device=1 -DRH_GROUP=64 -DRH_SHUFFLES=1 \
      -DRH_PACKS -DRH_UNROLL=4 -DRH_AT_ONCE=2 -DRH_ARRIVALS -DRH_FINISH_LAST -DRH_FINISH
    echo "$nvidia" -DRH_GROUP=512 -DRH_SHUFFLES=1 -DRH_PACKS -DRH_UNROLL=4 -DRH_AT_ONCE=1 -DRH_ARRIVALS -DRH_FINISH_WAIT -DRH_FINISH
    ;;
  onepass_canonical)
    echo -cl-std=CL1.2 -DRH_CANONICAL -DRH_GROUP=96 -DRH_TEAM=32 -DRH_TEAMS=2 -DRH_SHUFFLES=0 -DRH_AT_ONCE=1 -DRH_SCRATCH=768 \
      -DRH_FINISH_LAUNCH
    echo -cl-std=CL3.0 -D__opencl_c_atomic_order_acq_rel=1 -D__opencl_c_atomic_scope_device=1 -DRH_CANONICAL -DRH_GROUP=4 -DRH_TEAM=1 \
      -DRH_TEAMS=4 -DRH_SHUFFLES=1 -DRH_AT_ONCE=2 -DRH_SCRATCH=4 -DRH_ARRIVALS -DRH_FINISH_LAST
    echo "$nvidia" -DRH_CANONICAL -DRH_GROUP=512 -DRH_TEAM=32 -DRH_TEAMS=16 -DRH_SHUFFLES=1 -DRH_PACKS -DRH_AT_ONCE=8 \
      -DRH_SCRATCH=4096 -DRH_ARRIVALS -DRH_FINISH_WAIT
    echo "$nvidia" -DRH_CANONICAL -DRH_GROUP=128 -DRH_TEAM=32 -DRH_TEAMS=4 -DRH_SHUFFLES=1 -DRH_PACKS -DRH_AT_ONCE=1 \
      -DRH_SCRATCH=128 -DRH_ONE_RUN
    ;;
  onepass_few)
    echo -cl-std=CL1.2 -DRH_GROUP=32 -DRH_SHUFFLES=0 -DRH_ROWS=1 -DRH_EACH=2
    echo "$nvidia" -DRH_GROUP=32 -DRH_SHUFFLES=1 -DRH_ROWS=4 -DRH_EACH=4
    echo "$nvidia" -DRH_GROUP=512 -DRH_SHUFFLES=1 -DRH_ROWS=1 -DRH_EACH=2
    ;;
  segments)
    for way in '' -DRH_COLUMNS -DRH_OFFSETS -DRH_IN_ORDER '-DRH_IN_ORDER -DRH_COLUMNS' -DRH_BY_TILES; do
      echo -cl-std=CL1.2 -DRH_CANONICAL -DRH_GROUP=16 -DRH_TEAM=1 -DRH_SHUFFLES=0 -DRH_ALONE "$way"
      case $way in *TILES) way="$way -DRH_PACKS" ;; esac
      echo "$nvidia" -DRH_CANONICAL -DRH_GROUP=256 -DRH_TEAM=32 -DRH_SHUFFLES=1 "$way"
    done
    ;;
  segments_warps)
    warps="$nvidia -DRH_CANONICAL -DRH_GROUP=256 -DRH_TEAM=32 -DRH_SHUFFLES=1"
    warps="$warps -DRH_PACKS -DRH_AT_ONCE=1"
    offsets="-DRH_OFFSETS -DRH_OF_WARP=128 -DRH_BATCH=4 -DRH_OWN=4 -DRH_HIGHEST=9 -DRH_MOST_PIECES=8192"
    echo "$warps"
    echo "$warps" -DRH_MEMBERS=1 -DRH_EACH=3 -DRH_IN_TURN=4
    echo "$warps" -DRH_MEMBERS=32 -DRH_EACH=7 -DRH_IN_TURN=2 -DRH_LENGTH=200u
    echo "$warps $offsets"
    for kind in -DRH_ANY_ORDER -DRH_PAIRS; do
      echo "$warps $kind" -DRH_MEMBERS=8 -DRH_EACH=3 -DRH_IN_TURN=4
      echo "$warps $kind $offsets"
    done
    ;;
  segments_columns)
    warps="$nvidia -DRH_CANONICAL -DRH_GROUP=256 -DRH_TEAM=32 -DRH_SHUFFLES=1"
    echo "$warps" -DRH_COLUMNS=1 -DRH_BESIDE=2 -DRH_ROWS=4
    echo "$warps" -DRH_COLUMNS=1 -DRH_FEW=3 -DRH_IN_TURN=4
    echo "$warps" -DRH_COLUMNS=4 -DRH_WIDTH=4 -DRH_BESIDE=16 -DRH_ROWS=2
    echo "$warps" -DRH_COLUMNS=4 -DRH_WIDTH=4 -DRH_FEW=16 -DRH_IN_TURN=1
    echo "$warps" -DRH_COLUMNS=4 -DRH_WIDTH=4 -DRH_BLOCK=85 -DRH_SHARE=8 -DRH_ANYWHERE -DRH_BESIDE=32 -DRH_ROWS=4
    echo "$warps" -DRH_COLUMNS=1 -DRH_BLOCK=32 -DRH_SHARE=8 -DRH_BESIDE=32 -DRH_ROWS=4
    echo "$warps" -DRH_COLUMNS=4 -DRH_WIDTH=4 -DRH_BLOCK=85 -DRH_SHARE=8 -DRH_ANYWHERE -DRH_BESIDE=32 -DRH_ANY_ORDER -DRH_AT_ONCE=4
    echo "$warps" -DRH_COLUMNS=4 -DRH_WIDTH=4 -DRH_BLOCK=128 -DRH_SHARE=8 -DRH_BESIDE=32 -DRH_ANY_ORDER -DRH_AT_ONCE=8 -DRH_BRIEF
    echo "$warps" -DRH_COLUMNS=1 -DRH_FEW=17 -DRH_IN_TURN=1 -DRH_ANY_ORDER -DRH_AT_ONCE=4 -DRH_BRIEF
    ;;
  extraction)
    echo -cl-std=CL1.2 -DRH_PACKS -DRH_GROUP=64 -DRH_CHUNK=8 -DRH_LOG_CHUNK=6 -DRH_COPIES=32 -DRH_PARTS=1 -DRH_FINISH_LAUNCH
    echo -cl-std=CL3.0 -D__opencl_c_atomic_order_acq_rel=1 -D__opencl_c_atomic_scope_device=1 -DRH_PACKS -DRH_BLOCKS -DRH_GROUP=1 \
      -DRH_CHUNK=16 -DRH_LOG_CHUNK=8 -DRH_COPIES=1 -DRH_PARTS=1 -DRH_DOUBLES -DRH_ARRIVALS
    echo "$nvidia" -DRH_PACKS -DRH_GROUP=256 -DRH_CHUNK=16 -DRH_LOG_CHUNK=7 -DRH_COPIES=32 -DRH_PARTS=2 -DRH_DOUBLES -DRH_ARRIVALS
    ;;
  *) echo -cl-std=CL1.2 -DRH_WIDTH=4 -DRH_ITEMS=15 -DRH_GROUP=128 -DRH_ACCUMULATORS=3 -DRH_PAGES=3 -DRH_ATOMIC -DRH_FINISH ;;
  esac
}

# width_of KERNEL TYPE BUILD: the elements of 16 bytes, or of a CPU's pack, where that is how the kernel is built.
width_of() {
  case $1-$2-$3 in
  onepass-?64-*RH_BLOCKS* | extraction-f64-*RH_BLOCKS*) echo 8; return ;;
  onepass-*RH_BLOCKS* | extraction-*RH_BLOCKS*) echo 16; return ;;
  esac
  case $1-$2 in
  onepass*-?8 | segments-?8 | segments_warps-?8) echo 16 ;;
  onepass*-?16 | segments-?16 | segments_warps-?16 | extraction-?16) echo 8 ;;
  onepass*-?32 | segments-?32 | segments_warps-?32 | extraction-?32) echo 4 ;;
  onepass*-?64 | segments-?64 | segments_warps-?64 | extraction-?64) echo 2 ;;
  esac
}

# serves KERNEL OP: what its plugin does not decline.
serves() {
  case $1-$2 in
  *builtin-custom | onepass-custom | onepass_few-custom) return 1 ;;
  onepass_canonical-custom) return 0 ;;
  segments_warps-affine | segments_columns-affine) return 1 ;;
  onepass_canonical-sum | onepass_canonical-prod | onepass_canonical-asum) return 0 ;;
  onepass_canonical-*) return 1 ;;
  extraction-sum | extraction-asum) return 0 ;;
  extraction-*) return 1 ;;
  atomic*-arg* | *float4-affine | subgroup-affine | shuffle-affine | onepass-affine | onepass_few-affine) return 1 ;;
  *builtin-sum | *builtin-min | *builtin-max) return 0 ;;
  *builtin-*) return 1 ;;
  esac
}

# is_defined OP TYPE
is_defined() {
  case $1-$2 in
  and-f* | or-f* | xor-f*) return 1 ;;
  affine-u64) return 0 ;;
  affine-*) return 1 ;;
  esac
}

# is_served KERNEL OP TYPE BUILD
is_served() {
  case $1-$2-$4 in segments-arg*-*BY_TILES* | segments-affine-*BY_TILES*) return 1 ;; esac
  case $1-$2-$3-$4 in
  segments_warps-sum-f16-*RH_PAIRS* | segments_warps-asum-f16-*RH_PAIRS*) return 0 ;;
  segments_warps-*RH_PAIRS* | segments_warps-prod-*RH_ANY_ORDER* | segments_warps-*sum-f*RH_ANY_ORDER*) return 1 ;;
  segments_warps-*-?64-*RH_ANY_ORDER*) return 1 ;;
  segments_columns-sum-[iu]8-*RH_BRIEF* | segments_columns-sum-[iu]16-*RH_BRIEF*) return 0 ;;
  segments_columns-arg*-?64-*RH_BRIEF*) return 1 ;;
  segments_columns-arg*-*RH_BRIEF*) return 0 ;;
  segments_columns-*RH_BRIEF*) return 1 ;;
  esac
  case $1-$2-$3 in
  onepass_canonical-*-f* | extraction-*-f*) return 0 ;;
  onepass_canonical-* | extraction-* | atomic*-prod-f*) return 1 ;;
  esac
}

warnings='-Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror -Wshorten-64-to-32 -Wno-unused-function
  -Wno-unused-parameter'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#define %s(k) (uint)%s(k)\n' get_local_id get_local_id get_local_size get_local_size >"$work/prelude"
for part in types operands operators structs vectors rows access groups builtins subgroups shuffles packs canonical arrivals atomics finish; do
  cat "$source/kernels/prelude/$part.cl"
done >>"$work/prelude"
mkdir "$work/custom"
"$custom_operators" --preludes "$work/custom"
# check BUILD FILES...: in one process, for most of the time of one is clang's start.
check() {
  build=$1
  shift
  [ $# -gt 0 ] || return 0
  # shellcheck disable=SC2086 # lists of options
  command=$("$clang" $build $warnings -### "$1" 2>&1 | tail -n 1)
  eval "${command% \"*} \"\$@\"" </dev/null || { echo "$build"; exit 1; }
  n=$((n + $#))
}

n=0 turn=0
for kernel in "$source"/kernels/*.cl; do
  name=$(basename "$kernel" .cl)
  cat "$work/prelude" "$kernel" >"$work/$name.cl"
  builds_of "$name" >"$work/builds"
  while read -r build; do
    case $build in *-target*) ;; *) build="$build -target spir64" ;; esac
    set --
    for op in sum prod min max argmin argmax and or xor affine asum amax argamax; do
      serves "$name" "$op" || continue
      for type in i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64; do
        is_defined "$op" "$type" || continue
        is_served "$name" "$op" "$type" "$build" || continue
        [ "$name" = extraction ] || turn=$((turn + 1)) # of whose few, all
        [ "$name" = extraction ] || [ "${REDHOST_TEST_EXTENT-}" = all ] || [ $((turn % 20)) = 0 ] || continue
        width=$(width_of "$name" "$type" "$build")
        printf '%s\n' "#define RH_OP_$op" "#define RH_TYPE_$type" "${width:+#define RH_WIDTH $width}" "#include \"$name.cl\"" >"$work/$op-$type.cl"
        set -- "$@" "$work/$op-$type.cl"
      done
    done
    check "$build" "$@"
    serves "$name" custom || continue
    set --
    for custom in "$work"/custom/*.cl; do
      case $name-$build in segments_columns-*RH_COLUMNS=4* | segments_columns-*RH_ANY_ORDER* | segments_warps-*RH_ANY_ORDER* | segments_warps-*RH_PAIRS*) continue ;; esac
      case $name in atomic*) if grep -qE '^#define (RH_HAS_OPERANDS|RH_OP_arg)' "$custom"; then continue; fi ;; esac
      turn=$((turn + 1))
      [ "${REDHOST_TEST_EXTENT-}" = all ] || [ $((turn % 5)) = 0 ] || continue
      own=$work/own-$(basename "$custom")
      { head -n 2 "$work/prelude" && cat "$custom" && echo "#line 1 \"$name.cl\"" && cat "$kernel"; } >"$own"
      set -- "$@" "$own"
    done
    case $build in *RH_WIDTH*) ;; *) build="$build -DRH_WIDTH=4" ;; esac
    check "$build" "$@"
  done <"$work/builds"
done
# The host's own, which stand alone.
for kernel in calibration rows; do
  for build in '-cl-std=CL1.2 -target spir64' "$nvidia"; do
    check "$build" "$source/kernels/$kernel/$kernel.cl"
  done
done
echo "$n combinations"
[ "$n" -gt 200 ]
