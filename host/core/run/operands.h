/* Where the operands of an operator that has them are, for one run. */
#pragma once

#include "../cl/services.h"
#include "../operation/operator.h"

/* On the device: element 0 of the run is element at[k] of buffers[k].  On the host: arrays.
 * Buffers and arrays are borrowed.  It must not be moved: arrays.constants is `constants`. */
typedef struct rh_operands {
  uint32_t n, constants_size;
  cl_mem buffers[RH_MOST_OPERANDS];
  uint64_t at[RH_MOST_OPERANDS];
  rh_arrays arrays;
  int count_slot;   /* of the constants: the number of elements, which each run sets; -1: none */
  uint64_t whole_n; /* that number, of a run on a part; 0: the run's own */
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
} rh_operands;

/* The operands' number and the constants' values; not yet where the operands are. */
void rh_operands_begin(rh_operands *operands, const rh_operator *op);

/* The constants' values, anew. */
void rh_operands_bind(rh_operands *operands, const rh_operator *op);

/* Both: the operands of `op` stand offsets[k] bytes behind the first element of
 * `buffer`, which is `first` bytes behind its beginning, or behind `host`. */
void rh_operands_place(rh_operands *operands, const rh_operator *op, const uint64_t *offsets,
                       cl_mem buffer, uint64_t first, const void *host);

/* Fills in the fields of a run of run->n elements, and what launch() puts in the place of
 * RH_ARG_OPERANDS.  Both point into *operands. */
void rh_operands_show(rh_operands *operands, rh_run *run, rh_operand_arguments *arguments);
