/* The operands of a problem: their types, their arrays, and generated elements for them, side by
 * side in one piece of memory. */
#pragma once

#include "../data/array.h"
#include "job.h"

rh_status rh_operand_bad_address(uint32_t k, uint32_t n_operands, rh_error *error);
/* Is the array there, and aligned to its elements of `size` bytes, a power of two? */
static inline int rh_operand_is_aligned(const void *data, uint32_t size) {
  return data && ((uintptr_t)data & (size - 1)) == 0;
}
/* RH_E_USAGE if the array of operand k of n_operands, whose elements have `size` bytes, is null or
 * misaligned. */
static inline rh_status rh_operand_check_address(const void *data, uint32_t size, uint32_t k,
                                                 uint32_t n_operands, rh_error *error) {
  if (rh_operand_is_aligned(data, size)) return RH_OK;
  return rh_operand_bad_address(k, n_operands, error);
}

/* RH_E_USAGE if no process can have n elements of `size` bytes from `data` on. */
rh_status rh_operand_check_extent(const void *data, uint32_t size, uint64_t n, rh_error *error);

/* offsets[k] = where operand k of spec->n elements begins, in bytes; all in all that many bytes are
 * needed.  UINT64_MAX stands for more than 2^64. */
uint64_t rh_operand_layout(const rh_job_spec *spec, uint64_t offsets[RH_MOST_OPERANDS]);

/* *placed = n elements of each operand, from operands[k] on, brought to the job's device if it has
 * one.  inputs: buffers of the operands, kept for the next call.  *placed may point into *job. */
rh_status rh_operands_bring(rh_job *job, rh_cl_input *inputs, const void *const *operands,
                            uint64_t n, rh_data *placed, rh_error *error);
/* The same of operands that are in the inputs already, if the job has a device. */
rh_data rh_operands_brought(rh_job *job, const rh_cl_input *inputs, const void *const *operands);

/* The same of elements on the device: from element first[k] of buffers[k] on; first: null means
 * zeros.  What the operator's constants are was said by rh_operands_begin(). */
rh_data rh_operands_in_buffers(rh_job *job, const cl_mem *buffers, const uint64_t *first);

/* Fills the operands, which stand spec->offsets[k] bytes behind the beginning of `array`.  Operands
 * of equal types get different elements.  RH_E_USAGE for an unknown kind. */
rh_status rh_operand_data_fill(const rh_array *array, const rh_job_spec *spec, const char *kind,
                               uint64_t seed, const rh_reporter *reporter, rh_error *error);
