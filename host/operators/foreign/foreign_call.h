/* Calls a function whose parameters are known only at run time. */
#pragma once

#include "foreign_read.h"
#include <ffi.h>

typedef struct rh_foreign_call {
  const rh_foreign *foreign;
  void (*function)(void);
  ffi_type *types[RH_FOREIGN_MOST_ARGUMENTS];
  ffi_cif interface;
} rh_foreign_call;

/* *foreign must outlive *call. */
rh_status rh_foreign_call_init(rh_foreign_call *call, const rh_foreign *foreign,
                               void (*function)(void), rh_error *error);

/* Reduces n >= 1 elements, at most foreign->max_n; an index counts from `data`, and is inside.
 * On failure `why` describes the function's error.  [any thread] */
rh_status rh_foreign_call_run(const rh_foreign_call *call, const void *data, uint64_t n,
                              rh_number *result, char *why, size_t bytes);
