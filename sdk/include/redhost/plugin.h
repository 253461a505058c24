/* redhost/plugin.h: the strategy plugin ABI 1.2.  SPDX-License-Identifier: MIT
 *
 * A plugin is a shared object that exports one constant, `redhost_plugin_v1`, and nothing else.
 * The host reads that constant as data, asks each strategy in it whether it can serve a problem
 * (query), and then runs it:
 *
 *     query*  ->  setup  ->  run*  ->  teardown
 *
 * This header needs only a C11 or C++11 compiler, and works with <CL/cl.h> without casts.  Authors
 * in C will also want redhost/kit.h.
 *
 * Frozen is frozen: a plugin built against this file loads and runs with every redhost of major
 * version 1, and no field, number, name or promise here changes its place or its meaning.  A plugin
 * that requires a later addition names its minor version in rh_plugin.min_host_minor.  A later 1.x
 * may only append: a field at the end of a struct that carries its size or a stride, a number in a
 * list, a flag bit, an extension id.  RH_ABI_MINOR then grows.  Any other change makes it major 2,
 * with another symbol and another directory.  The names that rh_op.prelude defines for kernels are
 * part of the ABI.
 *
 * 1.0, 1.1 and 1.2 are frozen.  What the later two brought is marked "since 1.1" and "since 1.2".
 * The host shows a problem in which a field of theirs matters to no strategy that has not asked for
 * it, by a promise or by an extension.
 *
 * Rules that hold for everything below:
 *   - Only fixed-width integers, pointers and functions cross the boundary: their layout is the
 *     same for every compiler.
 *   - Structs carry struct_size; rh_param, which is used in arrays, has a stride instead; rh_arg
 *     has neither and will not change.  Fields are only ever appended; a field added after 1.0 is
 *     read through RH_HAS().  If one side allocates a struct and the other fills it, the allocating
 *     side sets struct_size.
 *   - Unknown numbers and bits mean "decline", never "guess".
 *   - Strings are UTF-8, null-terminated, and never a null pointer unless stated.
 *   - Everything that the host passes to a plugin belongs to the host.  Everything that a plugin
 *     obtains from the host's services is freed by the host after teardown.
 *   - A plugin leaves the process unchanged: floating-point control word, locale, signal handlers,
 *     working directory, environment, standard streams.  The host checks the floating-point control
 *     word around every call, but run's of a strategy that promises RH_KEEPS_FP_CONTROL.
 */
#ifndef REDHOST_PLUGIN_H
#define REDHOST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_ABI_MAJOR 1u /* part of the exported symbol's name and of the plugins' directory */
#define RH_ABI_MINOR 2u /* grows when something is appended */
#define RH_MAGIC     0x31504852u /* "RHP1" read as little endian */
#define RH_EXPORT    __attribute__((visibility("default")))

/* True if the other side's struct contains `field`.  This is the only legal way to read a field
 * added after 1.0. */
#define RH_HAS(T, pointer, field)                                                                  \
  ((pointer)->struct_size >= offsetof(T, field) + sizeof((pointer)->field))

/* OpenCL's handles, declared by their real tags, so that this header does not need <CL/cl.h>. */
struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_program;
struct _cl_kernel;
struct _cl_mem;

/* ---- Status ----
 * 0: done; > 0: declined, with a reason; < 0: failed.  A plugin returns statuses down to
 * RH_E_INTERNAL; the others are the library's own.  X(name, number, what it means) */
#define RH_STATUS_LIST(X)                                                                          \
  X(RH_OK, 0, "done")                                                                              \
  X(RH_DECLINED, 1, "the strategy cannot serve this problem here")                                 \
  X(RH_E_INVALID, -1, "the caller broke the contract")                                             \
  X(RH_E_NOMEM, -2, "out of memory")                                                               \
  X(RH_E_CL, -3, "an OpenCL call failed")                                                          \
  X(RH_E_BUILD, -4, "a kernel did not build")                                                      \
  X(RH_E_CANCELLED, -5, "cancelled")                                                               \
  X(RH_E_INTERNAL, -6, "internal error")                                                           \
  X(RH_E_USAGE, -20, "malformed or unknown name, size or parameter")                               \
  X(RH_E_DEVICE, -21, "no such device, or one that cannot hold the problem")                       \
  X(RH_E_PLUGIN, -22, "a plugin cannot be loaded or misbehaved")                                   \
  X(RH_E_FILE, -23, "a file cannot be read or written")                                            \
  X(RH_E_WRONG, -24, "the result is wrong")

typedef int32_t rh_status;
enum {
#define RH_X(name, number, text) name = number,
  RH_STATUS_LIST(RH_X)
#undef RH_X
};

/* ---- Types and operators: their numbers never change ----
 * X(name, number, bytes of one element in memory) */
#define RH_TYPE_LIST(X)                                                                            \
  X(i8, 1, 1)                                                                                      \
  X(u8, 2, 1)                                                                                      \
  X(i16, 3, 2)                                                                                     \
  X(u16, 4, 2)                                                                                     \
  X(i32, 5, 4)                                                                                     \
  X(u32, 6, 4)                                                                                     \
  X(i64, 7, 8)                                                                                     \
  X(u64, 8, 8)                                                                                     \
  X(f16, 9, 2)                                                                                     \
  X(f32, 10, 4)                                                                                    \
  X(f64, 11, 8)

typedef uint32_t rh_type; /* RH_TYPE_f32 and so on; 0 is "not said" */
enum {
#define RH_X(name, number, bytes) RH_TYPE_##name = number,
  RH_TYPE_LIST(RH_X)
#undef RH_X
};

/* X(name, number, flags).  affine, on u64 only, composes maps x -> a*x + b over 32-bit words, a in
 * the low half and b in the high half, the first element's map applied first.  It is associative,
 * exact, and not commutative.  asum, amax and argamax are sum, max and argmax of the elements'
 * magnitudes.  Magnitudes of integers are unsigned, because |-128| does not fit an i8. */
#define RH_OP_LIST(X)                                                                              \
  X(sum, 1, RH_OP_COMMUTATIVE)                                                                     \
  X(prod, 2, RH_OP_COMMUTATIVE)                                                                    \
  X(min, 3, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                       \
  X(max, 4, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                       \
  X(argmin, 5, RH_OP_COMMUTATIVE | RH_OP_EXACT | RH_OP_INDEXED)                                    \
  X(argmax, 6, RH_OP_COMMUTATIVE | RH_OP_EXACT | RH_OP_INDEXED)                                    \
  X(and, 7, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                       \
  X(or, 8, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                        \
  X(xor, 9, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                       \
  X(affine, 10, RH_OP_EXACT)                                                                       \
  X(asum, 11, RH_OP_COMMUTATIVE)                                                                   \
  X(amax, 12, RH_OP_COMMUTATIVE | RH_OP_EXACT)                                                     \
  X(argamax, 13, RH_OP_COMMUTATIVE | RH_OP_EXACT | RH_OP_INDEXED)

#define RH_OP_COMMUTATIVE (1u << 0)
#define RH_OP_EXACT       (1u << 1) /* regrouping cannot change a bit; integer arithmetic too */
#define RH_OP_INDEXED     (1u << 2) /* a value is {key, index}; the answer is an index */

/* RH_OP_sum and so on.  Host code asks which operator it is by rh_op.id and of which type by
 * rh_problem.type: problem->op->id == RH_OP_sum && problem->type == RH_TYPE_f32.  A kernel asks the
 * preprocessor, for the prelude defines the name: #ifdef RH_OP_sum.  Of an operator of a user's
 * that is a built-in one over mapped elements, rh_op.mapped_op has that one's number. */
enum {
#define RH_X(name, number, flags) RH_OP_##name = number,
  RH_OP_LIST(RH_X)
#undef RH_X
};

/* An operator on one element type.  Owned by the host, constant, valid as long as the rh_problem it
 * came in.
 *
 * Operators combine *values*: value_size bytes each, `rh_value` in OpenCL C, with the same layout
 * on host and device, naturally aligned.  load converts an element to a value; to an author both
 * are opaque.  The functions are pure and callable from any thread. */
typedef struct rh_op {
  uint32_t struct_size;
  uint32_t id;           /* RH_OP_*; numbers from 0x10000 on are user-defined */
  uint32_t flags;        /* RH_OP_COMMUTATIVE, ... */
  uint32_t element_size; /* bytes of one input element; of several operands, the largest's */
  /* bytes of one value: 4, 8 or 16; with RH_EXTENSION_ANY_VALUE any multiple of 4 up to 128 */
  uint32_t value_size;
  uint32_t reserved;
  const char *name;     /* "sum" */
  const char *prelude;  /* OpenCL C that build() prepends to a source: kernels/prelude */
  const void *identity; /* value_size bytes: combine(identity, v) is v, bit for bit */
  /* *value = the element at `index`, counted from `input`, as a value. */
  void (*load)(void *value, const void *input, uint64_t index);
  /* *accumulator = combine(*accumulator, *value); the accumulator's elements come before the
   * value's. */
  void (*combine)(void *accumulator, const void *value);
  /* The sequential loop: *accumulator = combine(...) over elements first .. first+n-1 of `input`,
   * in this order, compiled for this operator and type. */
  void (*fold)(void *accumulator, const void *input, uint64_t first, uint64_t n);
  /* since 1.2.  An operator of a user's is a value, which all functions from here on get: opaque.
   * load, combine and fold may be null then; call rh_op_load() and its like. */
  const void *user;
  /* in place of load */
  void (*load_with)(const void *user, void *value, const void *input, uint64_t index);
  /* in place of combine */
  void (*combine_with)(const void *user, void *accumulator, const void *value);
  /* in place of fold */
  void (*fold_with)(const void *user, void *accumulator, const void *input, uint64_t first,
                    uint64_t n);
  /* User-defined operators may read several operands of the same length, element by element, and
   * constants; of several, `input` of load, fold and reduce is opaque: pass on what
   * rh_run.host_input says.  Null and 0 for the operators above. */
  uint32_t n_operands;     /* 0: one, and neither constants nor the index */
  uint32_t constants_size; /* bytes of rh_run.constants: at least 8, if n_operands is not 0 */
  const rh_type *operand_types;
  /* *value = the value of elements first .. first+n-1 of `input`, much faster than by load and
   * combine: for operators that commute and round, in the canonical order of docs/inside/bits.md,
   * whose first tile begins at `first`; for all others in index order.  Null: there is only
   * fold. */
  void (*reduce)(const void *user, const void *input, uint64_t first, uint64_t n, void *value);
  /* Of an operator that is a built-in one over mapped elements: that one's number, whose values it
   * has, and their type; 0: it is none.  *to = the mapped elements first .. first+n-1. */
  uint32_t mapped_op;
  rh_type mapped_type;
  void (*map)(const void *user, const void *input, uint64_t first, uint64_t n, void *to);
  /* A map that is simple enough to compute in registers while folding: a form, RH_FORM_*, of
   * operands form_operands[0] and [1], of mapped_type, or f32 that become f64 if element_size is 4.
   * A host strategy finds them by rh_run.host_operands.  Each operation rounds by itself. */
  uint32_t form;
  uint32_t form_operands[2];
  /* Of several built-in operators in one pass: each of them alone, as an operator with a map that
   * reads the same operands.  0: it is not several, or they cannot be folded apart. */
  uint32_t n_parts;
  const struct rh_op_part *parts;
} rh_op;

/* ---- Operators of users, since 1.2 ---- */
#define RH_FIRST_USER_OP 0x10000u /* rh_op.id of operators that are not in RH_OP_LIST */

/* The functions of any operator, the user's included. */
static inline void rh_op_load(const rh_op *op, void *value, const void *input, uint64_t index) {
  if (op->load) op->load(value, input, index);
  else op->load_with(op->user, value, input, index);
}
static inline void rh_op_combine(const rh_op *op, void *accumulator, const void *value) {
  if (op->combine) op->combine(accumulator, value);
  else op->combine_with(op->user, accumulator, value);
}
static inline void rh_op_fold(const rh_op *op, void *accumulator, const void *input, uint64_t first,
                              uint64_t n) {
  if (op->fold) op->fold(accumulator, input, first, n);
  else op->fold_with(op->user, accumulator, input, first, n);
}

/* One of several operators in one pass. */
typedef struct rh_op_part {
  const rh_op *op;
  uint32_t value_at; /* bytes: where its value stands in the whole's */
  /* and of argmin and its like: the key stands there, and the index of 8 bytes here */
  uint32_t index_at;
} rh_op_part;

/* rh_op.form. */
enum {
  RH_FORM_OTHER = 0,           /* only map computes it */
  RH_FORM_ELEMENT = 1,         /* x */
  RH_FORM_PRODUCT = 2,         /* x*y, of floats */
  RH_FORM_DISTANCE = 3,        /* fabs(x - y) */
  RH_FORM_SQUARED_DISTANCE = 4 /* (x - y)*(x - y), of floats */
};

/* ---- Devices ---- */
#define RH_DEVICE_HOST        (1u << 0) /* host code: does not need OpenCL */
#define RH_DEVICE_CPU         (1u << 1)
#define RH_DEVICE_GPU         (1u << 2)
#define RH_DEVICE_ACCELERATOR (1u << 3)
#define RH_DEVICE_ANY_CL      (RH_DEVICE_CPU | RH_DEVICE_GPU | RH_DEVICE_ACCELERATOR)

/* Features that a device has (rh_device.features) or a strategy needs (rh_strategy.needs). */
#define RH_FP64                   (1ull << 0)
#define RH_INT64_ATOMICS          (1ull << 1) /* cl_khr_int64_base_atomics and _extended_atomics */
#define RH_SUBGROUPS              (1ull << 2) /* cl_khr_subgroups, cl_intel_subgroups, OpenCL 3 */
#define RH_WORK_GROUP_COLLECTIVES (1ull << 3) /* work_group_reduce_*() */
#define RH_INTEL_SUBGROUP_BLOCKS  (1ull << 4) /* intel_sub_group_block_read*() */
/* since 1.1 */
#define RH_DEVICE_SCOPE_ATOMICS (1ull << 5) /* acquire-release order across work-groups */

/* Owned by the host, valid as long as the rh_problem it came in.  A number of 0 means "unknown". */
typedef struct rh_device {
  uint32_t struct_size;
  uint32_t kind;                       /* one RH_DEVICE_* bit */
  uint32_t cl_version;                 /* OpenCL C: 120, 200, 300 */
  uint32_t vendor_id;                  /* as OpenCL reports it */
  uint32_t compute_units;              /* at least 1 */
  uint32_t max_group;                  /* work-items in a work-group */
  uint32_t subgroup_min, subgroup_max; /* work-items of a sub-group, or of an NVIDIA warp */
  uint64_t local_bytes;                /* local memory of one work-group; CPU: at most 512 KiB */
  uint64_t global_bytes, max_alloc_bytes;
  uint64_t features; /* RH_FP64, ... */
  const char *name, *driver, *extensions;
} rh_device;

/* ---- Layouts, since 1.2: many reductions in one run ----
 * Elements are counted from the run's first one.  Segment s is reduced as if it were alone:
 * indices in its answer count from its first element, and the bits of RH_CANONICAL_ORDER are those
 * of its elements in a row.  A strategy that finishes on the host writes the value of segment s to
 * host_result + s * value_size, any other to result[result_index + s]; that of a segment without
 * elements is the identity. */
enum {
  /* Element k of segment s is element (s / inner * length + k) * inner + s % inner.  So an array of
   * the shape (outer, length, inner) is reduced along its middle axis; with inner = 1, segments of
   * one length lie back to back. */
  RH_LAYOUT_AXIS = 1,
  /* Segment s is elements starts[s] .. stops[s]-1.  Segments may overlap, leave gaps and come in
   * any order; stops[s] >= starts[s]. */
  RH_LAYOUT_OFFSETS = 2
};
/* Checked by the host: no segment goes beyond the elements of its run, and no product overflows. */
typedef struct rh_layout {
  uint32_t struct_size;
  uint32_t kind;                  /* RH_LAYOUT_* */
  uint64_t segments;              /* of a problem: at most so many */
  uint64_t longest;               /* elements of the longest one */
  uint64_t length, inner;         /* of RH_LAYOUT_AXIS; inner >= 1 */
  const uint64_t *starts, *stops; /* of RH_LAYOUT_OFFSETS, in a run: `segments` of them */
  /* The same on the device, for OpenCL strategies: __global const ulong *. */
  struct _cl_mem *device_starts, *device_stops;
  uint64_t elements; /* all segments together have no more */
  /* 1: each segment stops where the next one starts, and device_starts has one more offset, the
   * last one's stop, so that device_stops need not be read */
  uint32_t is_back_to_back;
  uint32_t offsets_stay; /* 1: all runs of an instance get these offsets */
} rh_layout;

/* The elements of segment s, and where the first one is. */
static inline uint64_t rh_layout_length(const rh_layout *layout, uint64_t s) {
  return layout->kind == RH_LAYOUT_AXIS ? layout->length : layout->stops[s] - layout->starts[s];
}
static inline uint64_t rh_layout_first(const rh_layout *layout, uint64_t s) {
  if (layout->kind == RH_LAYOUT_OFFSETS) return layout->starts[s];
  if (layout->inner == 1) return s * layout->length; /* without a division */
  return s / layout->inner * layout->length * layout->inner + s % layout->inner;
}

/* ---- The problem ---- */
/* The problem to solve.  Owned by the host, valid during the call only, except `op`, which lives
 * until teardown. */
typedef struct rh_problem {
  uint32_t struct_size;
  rh_type type; /* of the input's elements; of several operands, the first's */
  const rh_op *op;
  const rh_device *device;
  uint64_t max_n; /* elements; run() may get fewer, never more */
  /* since 1.2.  Not null: many reductions, one for each segment, of which none has more than max_n
   * elements; only to a strategy that promises RH_SERVES_LAYOUTS.  Valid during the call. */
  const struct rh_layout *layout;
} rh_problem;

/* ---- Parameters (tunables): data, so that the host can list, check and tune them ---- */
#define RH_PARAM_POWER_OF_TWO (1u << 0) /* a power of two, or 0 if min is 0 */
#define RH_PARAM_REBUILD      (1u << 1) /* changes generated code, so a new value needs a build */
/* since 1.2: --tune leaves it alone, because it weighs speed against something else, or because the
 * strategy measures by itself what is best. */
#define RH_PARAM_NOT_TUNED (1u << 2)

typedef struct rh_param {
  const char *key;     /* "tile" */
  const char *doc;     /* one line, with the unit and what 0 means */
  const char *choices; /* "host|device": the value is the word's index, from 0; null: a number */
  int64_t min, max, initial, step;
  uint32_t flags, reserved;
} rh_param;

/* ---- query's answer: the host zeroes it and sets struct_size; query fills in the rest ---- */
/* Why a strategy declines.  X(name, number, JSON code) */
#define RH_WHY_LIST(X)                                                                             \
  X(NONE, 0, "none")                                                                               \
  X(TYPE, 1, "type")                                                                               \
  X(OP, 2, "op")                                                                                   \
  X(DEVICE, 3, "device")                                                                           \
  X(SIZE, 4, "size")                                                                               \
  X(PARAM, 5, "param")                                                                             \
  X(MEMORY, 6, "memory")                                                                           \
  X(DRIVER, 7, "driver")
enum {
#define RH_X(name, number, code) RH_WHY_##name = number,
  RH_WHY_LIST(RH_X)
#undef RH_X
};

typedef struct rh_answer {
  uint32_t struct_size;
  uint32_t why;      /* when declining: RH_WHY_* */
  int32_t score;     /* 0 to 1000; `auto` takes the largest if nothing was measured */
  uint32_t launches; /* kernels launched by one run */
  /* 1: run() waits and writes host_result; 0: run() only enqueues, and the device writes result */
  uint32_t finishes_on_host;
  uint32_t reserved;
  uint64_t scratch_bytes; /* device memory that setup will allocate */
  uint64_t local_bytes;   /* local memory of one work-group, at most */
  /* the most combinations that any one element passes through, for max_n elements; the error bound
   * h*u*sum|x| of a float sum is derived from it.  0: unknown, the host assumes n-1 */
  uint64_t depth;
  char reason[160]; /* when declining: the limit and the value, as a sentence without a full stop */
} rh_answer;

/* ---- Host services: from the start of setup until teardown returns, one thread at a time ---- */
enum { RH_ARG_VALUE = 1, RH_ARG_BUFFER = 2, RH_ARG_LOCAL = 3 };
/* since 1.2: the arguments for a kernel's RH_OPERANDS_PARAMETERS.  `size` and `value` say the run's
 * input, as for RH_ARG_BUFFER, which it is for all that a strategy without RH_EXTENSION_OPERANDS
 * gets to see. */
enum { RH_ARG_OPERANDS = 4 };
typedef struct rh_arg {
  uint32_t kind;     /* RH_ARG_* */
  uint32_t size;     /* bytes of the value; of the handle; of local memory */
  const void *value; /* pointer to the value or the handle; null for local memory */
} rh_arg;

enum { RH_LOG_ERROR = 0, RH_LOG_WARNING = 1, RH_LOG_INFO = 2, RH_LOG_DEBUG = 3 };

typedef struct rh_host rh_host;
struct rh_host {
  uint32_t struct_size, abi_minor;
  void *priv; /* the host's own */
  /* For authors who want raw OpenCL; null for host strategies.  The queue is in-order.  Borrowed:
   * do not retain them. */
  struct _cl_context *context;
  struct _cl_device_id *device;
  struct _cl_command_queue *queue;

  /* Logs a message for the user.  Callable from any thread.  `text` is copied. */
  void (*log)(const rh_host *, uint32_t level, const char *text);
  /* Records why the phase fails and returns `status`, so that `return host->fail(...)` reads well.
   * status: a failure, or in setup RH_DECLINED.  cl_code: OpenCL's error, or 0.  `what` is
   * copied. */
  rh_status (*fail)(const rh_host *, rh_status status, int32_t cl_code, const char *what);
  /* setup only.  Builds the prelude of the problem's operator and type, then `source`.  `file`
   * names the source in the compiler's messages ("cascade.cl"); `options` go to the compiler, ""
   * for none.  The host keeps the log and caches binaries. */
  rh_status (*build)(const rh_host *, const char *file, const char *source, const char *options,
                     struct _cl_program **program);
  /* setup only.  Creates a kernel object for this instance.  max_group (may be null) receives the
   * largest work-group that this kernel supports on this device. */
  rh_status (*kernel)(const rh_host *, struct _cl_program *, const char *name,
                      struct _cl_kernel **kernel, uint32_t *max_group);
  /* setup only.  Allocates device memory, uninitialised; bytes >= 1. */
  rh_status (*scratch)(const rh_host *, uint64_t bytes, struct _cl_mem **buffer);
  /* setup only.  Allocates zeroed host memory, aligned for any type; null if out of memory. */
  void *(*alloc)(const rh_host *, uint64_t bytes);
  /* run only.  Enqueues `kernel` over `global` work-items in groups of `local`; local >= 1 divides
   * global >= 1. `stage` names the launch in profiles ("tiles"). */
  rh_status (*launch)(const rh_host *, struct _cl_kernel *, uint64_t global, uint64_t local,
                      const rh_arg *args, uint32_t n_args, const char *stage);
  /* run only.  Enqueues a fill of `buffer` with `count` values of `size` bytes (4, 8 or 16), from
   * byte `offset` on. */
  rh_status (*fill)(const rh_host *, struct _cl_mem *buffer, uint64_t offset, const void *value,
                    uint32_t size, uint64_t count);
  /* run only, and only if the strategy finishes on the host.  Copies from device to host and waits
   * for the copy. */
  rh_status (*read)(const rh_host *, struct _cl_mem *buffer, uint64_t offset, uint64_t bytes,
                    void *to);
  /* Returns an optional feature by its id ("redhost.name/1"), or null.  An id never changes its
   * meaning. */
  const void *(*extension)(const rh_host *, const char *id);
};

/* One reduction.  Owned by the host, valid during the call only.  The input is never written. */
typedef struct rh_run {
  uint32_t struct_size, reserved;
  /* elements: reduce first .. first+n-1 of the input; if n is 0, the answer is the identity.
   * Indices in answers count from `first`. */
  uint64_t first, n;
  struct _cl_mem *input;  /* OpenCL strategies; at least first+n elements long */
  const void *host_input; /* host strategies */
  struct _cl_mem *result; /* a strategy that finishes on the device writes one value ... */
  uint64_t result_index;  /* ... to result[result_index], counted in values */
  /* a strategy that finishes on the host writes value_size bytes here; aligned */
  void *host_result;
  /* since 1.2.  n_operands is 0 if the elements are those of `input`.  Otherwise element 0 of the
   * run is element operand_first[k] of operands[k], for k < n_operands, and `first` is 0: what
   * RH_ARG_OPERANDS hands to a kernel.  host_input is opaque then, and `input` is null. */
  uint32_t n_operands;
  uint32_t operands_reserved;
  struct _cl_mem *const *operands;
  const uint64_t *operand_first;
  const void *constants; /* words of 8 bytes, which a kernel gets by value */
  /* host strategies, if n_operands is not 0: element 0 of each operand */
  const void *const *host_operands;
  /* since 1.2.  Of a strategy that was set up with a layout, and of no other: the segments to
   * reduce, and `n` is the number of elements from `first` on in which they lie. */
  const struct rh_layout *layout;
} rh_run;

/* Extensions of a strategy, since 1.1.  Not null: one work-item writes result[result_index] once,
 * and no kernel reads it or updates it in place, as atomics do.  The host may then pass a result in
 * its own memory, and see it without reading it back. */
#define RH_EXTENSION_RESULT_ONCE "redhost.result-once/1"
/* Since 1.2.  Not null: it serves operators of users: of several operands, with constants or with
 * the index in their map.  Its kernels have RH_OPERANDS_PARAMETERS, and it launches them with
 * RH_ARG_OPERANDS; where it calls an operator's functions, it does so by rh_op_load() and its like.
 * A host strategy passes rh_run.host_input on to them as it is. */
#define RH_EXTENSION_OPERANDS "redhost.operands/2"
/* Since 1.2.  Not null: it serves values of any multiple of 4 bytes, up to RH_ANY_VALUE_BYTES. */
#define RH_EXTENSION_ANY_VALUE "redhost.any-value/1"
#define RH_ANY_VALUE_BYTES     128u

/* ---- Strategies ---- */
/* Promises; `redhost --verify` tries to break each of them. */
#define RH_KEEPS_ORDER (1ull << 0) /* index order: serves operators that do not commute */
/* since 1.2: operators that commute and round (RH_OP_COMMUTATIVE without RH_OP_EXACT: sums and
 * products of floats) get the bits of docs/inside/bits.md, which depend on the elements alone.
 * Only with RH_BITS_SAME_EVERYWHERE.  `auto` takes no other strategy for them. */
#define RH_CANONICAL_ORDER (1ull << 1) /* floats: the bits of docs/inside/bits.md */
/* since 1.2: run never writes the floating-point control word, not even to put it back.  The host
 * does not look at it around run then: two looks take as long as 100 additions. */
#define RH_KEEPS_FP_CONTROL (1ull << 2)
/* since 1.2: query, setup and run look at rh_problem.layout and rh_run.layout, and query declines
 * the layouts that the strategy does not serve.  Without the promise the host runs a strategy once
 * for each segment. */
#define RH_SERVES_LAYOUTS (1ull << 3)
/* since 1.2: a sum of floats (sum, asum) is the exact sum of the elements, rounded once, to nearest
 * even.  Only with RH_BITS_SAME_EVERYWHERE, and without RH_CANONICAL_ORDER, whose bits are
 * others. */
#define RH_ROUNDS_ONCE (1ull << 4)
/* What the bits of a float result depend on, weakest promise first.  Results of RH_OP_EXACT
 * operators never vary. */
#define RH_BITS_VARY            0u /* may change from run to run, as with float atomics */
#define RH_BITS_SAME_RUN        1u /* fixed by device, n, parameters and alignment of `first` */
#define RH_BITS_SAME_LAUNCH     2u /* ... also with other parameters */
#define RH_BITS_SAME_EVERYWHERE 3u /* ... and also on every other IEEE device */

/* Constant data of the plugin. */
typedef struct rh_strategy {
  uint32_t struct_size;
  uint32_t device_kinds; /* RH_DEVICE_* bits: the kinds of device it can run on */
  const char *name;      /* [a-z0-9][a-z0-9_-]{0,62}, unique among plugins */
  const char *summary;   /* one line for --list */
  /* what it does, from which article or paper, what it changes over the previous step; lines may be
   * long: the host wraps them */
  const char *about;
  const char *version; /* "1.0" */
  const char *author;
  const char *license;  /* an SPDX id */
  uint64_t promises;    /* RH_KEEPS_ORDER, ... */
  uint64_t needs;       /* RH_FP64, ...: the host declines for the strategy if one is missing */
  uint32_t determinism; /* RH_BITS_* */
  uint32_t n_params;
  uint32_t param_stride; /* sizeof(rh_param) as the plugin knows it */
  uint32_t reserved;
  const rh_param *params; /* n_params of them; null for none */

  /* [any thread, any time] Can this problem be served with these parameters (n_params values, in
   * the order of `params`, each inside its range)?  Returns RH_OK, or RH_DECLINED with why and
   * reason.  Pure: no allocation, no OpenCL, no state; the same question always gets the same
   * answer. */
  rh_status (*query)(const rh_problem *, const int64_t *params, rh_answer *);
  /* [any thread] Called only after query returned RH_OK for the same problem and parameters.
   * Builds and allocates everything that run() needs; *self is the instance.  On failure it
   * releases everything that did not come from the host.  Limits that only a built kernel shows (it
   * may support smaller work-groups than the device) are declined here, by
   * host->fail(RH_DECLINED). */
  rh_status (*setup)(const rh_host *, const rh_problem *, const int64_t *params, void **self);
  /* [one call at a time per instance; instances in parallel] Enqueues or computes one reduction.
   * No allocation, no build, and no wait unless the strategy finishes on the host. */
  rh_status (*run)(void *self, const rh_run *);
  /* [any thread] Called once for every setup that succeeded.  Cannot fail.  May be null: the host
   * frees what its services returned. */
  void (*teardown)(void *self);
  /* Returns optional features of the strategy by id, RH_EXTENSION_*; may be null. */
  const void *(*extension)(const char *id);
} rh_strategy;

/* rh_plugin.flags: dlclose() removes the plugin completely, and a later load starts afresh.  The
 * host does not unload plugins; `redhost --verify` does, to test this. */
#define RH_PLUGIN_UNLOADABLE (1u << 0)

/* Constant data: validated before any function of the plugin is called. */
typedef struct rh_plugin {
  uint32_t magic, struct_size;
  uint16_t abi_major, abi_minor; /* of the header it was built with */
  uint16_t min_host_minor;       /* the least minor version that the host must offer */
  uint16_t reserved;
  uint32_t n_strategies;
  uint32_t flags; /* RH_PLUGIN_UNLOADABLE */
  const rh_strategy *const *strategies;
  const char *build; /* compiler, for bug reports */
} rh_plugin;

extern RH_EXPORT const rh_plugin redhost_plugin_v1; /* the one exported symbol */

/* ---- The layout, pinned on LP64: moving a field is a compile error ---- */
#if defined(__cplusplus)
#define RH_ASSERT_AT(T, field, at)                                                                 \
  static_assert(offsetof(T, field) == (at), #T "." #field " moved");
#else
#define RH_ASSERT_AT(T, field, at)                                                                 \
  _Static_assert(offsetof(T, field) == (at), #T "." #field " moved");
#endif
/* Every field.  X(struct, field, offset in bytes) */
/* clang-format off */
#define RH_LAYOUT_LIST(X) \
  X(rh_op, struct_size, 0) X(rh_op, id, 4) X(rh_op, flags, 8) X(rh_op, element_size, 12) \
  X(rh_op, value_size, 16) X(rh_op, reserved, 20) X(rh_op, name, 24) X(rh_op, prelude, 32) \
  X(rh_op, identity, 40) X(rh_op, load, 48) X(rh_op, combine, 56) X(rh_op, fold, 64) \
  X(rh_op, user, 72) X(rh_op, load_with, 80) X(rh_op, combine_with, 88) X(rh_op, fold_with, 96) \
  X(rh_op, n_operands, 104) X(rh_op, constants_size, 108) X(rh_op, operand_types, 112) \
  X(rh_op, reduce, 120) X(rh_op, mapped_op, 128) X(rh_op, mapped_type, 132) X(rh_op, map, 136) \
  X(rh_op, form, 144) X(rh_op, form_operands, 148) X(rh_op, n_parts, 156) \
  X(rh_op, parts, 160) \
  X(rh_device, struct_size, 0) X(rh_device, kind, 4) X(rh_device, cl_version, 8) \
  X(rh_device, vendor_id, 12) X(rh_device, compute_units, 16) X(rh_device, max_group, 20) \
  X(rh_device, subgroup_min, 24) X(rh_device, subgroup_max, 28) X(rh_device, local_bytes, 32) \
  X(rh_device, global_bytes, 40) X(rh_device, max_alloc_bytes, 48) X(rh_device, features, 56) \
  X(rh_device, name, 64) X(rh_device, driver, 72) X(rh_device, extensions, 80) \
  X(rh_problem, struct_size, 0) X(rh_problem, type, 4) X(rh_problem, op, 8) \
  X(rh_problem, device, 16) X(rh_problem, max_n, 24) X(rh_problem, layout, 32) \
  X(rh_param, key, 0) X(rh_param, doc, 8) X(rh_param, choices, 16) X(rh_param, min, 24) \
  X(rh_param, max, 32) X(rh_param, initial, 40) X(rh_param, step, 48) X(rh_param, flags, 56) \
  X(rh_param, reserved, 60) \
  X(rh_answer, struct_size, 0) X(rh_answer, why, 4) X(rh_answer, score, 8) \
  X(rh_answer, launches, 12) X(rh_answer, finishes_on_host, 16) X(rh_answer, reserved, 20) \
  X(rh_answer, scratch_bytes, 24) X(rh_answer, local_bytes, 32) X(rh_answer, depth, 40) \
  X(rh_answer, reason, 48) \
  X(rh_arg, kind, 0) X(rh_arg, size, 4) X(rh_arg, value, 8) \
  X(rh_host, struct_size, 0) X(rh_host, abi_minor, 4) X(rh_host, priv, 8) \
  X(rh_host, context, 16) X(rh_host, device, 24) X(rh_host, queue, 32) X(rh_host, log, 40) \
  X(rh_host, fail, 48) X(rh_host, build, 56) X(rh_host, kernel, 64) X(rh_host, scratch, 72) \
  X(rh_host, alloc, 80) X(rh_host, launch, 88) X(rh_host, fill, 96) X(rh_host, read, 104) \
  X(rh_host, extension, 112) \
  X(rh_run, struct_size, 0) X(rh_run, reserved, 4) X(rh_run, first, 8) X(rh_run, n, 16) \
  X(rh_run, input, 24) X(rh_run, host_input, 32) X(rh_run, result, 40) \
  X(rh_run, result_index, 48) X(rh_run, host_result, 56) \
  X(rh_run, n_operands, 64) X(rh_run, operands_reserved, 68) X(rh_run, operands, 72) \
  X(rh_run, operand_first, 80) X(rh_run, constants, 88) X(rh_run, host_operands, 96) \
  X(rh_run, layout, 104) \
  X(rh_strategy, struct_size, 0) X(rh_strategy, device_kinds, 4) X(rh_strategy, name, 8) \
  X(rh_strategy, summary, 16) X(rh_strategy, about, 24) X(rh_strategy, version, 32) \
  X(rh_strategy, author, 40) X(rh_strategy, license, 48) X(rh_strategy, promises, 56) \
  X(rh_strategy, needs, 64) X(rh_strategy, determinism, 72) X(rh_strategy, n_params, 76) \
  X(rh_strategy, param_stride, 80) X(rh_strategy, reserved, 84) X(rh_strategy, params, 88) \
  X(rh_strategy, query, 96) X(rh_strategy, setup, 104) X(rh_strategy, run, 112) \
  X(rh_strategy, teardown, 120) X(rh_strategy, extension, 128) \
  X(rh_plugin, magic, 0) X(rh_plugin, struct_size, 4) X(rh_plugin, abi_major, 8) \
  X(rh_plugin, abi_minor, 10) X(rh_plugin, min_host_minor, 12) X(rh_plugin, reserved, 14) \
  X(rh_plugin, n_strategies, 16) X(rh_plugin, flags, 20) X(rh_plugin, strategies, 24) \
  X(rh_plugin, build, 32) \
  X(rh_op_part, op, 0) X(rh_op_part, value_at, 8) X(rh_op_part, index_at, 12) \
  X(rh_layout, struct_size, 0) X(rh_layout, kind, 4) X(rh_layout, segments, 8) \
  X(rh_layout, longest, 16) X(rh_layout, length, 24) X(rh_layout, inner, 32) \
  X(rh_layout, starts, 40) X(rh_layout, stops, 48) \
  X(rh_layout, device_starts, 56) X(rh_layout, device_stops, 64) X(rh_layout, elements, 72) \
  X(rh_layout, is_back_to_back, 80) X(rh_layout, offsets_stay, 84)
/* clang-format on */
#if UINTPTR_MAX == UINT64_MAX
RH_LAYOUT_LIST(RH_ASSERT_AT)
#endif

#ifdef __cplusplus
}
#endif
#endif
