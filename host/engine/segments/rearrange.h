/* Segments that do not stand in rows, copied so that they do. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/run/job.h"

/* to = the elements, of `size` bytes, of segments s .. s+count-1, one segment after the other. */
void rh_rearrange(const rh_layout *layout, const void *from, uint32_t size, uint64_t s,
                  uint64_t count, void *to);

/* All segments of all operands of `spec`, which stand at data + spec->offsets[k], to a new region,
 * where they begin at offsets[k]. */
rh_status rh_rearrange_all(const rh_job_spec *spec, const void *data, rh_region *region,
                           uint64_t offsets[RH_MOST_OPERANDS], rh_error *error);

/* The dimensions of an array as it is stored, the last one running fastest. */
typedef struct rh_axes {
  uint32_t n;
  uint64_t lengths[64];
  unsigned char is_reduced[64];
} rh_axes;

/* Neighbours of one kind are one axis, and those of length 1 are left out. */
rh_axes rh_axes_merged(const rh_axes *axes);

/* The layout of merged axes, if segments of one stride make it; 1, or 0. */
int rh_axes_layout(const rh_axes *merged, rh_layout *layout);

/* to = the elements, of `size` bytes, with the axes that stay before those that are reduced. */
void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size, void *to);
