/* Many reductions of one array: a value for each segment of a layout, in the memory of the host.
 *
 * A strategy that promises RH_SERVES_LAYOUTS gets all segments in one run.  Any other runs once for
 * each of them, in order, without a wait in between where the device keeps the values.  Columns are
 * brought into rows for those that cannot read them where they are. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/run/job.h"
#include "device_rows.h"

/* Read-only. */
typedef struct rh_segments {
  rh_job job;       /* its spec's layout is the one that the strategy gets */
  rh_job_spec spec; /* its layout is that of the operands */
  const void *operands[RH_MOST_OPERANDS];
  const rh_axes *axes; /* null, or those that are copied first; borrowed */
  uint32_t is_loop;    /* 1: the strategy runs once for each segment */
  uint32_t was_copied; /* 1: segments that do not stand in rows are copied into rows */
  uint32_t value_bytes;
  /* Segments that are longer have here their elements from `base` on, of whole_n; 0: they are
   * whole.  Set after rh_segments_open(). */
  uint64_t base, whole_n;
  uint64_t n;            /* segments */
  unsigned char *values; /* n of them */
  /* Null, or their answers, rounded once, from the check: the strategy's are not. */
  double *exact;
  double seconds;   /* of the last run */
  rh_layout given;  /* to the strategy: rows of the copy, or offsets on the device */
  uint64_t portion; /* segments whose results, and offsets, the device has at a time */
  rh_region copy;
  uint64_t copied_to[RH_MOST_OPERANDS]; /* bytes behind its beginning */
  rh_cl_input inputs[RH_MOST_OPERANDS]; /* of a device */
  rh_device_rows rows;                  /* of buffers that are copied */
  cl_mem results;                       /* a portion of them, on a device */
} rh_segments;

/* Sets up what rh_locate() found for spec->operation, whose layout was checked.  axes: null, or
 * those that rh_axes_layout() made the layout of for a copy.  They, the layout and the context must
 * outlive *segments, which is finished after a failure, too. */
rh_status rh_segments_open(rh_segments *segments, rh_context *context, const rh_job_spec *spec,
                           const rh_axes *axes, rh_error *error);
/* The data of the runs that follow: spec->operation.n elements of each operand, or those that the
 * axes reach.  They are read until other data are brought, or rh_segments_let_go(). */
rh_status rh_segments_bring(rh_segments *segments, const void *const *operands, rh_error *error);
/* Brings elements that are on the device, from element first[k] of buffers[k] on; first may be null
 * for zeros.  Copies are enqueued. */
rh_status rh_segments_bring_buffers(rh_segments *segments, const cl_mem *buffers,
                                    const uint64_t *first, rh_error *error);
/* Waits for the device, and releases what it has of the data in place. */
void rh_segments_let_go(rh_segments *segments);
/* Reduces all segments. */
rh_status rh_segments_run(rh_segments *segments, rh_error *error);
/* Only enqueues that, with a strategy that finishes on the device: the value of segment s goes to
 * result[index + s], counted in values. */
rh_status rh_segments_run_to(rh_segments *segments, cl_mem result, uint64_t index, rh_error *error);
void rh_segments_finish(rh_segments *segments); /* zero-initialised is fine */

/* The result of segment s; rh_segments_value: as the strategy has it. */
void rh_segments_value(const rh_segments *segments, uint64_t s, rh_result *result);
void rh_segments_result(const rh_segments *segments, uint64_t s, rh_result *result);
