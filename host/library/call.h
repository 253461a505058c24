/* A call on arrays of the host by a job that is set up, prepared or kept: its fast path, and its
 * result.
 *
 * A call on few elements takes most of its time on the way to the strategy, so the fast path checks
 * only what differs from call to call. */
#pragma once

#include "../core/operation/ops.h"
#include "../core/operation/result.h"
#include "../core/run/operand_data.h"

#include <string.h>

/* Copying all fields that a result may have would take longer than the rest. */
enum { RH_WITHOUT_FIELDS = offsetof(rh_result, fields) };

typedef struct rh_call {
  rh_decoding decoding; /* of values */
  uint64_t fast_max_n;  /* up to so many elements take the fast path; 0: none do */
  rh_instance *instance;
  const void *value; /* rh_instance_host_value() */
  rh_arrays *arrays; /* of an operator with operands: the job's are used; else null */
  uint32_t n_operands;
  uint32_t sizes[RH_MOST_OPERANDS]; /* of the operands' elements, in bytes */
  int may_be_empty;                 /* -0 may be the sum of nothing */
  const rh_op *decodes; /* whose values are decoded, unless the operator has results of its own */
  rh_result blank;      /* a result that lacks its value and index only */
  rh_job *job;
  const rh_operator *op;
} rh_call;

/* The job has an instance, and must not be moved. */
void rh_call_begin(rh_call *call, rh_job *job);

/* Decodes for no elements, for a user's operator, or for a program that knows fewer fields. */
void rh_call_decode_unusual(const rh_call *call, const void *value, uint64_t n, rh_result *result);

/* Fills for at least one element, and a program that knows all fields before `fields`. */
static inline void rh_call_fill(const rh_call *call, const void *value, rh_result *result) {
  uint32_t size = result->struct_size;
  memcpy(result, &call->blank, RH_WITHOUT_FIELDS);
  result->struct_size = size;
  rh_op_decode(call->decoding, call->decodes, call->op->type, value, result);
  if (call->may_be_empty && result->value.f == 0) result->value.f = 0;
}

/* `result` has been checked. */
static inline void rh_call_decode(const rh_call *call, const void *value, uint64_t n,
                                  rh_result *result) {
  if (n == 0 || result->struct_size < RH_WITHOUT_FIELDS || call->op->n_results)
    rh_call_decode_unusual(call, value, n, result);
  else
    rh_call_fill(call, value, result);
}

static inline int rh_call_is_fast(const rh_call *call, uint64_t n, const rh_result *result) {
  return n - 1 < call->fast_max_n && result &&
         result->struct_size - RH_WITHOUT_FIELDS <= sizeof *result - RH_WITHOUT_FIELDS;
}

/* A host strategy reads this: the array, or the operands' arrays; null if one is misaligned. */
static inline const void *rh_call_host_input(const rh_call *call, const void *const *data) {
  for (uint32_t k = 0; k < call->n_operands; k++) {
    if (!rh_operand_is_aligned(data[k], call->sizes[k])) return NULL;
    if (call->arrays) call->arrays->operands[k] = data[k];
  }
  return call->arrays ? (const void *)call->arrays : data[0];
}

/* Reduces n elements of what rh_call_host_input() gave. */
rh_status rh_call_fast(const rh_call *call, const void *from, uint64_t n, rh_result *result,
                       rh_error *error);
