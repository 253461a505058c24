/* redhost/draft/plugin.h: what of ABI 1.2 may still change.  SPDX-License-Identifier: MIT
 *
 * ABI 1.2 is for operators of users, and open.  When it is frozen, what stands here moves to
 * redhost/plugin.h.  Until then a plugin that includes this header is built again with the redhost
 * that it is for, and names minor version 2 in rh_plugin.min_host_minor; redhost/kit.h includes it
 * for what the kit offers.  A plugin that uses nothing of it depends on frozen parts only. */
#ifndef REDHOST_DRAFT_PLUGIN_H
#define REDHOST_DRAFT_PLUGIN_H

#include "../plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Operators of users ---- */
#define RH_FIRST_USER_OP 0x10000u /* rh_op.id of operators that are not in RH_OP_LIST */

/* The functions of any operator, the user's included. */
static inline void rh_op_load(const rh_op *op, void *value, const void *input, uint64_t index) {
  if (op->load)
    op->load(value, input, index);
  else
    op->load_with(op->user, value, input, index);
}
static inline void rh_op_combine(const rh_op *op, void *accumulator, const void *value) {
  if (op->combine)
    op->combine(accumulator, value);
  else
    op->combine_with(op->user, accumulator, value);
}
static inline void rh_op_fold(const rh_op *op, void *accumulator, const void *input, uint64_t first,
                              uint64_t n) {
  if (op->fold)
    op->fold(accumulator, input, first, n);
  else
    op->fold_with(op->user, accumulator, input, first, n);
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

/* rh_arg.kind: the arguments for a kernel's RH_OPERANDS_PARAMETERS.  `size` and `value` say the
 * run's input, as for RH_ARG_BUFFER, which it is for all that a strategy without
 * RH_EXTENSION_OPERANDS gets to see. */
enum { RH_ARG_OPERANDS = 4 };

/* Extensions of a strategy.  Not null: it serves operators of users: of several operands, with
 * constants or with the index in their map.  Its kernels have RH_OPERANDS_PARAMETERS, and it
 * launches them with RH_ARG_OPERANDS; where it calls an operator's functions, it does so by
 * rh_op_load() and its like.  A host strategy passes rh_run.host_input on to them as it is. */
#define RH_EXTENSION_OPERANDS "redhost.operands/2"
/* Not null: the strategy serves values of any multiple of 4 bytes, up to RH_ANY_VALUE_BYTES. */
#define RH_EXTENSION_ANY_VALUE "redhost.any-value/1"
#define RH_ANY_VALUE_BYTES     128u

/* ---- Layouts: many reductions in one run ----
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

/* ---- Flags ---- */
/* rh_strategy.promises: query, setup and run look at rh_problem.layout and rh_run.layout, and query
 * declines the layouts that the strategy does not serve.  Without the promise the host runs a
 * strategy once for each segment. */
#define RH_SERVES_LAYOUTS (1ull << 3)
/* rh_strategy.promises: run never writes the floating-point control word, not even to put it back.
 * The host does not look at it around run then: two looks take as long as 100 additions. */
#define RH_KEEPS_FP_CONTROL (1ull << 2)
/* rh_param.flags: --tune leaves it alone, because it weighs speed against something else, or
 * because the strategy measures by itself what is best. */
#define RH_PARAM_NOT_TUNED (1u << 2)

/* ---- The layout ---- */
/* clang-format off */
#define RH_DRAFT_LAYOUT_LIST(X) \
  X(rh_op_part, op, 0) X(rh_op_part, value_at, 8) X(rh_op_part, index_at, 12) \
  X(rh_layout, struct_size, 0) X(rh_layout, kind, 4) X(rh_layout, segments, 8) \
  X(rh_layout, longest, 16) X(rh_layout, length, 24) X(rh_layout, inner, 32) \
  X(rh_layout, starts, 40) X(rh_layout, stops, 48) \
  X(rh_layout, device_starts, 56) X(rh_layout, device_stops, 64)
/* clang-format on */
#if UINTPTR_MAX == UINT64_MAX
RH_DRAFT_LAYOUT_LIST(RH_ASSERT_AT)
#endif

#ifdef __cplusplus
}
#endif
#endif
