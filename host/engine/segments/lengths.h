/* Layouts of segments to measure with: how the lengths spread around a typical one. */
#pragma once

#include "../../core/base/vocabulary.h"
#include "../../core/operation/layout.h"

/* How an array is cut into segments; zeros: not at all. */
typedef struct rh_cut {
  uint64_t length;       /* the typical one */
  uint32_t distribution; /* RH_LENGTHS_* */
} rh_cut;

/* The cut that a layout is most like, as far as its longest segment tells; null: zeros. */
rh_cut rh_cut_of(const rh_layout *layout);
/* In octaves of the length: two ways of offsets are one octave apart, and 100 where one has other
 * strides, or offsets, than the other; infinity: one is of a whole array. */
double rh_cuts_apart(const rh_cut *a, const rh_cut *b);

/* A layout with what it points to. */
typedef struct rh_lengths {
  uint32_t kind;   /* 0: there is none */
  uint64_t length; /* the typical one */
  rh_layout layout;
  uint64_t *offsets; /* layout.segments + 1 of them; null: the layout is of one length */
  uint64_t of;       /* elements that were cut */
  uint64_t n;        /* those in segments: fixed ones and columns leave a rest out */
} rh_lengths;

/* Cuts the first n elements; the same for the same arguments on every machine.  n >= length >= 1.
 * Finishes what *made was before. */
rh_status rh_lengths_make(rh_lengths *made, uint32_t kind, uint64_t length, uint64_t n,
                          uint64_t seed, rh_error *error);
void rh_lengths_finish(rh_lengths *made); /* zero-initialised is fine */

/* Bytes that a reduction of it moves at the least: each element, offset and result once. */
uint64_t rh_lengths_bytes(const rh_lengths *made, const rh_operator *op);
