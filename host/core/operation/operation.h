/* What is reduced.  How it is done, by which strategy and where, does not
 * belong to it. */
#pragma once

#include "operator.h"

typedef struct rh_operation {
  const rh_operator *op; /* never null; borrowed */
  uint64_t n;            /* elements */
  uint32_t accuracy;     /* RH_ACCURACY_*; EXACT: the answer is the reference's */
  const char *what;      /* the data, for messages: "--size 2^34", "x.npy" */
} rh_operation;
