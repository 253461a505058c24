/* Segments of elements on a device that do not stand in rows, copied there so that they do. */
#pragma once

#include "../../core/cl/session.h"
#include "../../core/operation/operator.h"
#include "rearrange.h"

enum { RH_MOST_DEVICE_AXES = 8 };

/* kernels/rows/rows.cl has the same. */
typedef struct rh_rows_axes {
  uint64_t n, length[RH_MOST_DEVICE_AXES], stride[RH_MOST_DEVICE_AXES];
} rh_rows_axes;

/* Zero-initialised is empty. */
typedef struct rh_device_rows {
  uint32_t n_operands;
  uint64_t n; /* elements of each */
  rh_rows_axes axes;
  cl_program program;
  cl_kernel kernels[RH_MOST_OPERANDS];
  cl_mem buffers[RH_MOST_OPERANDS]; /* the rows */
} rh_device_rows;

/* axes: at most RH_MOST_DEVICE_AXES, which have elements. */
rh_status rh_device_rows_open(rh_device_rows *rows, rh_cl_session *session, const rh_operator *op,
                              const rh_axes *axes, rh_error *error);
/* Enqueues the copies of all operands: that of operand k from element first[k] of from[k] on; first
 * may be null for zeros. */
rh_status rh_device_rows_copy(rh_device_rows *rows, const rh_cl_session *session,
                              const cl_mem *from, const uint64_t *first, rh_error *error);
void rh_device_rows_finish(rh_device_rows *rows);
