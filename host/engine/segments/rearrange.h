/* Segments that do not stand in rows, copied so that they do. */
#pragma once

#include "../../core/operation/layout.h"

/* to = the elements, of `size` bytes, of segments s .. s+count-1, one segment after the other. */
void rh_rearrange(const rh_layout *layout, const void *from, uint32_t size, uint64_t s,
                  uint64_t count, void *to);

/* All segments, by all processors. */
void rh_rearrange_all(const rh_layout *layout, const void *from, uint32_t size, void *to);

/* The dimensions of an array, in any order. */
typedef struct rh_axis {
  uint64_t length, stride; /* in elements */
  uint32_t is_reduced;
} rh_axis;
typedef struct rh_axes {
  uint32_t n;
  rh_axis list[64];
} rh_axes;

/* The one with the largest stride first; neighbours of one kind are one axis, and those of length 1
 * are left out. */
rh_axes rh_axes_merged(const rh_axes *axes);

/* The layout of merged axes: 1, of the elements where they are; or 0, of a copy by
 * rh_axes_rearrange(). */
int rh_axes_layout(const rh_axes *merged, rh_layout *layout);

/* Do the elements of a segment lie back to back, wherever it begins?  Then starts and stops of all
 * n segments say where. */
int rh_axes_are_rows(const rh_axes *merged);
void rh_axes_rows(const rh_axes *merged, uint64_t n, uint64_t *starts, uint64_t *stops);

/* to = the elements, of `size` bytes, with the axes that stay before those that are reduced. */
void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size, void *to);
/* Elements begin .. begin+n-1 of some segments in a row. */
typedef struct rh_elements {
  uint64_t segment, segments, begin, n;
} rh_elements;
void rh_axes_rearrange_some(const rh_axes *merged, const void *from, uint32_t size,
                            const rh_elements *some, void *to);
