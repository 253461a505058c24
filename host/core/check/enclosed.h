/* How far a device's result may lie from the host's because functions of the map err. */
#pragma once

#include "../operation/operator.h"

/* Zero-initialised is that of no elements. */
typedef struct rh_enclosed {
  uint64_t n, n_unknown; /* elements, and those of which nothing is known */
  double below, above;   /* the sums of what elements may be less, or more, than the host's */
  double least, most;    /* what the least or largest element, or magnitude, may be */
} rh_enclosed;

/* Is anything kept for this operator? */
int rh_enclosed_serves(const rh_operator *op);

/* Adds an element, which is `host` here. */
void rh_enclosed_take(rh_enclosed *to, uint32_t op, double host, double low, double high);
/* Adds elements first .. first+n-1, which the host has mapped. */
void rh_enclosed_add(rh_enclosed *to, const rh_operator *op, const rh_arrays *arrays,
                     uint64_t first, uint64_t n, const void *mapped);
/* Adds the elements of `part`. */
void rh_enclosed_merge(rh_enclosed *to, uint32_t op, const rh_enclosed *part);

/* `count` numbers of a type, as doubles. */
void rh_enclosed_numbers(rh_type type, const void *from, uint64_t first, uint64_t count,
                         double *to);
